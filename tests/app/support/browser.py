"""A browser for tests, in place of the person's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices

_SCHEMES = ("https", "http", "file")


class Browser(QObject):
    """Opens nothing, and remembers what it was asked to open."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        """Called by Qt."""
        self.opened.append(url.toString())


@contextmanager
def installed() -> Iterator[Browser]:
    """It is asked from now on, and the person's own again at the end."""
    browser = Browser()
    for scheme in _SCHEMES:
        QDesktopServices.setUrlHandler(scheme, browser, "open")  # type: ignore[arg-type]  # PySide6's own mistake
    try:
        yield browser
    finally:
        for scheme in _SCHEMES:
            QDesktopServices.unsetUrlHandler(scheme)
