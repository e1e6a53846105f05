"""Notices above the page: what went wrong, a newer engine, a newer version of Workerbee."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject

from app.desktop.external_link import open_web_link
from app.presentation.newer_versions import installation_words
from app.shell.main_window import MainWindow
from core.errors import ErrorKind, UserError
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line, sanitize_text
from core.texts.errors import advice_of, title_of
from core.texts.worker_messages import translate_message
from core.updates.notice import UpdateNotice
from core.version import own_version

translate = QCoreApplication.translate  # lupdate knows it by this name only


class Notices(QObject):
    """Shows one notice at a time in the window's notice bar; a newer one takes the place of the one before."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._bar = window, window.notice

    def show_error(self, error: UserError) -> None:
        """Say what went wrong, and what can be done."""
        words = f"{sanitize_text(translate_message(error.detail), 1000)}\n{advice_of(error.problem)}".strip()
        self._bar.show_notice("bad", title_of(error.problem), words, error=error.problem)

    def show_internal_error(self, logs: Path) -> None:
        """Say that something unforeseen has happened, and in which folder it was logged."""
        self.show_error(UserError(ErrorKind.INTERNAL, str(logs)))

    def withdraw_error(self, error: UserError) -> None:
        """Take the notice of an error away that is over; another notice stays."""
        self._bar.withdraw(title_of(error.problem))

    def show_newer_engine(self, renew: Callable[[], None]) -> None:
        """Say that a newer engine can be installed; ``renew`` is called when the person asks for it."""
        self._bar.show_notice(
            "info",
            translate("Engine", "There is a newer training engine."),
            translate("Engine", "The one that is here works until the new one is made."),
            button=translate("Engine", "Show it"),
            action=renew,
        )

    def show_changed_run(self, name: str, look: Callable[[], None]) -> None:
        """Say that a run of the order has changed and is skipped; ``look`` shows what has changed, and asks."""
        self._bar.show_notice(
            "caution",
            fill_placeholders(
                translate("RunOrder", "“%1” has changed since you agreed to it."), sanitize_line(name, 60)
            ),
            translate("RunOrder", "It is skipped until you have looked at it. What is helped now is left for that."),
            button=translate("RunOrder", "Look at it"),
            action=look,
        )

    def show_update(self, update: UpdateNotice) -> bool:
        """Say that there is a newer Workerbee, where somebody sees it and the bar is free; whether it did."""
        if not self._window.is_seen or not self._bar.isHidden():
            return False
        words = fill_placeholders(translate("Updates", "This is %1. Nothing is downloaded by itself."), own_version())
        self._bar.show_notice(
            "info",
            fill_placeholders(translate("Updates", "Workerbee %1 is there."), update.version),
            f"{words} {installation_words(update)}".strip(),
            button=translate("Updates", "Open its page"),
            action=lambda: open_web_link(update.page),
        )
        return True
