"""The join page, connected to the session, the settings and the list of recent runs."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.controllers.catalogues.catalogue_controller import CatalogueController
from app.controllers.device_poller import DevicePoller
from app.controllers.navigator import Navigator
from app.controllers.recording_controller import RecordingController
from app.controllers.session_controller import OpenedRunFile, SessionController
from app.controllers.settings_store import SettingsStore
from app.presenters.order_presenter import OrderPresenter
from core.errors import UserError
from core.files.folders import DataFolder

if TYPE_CHECKING:
    from app.pages.join.page import JoinPage
    from app.presenters.catalogue_presenter import CataloguePresenter
    from app.run_order.controller import RunOrderController
    from core.run.address import JoinAddress


class JoinPresenter(QObject):
    """Shows the search for a run, what this computer can lend, and the recent runs.

    Attributes:
        page: the join page.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = True, True

    def __init__(
        self,
        page: JoinPage,
        session_controller: SessionController,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        recording: RecordingController,
        navigator: Navigator,
        catalogues: CatalogueController,
        run_order: RunOrderController,
        data_folder: Path,
    ) -> None:
        super().__init__(page)
        self.page = page
        self._order = OrderPresenter(page.order, run_order, session_controller, recording)
        self._session_controller, self._settings_store = session_controller, settings_store
        self._device_poller, self._recording, self._navigator = device_poller, recording, navigator
        self._data_folder, self._catalogues = data_folder, catalogues
        page.join_requested.connect(self._join)
        page.listed_run_requested.connect(self._join_listed)
        page.cancel_requested.connect(session_controller.leave)
        page.run_file_requested.connect(self.open_run_file)
        page.run_file_withdrawn.connect(self._withdraw_run_file)
        page.device_chosen.connect(lambda device: settings_store.replace(device=device))
        page.settings_requested.connect(navigator.open_settings)
        page.forget_requested.connect(self._forget_run)
        page.change_requested.connect(lambda fields: settings_store.replace(**fields))
        page.forget_key_requested.connect(self._ask_to_forget_key)

    def refresh(self) -> None:
        """Show what is so now; of a session that the person has dismissed, nothing."""
        self._show_run_file()
        self.page.show_recent(self._recording.recent_runs)
        self._order.refresh()
        is_new_here = self._recording.is_open and not self._recording.recent_runs
        self.page.show_questions(self._settings_store.settings if is_new_here else None)
        if self._device_poller.seen is not None:
            self.page.show_devices(self._device_poller.seen, self._settings_store.settings.device)
        if self._recording.is_open:
            self._catalogue_presenter.refresh()
        if not self._navigator.is_dismissed:
            self.page.show_session(self._session_controller.session)

    @cached_property
    def _catalogue_presenter(self) -> CataloguePresenter:
        from app.presenters.catalogue_presenter import CataloguePresenter

        return CataloguePresenter(self.page, self._catalogues, self._settings_store, self._device_poller)

    def open_run_file(self, path: Path) -> None:
        """Read a run file for the address on the page, until a run is started; what is wrong with it is said there."""
        from core.run.run_file import load_run_file

        try:
            self._session_controller.run_file = OpenedRunFile(path.name, load_run_file(path))
        except UserError as error:
            self._session_controller.run_file = None
            self.page.show_problem(error.problem, error.detail)
        else:
            self.page.forget_problem()
            self._navigator.show_session_page()
        self._show_run_file()

    def _show_run_file(self) -> None:
        opened = self._session_controller.run_file
        self.page.show_run_file(opened.name if opened else "", opened.manifest.run.name if opened else "")

    def _withdraw_run_file(self) -> None:
        self._session_controller.run_file = None
        self._show_run_file()

    def _join(self, address: JoinAddress) -> None:
        """Look for the run that the opened file describes, if one is; else for what is published there."""
        opened = self._session_controller.run_file
        self._session_controller.join(address, opened.manifest if opened else None)

    def _join_listed(self, address: JoinAddress) -> None:
        """Look for a run of a list, which no run file describes."""
        self._withdraw_run_file()
        self._session_controller.join(address)

    def _forget_run(self, run_id: str, organiser: str) -> None:
        self._recording.forget_run(run_id, organiser)
        self._session_controller.consents.forget(run_id, organiser)
        self.refresh()

    def _ask_to_forget_key(self, run_id: str) -> None:
        """Explain what forgetting means; the run is looked for again if the person agrees."""
        from app.pages.join.forget_key_dialog import ForgetKeyDialog
        from core.security.known_organisers import KnownOrganisers

        known = KnownOrganisers(DataFolder(self._data_folder).known_organisers_file)

        def forget() -> None:
            try:
                known.forget(run_id)
            except UserError as error:
                self.page.show_problem(error.problem, error.detail)
                return
            if (address := self.page.address) is not None:
                self._join(address)

        ForgetKeyDialog(self.page, run_id, known.organisers().get(run_id, ""), forget).open()
