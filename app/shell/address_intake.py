"""Addresses and run files that come from outside: links, drops, the clipboard, and a second start."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.navigator import Navigator
from app.desktop.launch_request import LaunchRequest
from app.shell.main_window import MainWindow
from app.shell.page_factory import PageFactory


class AddressIntake(QObject):
    """Puts what comes from outside into the join page, where it waits: joining takes a click."""

    def __init__(
        self, window: MainWindow, pages: PageFactory, navigator: Navigator, device_sessions: DeviceSessions
    ) -> None:
        super().__init__(window)
        self._window, self._pages = window, pages
        self._navigator, self._device_sessions = navigator, device_sessions
        window.text_dropped.connect(self.fill_address)
        window.run_file_dropped.connect(self.open_run_file)

    def open(self, request: LaunchRequest) -> None:
        """Take the link or the run file that the program was started with."""
        if request.link:
            self.fill_address(request.link)
        if request.run_file:
            self.open_run_file(Path(request.run_file))

    def receive(self, request: LaunchRequest) -> None:
        """Take what a second start has delivered, and show the window as that one would have."""
        if request.activation:
            os.environ["XDG_ACTIVATION_TOKEN"] = request.activation
        self.open(request)
        if not request.is_minimised:
            self._window.come_forward()

    def fill_address(self, text: str) -> None:
        """Put a text into the address field; while a run goes on, a notice says that it waits there."""
        self._pages.join.page.fill_address(text)
        if not self._goes_to_join_page():
            title = self.tr("An address was handed over.")
            words = self.tr("It waits on the first page until this run is left.")
            self._window.notice.show_notice("info", title, words)

    def open_run_file(self, path: Path) -> None:
        """Read a run file on the join page; while a run goes on, a notice says that it was not opened."""
        if self._goes_to_join_page():
            self._pages.join.open_run_file(path)
        else:
            title = self.tr("A run file was handed over.")
            words = self.tr("It was not opened: that is possible on the first page, once this run is left.")
            self._window.notice.show_notice("info", title, words)

    def _goes_to_join_page(self) -> bool:
        """Go there, away from a run that is looked for or looked at; false where one goes on, which is shown then."""
        sessions = self._device_sessions
        has_run = sessions.first.session.consent is not None and not sessions.is_over
        if not has_run:
            self._navigator.leave()
        self._navigator.show_session_page()
        return not has_run

    def offer_clipboard(self) -> None:
        """Offer the address on the clipboard while somebody looks at the join page; it is not taken by itself."""
        is_joining = self._navigator.page_name == "join" and self._device_sessions.is_over
        if self._window.is_seen and is_joining:
            self._pages.join.page.offer_clipboard(QGuiApplication.clipboard().text())

    def on_application_state(self, state: Qt.ApplicationState) -> None:
        """Offer the clipboard to whoever comes back from another program."""
        if state is Qt.ApplicationState.ApplicationActive:
            self.offer_clipboard()
