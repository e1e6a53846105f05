"""The review page, connected to the session, its dry run and the devices."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.controllers.device_poller import DevicePoller
from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.navigator import Navigator
from app.controllers.organiser.fleet_watcher import FleetWatcher
from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.pages.review.page import ReviewPage
from app.run_order.controller import RunOrderController
from core.files.disk_space import free_space
from core.protocol.commands import Join
from core.protocol.events import RunFound
from core.run.address import JoinAddress


class ReviewPresenter(QObject):
    """Shows the run that was found, and whether it fits this computer.

    Attributes:
        page: the review page.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = True, True

    def __init__(
        self,
        session_controller: SessionController,
        device_sessions: DeviceSessions,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        fleet_watcher: FleetWatcher,
        navigator: Navigator,
        run_order: RunOrderController,
        data_folder: Path,
    ) -> None:
        page = ReviewPage()
        super().__init__(page)
        self.page = page
        self._session_controller, self._settings_store = session_controller, settings_store
        self._device_sessions = device_sessions
        self._device_poller, self._data_folder = device_poller, data_folder
        self._run_order, self._fleet_watcher, self._navigator = run_order, fleet_watcher, navigator
        page.opened.connect(self._measure_disk)
        page.start_requested.connect(session_controller.start)
        page.dry_run_requested.connect(session_controller.request_dry_run)
        page.further_devices_chosen.connect(device_sessions.choose)
        page.later_requested.connect(self._help_later)
        page.watch_requested.connect(self._watch)
        page.back_requested.connect(navigator.go_back)

    def refresh(self) -> None:
        """Show what is so now."""
        settings = self._settings_store.settings
        self.page.show_settings(settings)
        if self._device_poller.seen is not None:
            self.page.show_devices(self._device_poller.seen, self._session_controller.device_wish)
        self.page.show_further_devices(self._device_sessions.chosen)
        self.page.show_session(self._session_controller.session)
        run = self.page.run
        self.page.show_agreed(self._session_controller.agreed_manifest(run) if run is not None else None)
        self.page.show_dry_run(self._session_controller.dry_runs.session)

    def _help_later(self, run: RunFound) -> None:
        """Put the run at the end of the order, and go back to the page before."""
        self._run_order.add_found(run)
        self._navigator.go_back()

    def _measure_disk(self) -> None:
        """Measure the free space when the page is opened, and not each second: it may take a walk over the disk."""
        limit_bytes = self._settings_store.settings.disk_limit_bytes
        self.page.show_disk(free_space(self._data_folder, limit_bytes))

    def _watch(self, run: RunFound) -> None:
        """Watch the peers of the run that was found, at the address at which it was."""
        opening = self._session_controller.session.opening
        if isinstance(opening, Join):
            self._fleet_watcher.watch(JoinAddress(peers=opening.addresses, run_id=run.manifest.run.id))
            self._navigator.open_organise()
