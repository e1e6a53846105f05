"""Another language for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtGui import QGuiApplication

from app.appearance.language import Language


@contextmanager
def speaking(choice: str) -> Iterator[None]:
    """The window's language within it; afterwards the code's own, and numbers as they were."""
    application = QCoreApplication.instance()
    assert application is not None
    before, direction = QLocale(), QGuiApplication.layoutDirection()
    language = Language(application)
    language.choose(choice)
    yield
    del language  # and its translators with it, which Qt then forgets
    QLocale.setDefault(before)
    QGuiApplication.setLayoutDirection(direction)
