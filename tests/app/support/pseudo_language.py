"""A language that nobody speaks, with longer words, accents on them, and lines from right to left.

Pseudo-localisation finds what is cut off, and what is not translated, before anybody translates. It stands for
languages that are not there yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from PySide6.QtCore import QCoreApplication, Qt, QTranslator
from PySide6.QtGui import QGuiApplication

_ACCENTED = str.maketrans("aceinosuzACEINOSUZ", "áçéíñôšüžÁÇÉÍÑÔŠÜŽ")
_KEPT = re.compile(r"(%[n1-9]|<[^>]*>|&\w)")  # blanks, tags, and letters for the keyboard
LONGER = 1.3
"""So much longer than English are translations of short texts that are usual in a window."""


class PseudoTranslator(QTranslator):
    """Translates every text into itself, with accents and some more letters."""

    def isEmpty(self) -> bool:  # noqa: N802
        return False

    def translate(self, _context: str, text: str, _comment: str | None = None, n: int = -1) -> str:
        return pseudo(text.replace("(s)", "" if n == 1 else "s"))


@cache
def pseudo(text: str) -> str:
    """The text in that language; each word grows by itself, as words do, so lines can be broken as before."""
    return "".join(part if _KEPT.fullmatch(part) else _words(part) for part in _KEPT.split(text))


def _words(text: str) -> str:
    return re.sub(r"[^\W\d_]{3,}", lambda found: _longer(found[0]).translate(_ACCENTED), text)


def _longer(word: str) -> str:
    more = round(len(word) * (LONGER - 1))
    return word + word[-1] * more


@contextmanager
def speaking_pseudo(direction: Qt.LayoutDirection) -> Iterator[None]:
    """The window's language within it, with lines of that direction."""
    application = QCoreApplication.instance()
    assert application is not None
    translator, before = PseudoTranslator(), QGuiApplication.layoutDirection()
    application.installTranslator(translator)
    QGuiApplication.setLayoutDirection(direction)
    yield
    application.removeTranslator(translator)
    QGuiApplication.setLayoutDirection(before)
