"""The one place where texts get their language: English, unless a front end installs another localization.

The window installs Qt's translators and number formats when it starts; the command line speaks English.
"""

from __future__ import annotations

import re
import time
from typing import Protocol

_PLURAL = re.compile(r"\(s\)")


class Localization(Protocol):
    """Translates texts, and writes numbers and times of day as a language does."""

    is_terminal: bool
    """Whether texts are read in a terminal, where advice names commands and options instead of the settings."""

    def translate(self, context: str, text: str, disambiguation: str, n: int | None) -> str:
        """Return the text in this language; ``%n`` in it becomes ``n``, which also chooses the plural form."""

    def integer(self, value: int) -> str:
        """Return a whole number with separators of thousands."""

    def decimal(self, value: float, digits: int) -> str:
        """Return a number with that many digits after the decimal point."""

    def scientific(self, value: float, digits: int) -> str:
        """Return a number as a mantissa with that many digits after the point, and a power of ten."""

    def time_of_day(self, at: float) -> str:
        """Return the time of day, with the date if it is not today; ``at`` is in seconds of ``time.time()``."""

    def date_and_time(self, at: float) -> tuple[str, str]:
        """Return the date, empty if it is today, and the time of day; ``at`` is in seconds of ``time.time()``."""


class EnglishLocalization:
    """The command line's texts: as they are in the code, where the plural of a word is written ``peer(s)``."""

    is_terminal = True

    def translate(self, context: str, text: str, disambiguation: str, n: int | None) -> str:
        """Return the text itself, with the number and the plurals of ``n``."""
        if n is None:
            return text
        return _PLURAL.sub("" if n == 1 else "s", text).replace("%n", str(n))

    def integer(self, value: int) -> str:
        """Return a whole number such as ``12,416``."""
        return f"{value:,}"

    def decimal(self, value: float, digits: int) -> str:
        """Return a number such as ``1,234.5``."""
        return f"{value:,.{digits}f}"

    def scientific(self, value: float, digits: int) -> str:
        """Return a number such as ``1.2e-04``."""
        return f"{value:.{digits}e}"

    def time_of_day(self, at: float) -> str:
        """Return ``15:30``, or ``2026-11-24 15:30`` for another day."""
        return " ".join(filter(None, self.date_and_time(at)))

    def date_and_time(self, at: float) -> tuple[str, str]:
        """Return such as ``2026-11-24`` and ``15:30``, without the date if it is today."""
        when = time.localtime(at)
        is_today = when[:3] == time.localtime()[:3]
        return "" if is_today else time.strftime("%Y-%m-%d", when), time.strftime("%H:%M", when)


_installed: list[Localization] = [EnglishLocalization()]


def install(localization: Localization) -> None:
    """Use that localization for every text from now on."""
    _installed[0] = localization


def installed() -> Localization:
    """Return the localization that every text uses now."""
    return _installed[0]


def translate(context: str, text: str, disambiguation: str = "", n: int | None = None) -> str:
    """Return the text in the installed language; the context is the group of texts that it belongs to.

    Qt's tools read the arguments from the source, so context and text must be written out in the call.
    """
    return _installed[0].translate(context, text, disambiguation, n)
