"""Links and files opened in another program; of the links that strangers wrote, only ordinary ones to the web."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def web_link(text: str, schemes: Collection[str] = ("https",)) -> str:
    """The link as a browser is given it; empty where it has another scheme, no host, or a user name before the host."""
    url = QUrl(text, QUrl.ParsingMode.StrictMode)
    if not url.isValid() or url.scheme() not in schemes or not url.host() or url.userInfo():
        return ""
    return bytes(url.toEncoded().data()).decode("ascii")


def open_web_link(text: str) -> None:
    """Open a link in the browser if it begins with https; do nothing otherwise."""
    link = web_link(text)
    if link:
        QDesktopServices.openUrl(QUrl(link))


def open_file(path: Path) -> None:
    """Open a file of ours in the program that the desktop has for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
