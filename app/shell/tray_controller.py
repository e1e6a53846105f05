"""What the program does while its window is hidden: the tray icon, notifications, and the window's close button."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.controllers.devices.device_session import DeviceSession
from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.settings_store import SettingsStore
from app.shell.first_window import StartMode
from app.shell.main_window import MainWindow
from app.shell.tray import Tray
from core.client.session import Session

if TYPE_CHECKING:
    from app.desktop.notifier import Notifier
    from app.desktop.tray_availability import TrayHost

_PATIENCE_SECONDS = 2.0
_HOUR = 3600.0


class TrayController(QObject):
    """Connects the tray to the session, and decides what closing the window means.

    Signals:
        quit_requested: from the tray, by the window's keys, or by closing the window where that means the end.
    """

    quit_requested = Signal()

    def __init__(self, window: MainWindow, sessions: DeviceSessions, settings_store: SettingsStore) -> None:
        super().__init__(window)
        self._window, self._sessions, self._settings_store = window, sessions, settings_store
        self._host: TrayHost | None = None
        self._notifier: Notifier | None = None
        self.tray = Tray(window)
        self.tray.open_requested.connect(window.come_forward)
        self.tray.pause_requested.connect(sessions.pause)
        self.tray.resume_requested.connect(sessions.resume)
        self.tray.finish_requested.connect(sessions.finish_epoch)
        self.tray.quit_requested.connect(self.quit_requested)
        sessions.changed.connect(self.notify_of_further)
        window.quit_requested.connect(self.quit_requested)
        window.close_requested.connect(self._close_window)

    def await_tray(self, mode: StartMode) -> None:
        """Show the icon as soon as there is a panel; where there is none, show a window that was to start in the tray.

        At login the panel may come half a minute later than the program; whoever starts it by hand has one by then.
        """
        from PySide6.QtDBus import QDBusConnection

        from app.desktop.tray_availability import PATIENCE_SECONDS, TrayHost

        patience_seconds = _PATIENCE_SECONDS if mode == "tray" else PATIENCE_SECONDS
        self._host = TrayHost(QDBusConnection.sessionBus(), self, patience_seconds=patience_seconds)
        self._host.appeared.connect(self.tray.appear)
        self._host.missing.connect(self._explain_missing_tray)
        if mode == "tray":
            self._host.missing.connect(self._window.come_forward)
        elif mode == "tray_at_login":
            self._host.missing.connect(self._show_minimised)
        self._host.start()

    def refresh(self) -> None:
        """Show what is so now: the icon, its tooltip and its menu."""
        from app.controllers.devices.sentences import status_sentences

        sessions = self._sessions
        self.tray.show_sessions(
            sessions.foremost.session,
            status_sentences(sessions),
            can_pause=sessions.is_at_work,
            can_resume=sessions.is_paused,
        )

    def notify(self, before: Session, after: Session) -> None:
        """Show a notification of the desktop, unless the person looks at the window or wants none."""
        is_one_of_several = bool(self._sessions.further) and after.consent is not None
        self._notify(after.consent.device if after.consent and is_one_of_several else "", before, after)

    def notify_of_further(self, each: DeviceSession, before: Session, after: Session) -> None:
        """Show one about a further device; what all of them do at once is told by the first."""
        if after.pause is None or after.pause.reason == "rule":
            self._notify(each.label, before, after)

    def _notify(self, device: str, before: Session, after: Session) -> None:
        from app.presentation.notifications import notice_of
        from core.texts.device import short_label_of

        notice = notice_of(before, after, time.time())
        if notice is not None and self._settings_store.settings.notifications and not self._window.isActiveWindow():
            title = f"{short_label_of(device)}: {notice.title}" if device else notice.title
            self._show_notification(title, notice.words)

    def close(self) -> None:
        """Remove the icon and every notification that still waits."""
        self.tray.disappear()
        if self._notifier is not None:
            self._notifier.close()

    def _show_notification(self, title: str, words: str) -> bool:
        """Show a notification, with buttons where there is no tray to pause and quit from."""
        if self.tray.show_notification(title, words):
            return True
        if self._notifier is None:
            from app.desktop.notifier import Notifier

            self._notifier = Notifier(self)
            self._notifier.pressed.connect(self._on_button)
        buttons = {"resume": self.tr("Resume")} if self._sessions.is_paused else {}
        if self._sessions.is_at_work:
            buttons = {"pause": self.tr("Pause for an hour")}
        return self._notifier.show(title, words, {**buttons, "open": self.tr("Open"), "quit": self.tr("Quit")})

    def _on_button(self, key: str) -> None:
        match key:
            case "pause":
                self._sessions.pause(_HOUR)
            case "resume":
                self._sessions.resume()
            case "quit":
                self.quit_requested.emit()
            case _:
                self._window.come_forward()

    def _close_window(self) -> None:
        """Hide the window in the tray, minimise it where there is no tray, or quit, as the settings say."""
        if not self._settings_store.settings.close_to_tray:
            self.quit_requested.emit()
        elif self.tray.is_visible:
            self._window.hide()
            self._explain_tray()
        else:
            self._window.notice.show_notice(
                "info",
                self.tr("This desktop has no tray, so the window was only minimised."),
                self.tr("Workerbee goes on meanwhile."),
                button=self.tr("Quit Workerbee"),
                action=self.quit_requested.emit,
            )
            self._window.showMinimized()
            title = self.tr("Workerbee is still here")
            self._show_notification(
                title,
                self.tr(
                    "This desktop has no tray; these buttons, the menu of programs and the "
                    "terminal (workerbee pause) reach it."
                ),
            )

    def _explain_tray(self) -> None:
        """Say where the window has gone, once for each person."""
        if not self._settings_store.settings.is_tray_explained:
            title = self.tr("Workerbee is still here")
            words = self.tr("Its icon in the panel opens the window again, pauses and quits.")
            if self.tray.show_notification(title, words):
                self._settings_store.replace(is_tray_explained=True)

    def _explain_missing_tray(self) -> None:
        """Say how to reach Workerbee without a tray, once for each person, where the notice bar is free."""
        if self._settings_store.settings.is_tray_explained or not self._window.notice.isHidden():
            return
        self._settings_store.replace(is_tray_explained=True)
        self._window.notice.show_notice(
            "info",
            self.tr("This desktop has no tray."),
            self.tr(
                "Closing the window minimises it, and Workerbee goes on. To pause, resume and quit, use its "
                "notifications, a right click on Workerbee in the menu of programs, or a terminal: workerbee pause."
            ),
        )

    def _show_minimised(self) -> None:
        if not self._window.isVisible():
            self._window.showMinimized()
