"""What the worker says, in the window's language; what this window has never heard stays English."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.placeholders import filled
from core.protocol.localizable import Remark


def said(remark: Remark) -> str:
    """The sentence with its blanks filled; nothing where nothing is said."""
    if not remark:
        return ""
    sentence = QCoreApplication.translate("Worker", remark.sentence)
    return filled(sentence, *(said(each) if isinstance(each, Remark) else each for each in remark.blanks))
