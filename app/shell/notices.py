"""Notices above the page: a newer engine, a newer version of Workerbee."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from app.desktop.external_link import open_web_link
from app.widgets.notice_bar import NoticeBar
from core.placeholders import fill_placeholders
from core.updates.notice import UpdateNotice
from core.version import own_version

translate = QCoreApplication.translate  # lupdate knows it by this name only


def show_engine_notice(notice: NoticeBar, renew: Callable[[], None]) -> None:
    """Say that a newer engine can be installed; ``renew`` is called when the person asks for it."""
    notice.say(
        "info",
        translate("Engine", "There is a newer training engine."),
        translate("Engine", "The one that is here works until the new one is made."),
        button=translate("Engine", "Show it"),
        action=renew,
    )


def show_update_notice(notice: NoticeBar, update: UpdateNotice) -> None:
    """Say that there is a newer Workerbee, with a button that opens its web page."""
    notice.say(
        "info",
        fill_placeholders(translate("Updates", "Workerbee %1 is there."), update.version),
        fill_placeholders(translate("Updates", "This is %1. Nothing is downloaded by itself."), own_version()),
        button=translate("Updates", "Open its page"),
        action=lambda: open_web_link(update.page),
    )
