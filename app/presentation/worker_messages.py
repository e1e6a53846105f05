"""What the worker says, in the window's language; what this window has never heard stays English."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.placeholders import fill_placeholders
from core.protocol.localizable import LocalizedText


def said(localized: LocalizedText) -> str:
    """The sentence with its blanks filled; nothing where nothing is said."""
    if not localized:
        return ""
    sentence = QCoreApplication.translate("Worker", localized.sentence)
    return fill_placeholders(
        sentence, *(said(each) if isinstance(each, LocalizedText) else each for each in localized.blanks)
    )
