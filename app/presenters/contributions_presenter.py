"""The page of contributions, connected to the recorder and the settings."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject

from app.controllers.navigator import Navigator
from app.controllers.recording_controller import RecordingController
from app.controllers.settings_store import SettingsStore
from app.pages.contributions.page import ContributionsPage
from core.records.contribution_report import Tariff
from core.records.settings import Settings

_REFRESH_SECONDS = 5.0


class ContributionsPresenter(QObject):
    """Shows what this computer has given, while it goes on giving.

    Attributes:
        page: the page of contributions.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = True, True

    def __init__(self, recording: RecordingController, settings_store: SettingsStore, navigator: Navigator) -> None:
        page = ContributionsPage()
        super().__init__(page)
        self.page = page
        self._recording, self._settings_store = recording, settings_store
        self._shown_at = -_REFRESH_SECONDS
        self._settings: Settings | None = None
        page.back_requested.connect(navigator.go_back)
        page.settings_requested.connect(lambda: navigator.open_settings("price"))
        self.refresh()  # before the page is shown, which puts the focus on what there is then

    def refresh(self) -> None:
        """Show what is so now; every few seconds, and at once after a change of the settings."""
        settings, now = self._settings_store.settings, time.monotonic()
        if settings is self._settings and now - self._shown_at < _REFRESH_SECONDS:
            return
        self._settings, self._shown_at = settings, now
        given = self._recording.contributions_by_day()
        self.page.show_contributions(given, Tariff.of(settings), settings.public_name or "")
        self.page.receipts.show_receipts(self._recording.receipts())
