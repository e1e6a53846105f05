"""Links that others wrote: only ordinary ones to the web are ever opened."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def web_link(text: str, schemes: Collection[str] = ("https",)) -> str:
    """As a browser is given it; nothing where it is of another kind, or something is disguised in it."""
    url = QUrl(text, QUrl.ParsingMode.StrictMode)
    if not url.isValid() or url.scheme() not in schemes or not url.host() or url.userInfo():
        return ""
    return bytes(url.toEncoded().data()).decode("ascii")


def open_web_link(text: str) -> None:
    """In the browser, if it begins with https."""
    link = web_link(text)
    if link:
        QDesktopServices.openUrl(QUrl(link))
