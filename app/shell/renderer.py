"""The renderer of the window: it shows the page that is due, with its newest contents and title."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.navigator import Navigator
from app.controllers.organiser.fleet_watcher import FleetWatcher
from app.desktop.announcer import Announcer
from app.presentation.window_title import PROGRAM, announcement, window_title
from app.shell.main_window import MainWindow
from app.shell.page_factory import PageFactory
from app.widgets.idle_queue import IdleQueue


class WindowRenderer(QObject):
    """Shows the page that the navigator names, and on it what is so; what nobody sees is not drawn.

    ``render`` is the one entry: whoever has changed something calls it, and the clock does once a second.
    """

    def __init__(
        self,
        window: MainWindow,
        pages: PageFactory,
        navigator: Navigator,
        device_sessions: DeviceSessions,
        fleet_watcher: FleetWatcher,
    ) -> None:
        super().__init__(window)
        self._window, self._pages, self._fleet_watcher = window, pages, fleet_watcher
        self._navigator, self._device_sessions = navigator, device_sessions
        self._idle_queue = IdleQueue(self)
        self._announcer = Announcer(window)

    def render(self) -> None:
        """Draw the window as it should be now."""
        name = self._navigator.page_name
        presenter = self._pages[name]
        if self._window.page is not presenter.page:
            self._window.show_page(
                presenter.page,
                offers_settings=presenter.offers_settings,
                offers_help=presenter.offers_help,
                offers_contributions=name != "contributions",
            )
            self._prepare_next(name == "review")
        self._window.header.offer_settings(presenter.offers_settings)  # which the first picture of all does not
        self._window.header.offer_organise(name != "organise" and self._fleet_watcher.is_of_use)
        self._show_title()
        if self._window.is_seen:
            presenter.refresh()

    def retranslate(self) -> None:
        """Make the pages anew after another language was chosen; an address that was pasted stays.

        So does the person's place in the settings, where it was chosen.
        """
        address = self._pages.join.page.form.field.toPlainText()
        for page in self._pages.discard_translated():
            self._window.remove_page(page)
        self._pages.refresh_made()
        if address:
            self._pages.join.page.fill_address(address)
        if self._navigator.page_name == "settings":
            self._navigator.open_settings("language")
        self.render()

    def _show_title(self) -> None:
        """Say what the sessions of all devices do, on the frame and to a screen reader."""
        first = self._device_sessions.first.session
        further = [(each.label, each.session) for each in self._device_sessions.further]
        is_dismissed = self._navigator.is_dismissed
        self._window.show_title(PROGRAM if is_dismissed else window_title(first, further))
        self._announcer.announce("" if is_dismissed else announcement(first, further))

    def _prepare_next(self, is_in_review: bool) -> None:
        """Make the training page while a person reads the review; elsewhere a dry run is of no use."""
        if not is_in_review:
            self._device_sessions.first.dry_runs.stop()
            return
        for number, step in enumerate(self._pages.preparation_of_training()):
            self._idle_queue.submit(number, step)
        self._idle_queue.submit("add", lambda: self._window.add_page(self._pages.training.page))
