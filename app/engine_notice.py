"""What stands above the page when there is a newer engine than the one that is here."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from app.widgets.notice_bar import NoticeBar

translate = QCoreApplication.translate  # lupdate knows it by this name only


def say_newer(notice: NoticeBar, renew: Callable[[], None]) -> None:
    """With a button that shows it."""
    notice.say(
        "info",
        translate("Engine", "There is a newer training engine."),
        translate("Engine", "The one that is here works until the new one is made."),
        button=translate("Engine", "Show it"),
        action=renew,
    )
