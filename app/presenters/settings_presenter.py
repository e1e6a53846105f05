"""The settings page, connected to the settings and to what is known of newer versions."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject

from app.controllers.availability_controller import AvailabilityController
from app.controllers.catalogues.catalogue_controller import CatalogueController
from app.controllers.device_poller import DevicePoller
from app.controllers.navigator import Navigator
from app.controllers.settings_store import SettingsStore
from app.pages.settings.page import SettingsPage
from core.errors import UserError
from core.records.settings import Settings
from core.updates.notice import UpdateNotice

_HISTORY_DAYS, _HISTORY_SECONDS = 7.0, 10.0


class SettingsPresenter(QObject):
    """Shows the settings and passes on each change.

    Attributes:
        page: the settings page.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = False, True

    def __init__(
        self,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        availability: AvailabilityController,
        navigator: Navigator,
        catalogues: CatalogueController,
        newest_version: Callable[[], UpdateNotice | None],
        erase_data: Callable[[], None],
    ) -> None:
        """``newest_version`` returns a version newer than this one, if one is known; ``erase_data`` asks first."""
        page = SettingsPage()
        super().__init__(page)
        self.page = page
        self._settings_store, self._device_poller = settings_store, device_poller
        self._availability, self._newest_version = availability, newest_version
        self._navigator, self._catalogues = navigator, catalogues
        self._shown: Settings | None = None
        self._history_read_at = -_HISTORY_SECONDS
        page.settings_changed.connect(settings_store.change)
        page.back_requested.connect(navigator.go_back)
        page.availability.ignore_requested.connect(availability.ignore_today)
        page.availability.heed_requested.connect(availability.stop_ignoring)
        page.removal_requested.connect(erase_data)
        page.catalogues.remove_requested.connect(catalogues.remove)
        catalogues.changed.connect(self._show_catalogues)
        catalogues.failed.connect(self._show_error)
        if settings_store.error is not None:
            self._show_error(settings_store.error)

    def refresh(self) -> None:
        """Show what is so now; settings only where they are others, since a person may be typing one."""
        settings = self._settings_store.settings
        if settings is not self._shown:
            self._shown = settings
            self.page.show_settings(settings)
        if self._device_poller.seen is not None:
            self.page.show_devices(self._device_poller.seen)
        self.page.availability.show_sights(*self._availability.look(), self._availability.sources)
        self.page.pace.show_sights(*self._availability.look_at_pace())
        if time.monotonic() - self._history_read_at >= _HISTORY_SECONDS:
            self._history_read_at = time.monotonic()
            self.page.availability.show_pauses(self._availability.last_pauses(_HISTORY_DAYS))
        self._show_catalogues()
        self.page.updates.show_newer(self._newest_version())
        match self._navigator.take_wanted_setting():
            case "price":
                self.page.go_to(self.page.electricity.price)
            case "language":
                self.page.go_to(self.page.window_behaviour.language)
            case None:
                pass

    def _show_catalogues(self) -> None:
        self.page.catalogues.show_catalogues(self._catalogues.known)

    def _show_error(self, error: UserError) -> None:
        self.page.show_problem(error.problem, error.detail)
