"""The localization of the window: Qt's translators and the number formats of the person's own system."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale

from core.texts.localization import EnglishLocalization

_ENGLISH = EnglishLocalization()


class QtLocalization:
    """Translates with the installed translators, and formats with the default ``QLocale``."""

    is_terminal = False

    def translate(self, context: str, text: str, disambiguation: str, n: int | None) -> str:
        """Return the text in the window's language; in English where no translator knows it."""
        if n is None:
            return QCoreApplication.translate(context, text, disambiguation)
        translated = QCoreApplication.translate(context, text, disambiguation, n)
        is_untranslated = translated == text.replace("%n", str(n))
        return _ENGLISH.translate(context, text, disambiguation, n) if is_untranslated else translated

    def integer(self, value: int) -> str:
        """Return a whole number with the separators of the system."""
        return QLocale().toString(value)

    def decimal(self, value: float, digits: int) -> str:
        """Return a number with the decimal point of the system."""
        return QLocale().toString(value, "f", digits)

    def scientific(self, value: float, digits: int) -> str:
        """Return a mantissa with the decimal point of the system, and a power of ten."""
        return QLocale().toString(value, "e", digits)

    def time_of_day(self, at: float) -> str:
        """Return the time as the system writes it, with the date if it is another day."""
        when = QDateTime.fromSecsSinceEpoch(int(at))
        date, time = self.date_and_time(at)
        return QLocale().toString(when, QLocale.FormatType.ShortFormat) if date else time

    def date_and_time(self, at: float) -> tuple[str, str]:
        """Return both as the system writes them, without the date if it is today."""
        when = QDateTime.fromSecsSinceEpoch(int(at))
        short, is_today = QLocale.FormatType.ShortFormat, when.date() == QDate.currentDate()
        return "" if is_today else QLocale().toString(when.date(), short), QLocale().toString(when.time(), short)
