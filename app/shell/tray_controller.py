"""How the program is there while its window is not: the tray, its words, and what the window's cross does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.shell.main_window import Window
from app.shell.tray import Tray
from core.client.session import Session

if TYPE_CHECKING:
    from app.desktop.tray_availability import TrayHost


class TrayController(QObject):
    """``quit_requested`` comes from the tray, from the window's keys, or from a cross that means it."""

    quit_requested = Signal()

    def __init__(self, window: Window, helm: SessionController, choices: SettingsStore) -> None:
        super().__init__(window)
        self._window, self._helm, self._choices = window, helm, choices
        self._host: TrayHost | None = None
        self.tray = Tray(window)
        self.tray.open_requested.connect(window.come_forward)
        self.tray.pause_requested.connect(helm.pause)
        self.tray.resume_requested.connect(helm.resume)
        self.tray.finish_requested.connect(helm.finish_epoch)
        self.tray.quit_requested.connect(self.quit_requested)
        window.quit_requested.connect(self.quit_requested)
        window.close_requested.connect(self._close)

    def await_tray(self, *, is_minimised: bool) -> None:
        """Have an icon as soon as there is a panel; who began without a window gets one if there is none."""
        from PySide6.QtDBus import QDBusConnection

        from app.desktop.tray_availability import TrayHost

        self._host = TrayHost(QDBusConnection.sessionBus(), self)
        self._host.appeared.connect(self.tray.appear)
        if is_minimised:
            self._host.missing.connect(self._show_minimised)
        self._host.wait()

    def show(self) -> None:
        """How things are."""
        from core.texts.status import status

        session = self._helm.session
        self.tray.show_session(session, status(session, self._helm.moments, time.time()))

    def notify(self, before: Session, after: Session) -> None:
        """Through the desktop, unless the person is looking at the window or wants none of it."""
        from app.presentation.notifications import notice_of

        notice = notice_of(before, after, time.time())
        if notice is not None and self._choices.settings.notifications and not self._window.isActiveWindow():
            self.tray.say(notice.title, notice.words)

    def _close(self) -> None:
        """The window's cross: to the tray, or to the task bar, or the end."""
        if not self._choices.settings.close_to_tray:
            self.quit_requested.emit()
        elif self.tray.is_there:
            self._window.hide()
            self._explain_tray()
        else:
            self._window.notice.say(
                "info",
                self.tr("This desktop has no tray, so the window was only minimised."),
                self.tr("Workerbee goes on meanwhile."),
                button=self.tr("Quit Workerbee"),
                action=self.quit_requested.emit,
            )
            self._window.showMinimized()

    def _explain_tray(self) -> None:
        """Once in a lifetime."""
        if not self._choices.settings.is_tray_explained:
            title = self.tr("Workerbee is still here")
            words = self.tr("Its icon in the panel opens the window again, pauses and quits.")
            if self.tray.say(title, words):
                self._choices.replace(is_tray_explained=True)

    def _show_minimised(self) -> None:
        if not self._window.isVisible():
            self._window.showMinimized()
