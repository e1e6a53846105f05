"""The pages of the window, each made with its presenter when it is first needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from app.controllers.availability_controller import AvailabilityController
from app.controllers.catalogues.catalogue_controller import CatalogueController
from app.controllers.device_poller import DevicePoller
from app.controllers.devices.device_sessions import DeviceSessions
from app.controllers.engine_controller import EngineController
from app.controllers.navigator import Navigator, PageName
from app.controllers.organiser.exporter import ModelExporter
from app.controllers.organiser.fleet_watcher import FleetWatcher
from app.controllers.recording_controller import RecordingController
from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from app.pages.join.page import JoinPage
from app.presenters.join_presenter import JoinPresenter
from app.run_order.controller import RunOrderController

if TYPE_CHECKING:
    from app.presenters.contributions_presenter import ContributionsPresenter
    from app.presenters.engine_presenter import EnginePresenter
    from app.presenters.help_presenter import HelpPresenter
    from app.presenters.organise_presenter import OrganisePresenter
    from app.presenters.review_presenter import ReviewPresenter
    from app.presenters.settings_presenter import SettingsPresenter
    from app.presenters.training_presenter import TrainingPresenter
    from core.files.folders import Folders
    from core.updates.notice import UpdateNotice

_Presenter = TypeVar("_Presenter", bound="Presenter")


class Presenter(Protocol):
    """What the window needs of each page: the widget, and one call that shows on it what is so."""

    @property
    def page(self) -> QWidget: ...

    @property
    def offers_settings(self) -> bool: ...

    @property
    def offers_help(self) -> bool: ...

    def refresh(self) -> None: ...


class PageFactory:
    """Makes presenters and pages on demand, since loading all of them would make the window's start slower."""

    def __init__(
        self,
        join_page: JoinPage,
        *,
        session_controller: SessionController,
        device_sessions: DeviceSessions,
        engine_controller: EngineController,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        availability: AvailabilityController,
        recording: RecordingController,
        fleet_watcher: FleetWatcher,
        exporter: ModelExporter,
        navigator: Navigator,
        catalogues: CatalogueController,
        run_order: RunOrderController,
        bridge: Bridge,
        folders: Folders,
        newest_version: Callable[[], UpdateNotice | None],
        erase_data: Callable[[], None],
    ) -> None:
        """``join_page`` was shown before anything behind it had been loaded."""
        self._session_controller, self._engine_controller = session_controller, engine_controller
        self._device_sessions = device_sessions
        self._settings_store, self._device_poller = settings_store, device_poller
        self._availability, self._recording = availability, recording
        self._fleet_watcher, self._exporter = fleet_watcher, exporter
        self._navigator, self._catalogues = navigator, catalogues
        self._run_order, self._bridge = run_order, bridge
        self._folders, self._newest_version, self._erase_data = folders, newest_version, erase_data
        self._made: dict[PageName, Presenter] = {"join": self._join_presenter(join_page)}

    def __getitem__(self, name: PageName) -> Presenter:
        """The presenter of that page."""
        match name:
            case "join":
                return self.join
            case "engine":
                return self.engine
            case "review":
                return self.review
            case "training":
                return self.training
            case "settings":
                return self.settings
            case "contributions":
                return self.contributions
            case "organise":
                return self.organise
            case "help":
                return self.help

    @property
    def join(self) -> JoinPresenter:
        """The page on which an address is pasted."""
        return self._get("join", lambda: self._join_presenter(JoinPage()))

    @property
    def engine(self) -> EnginePresenter:
        """The page before all others, on a computer where there is nothing yet that could train."""
        return self._get("engine", self._engine_presenter)

    @property
    def review(self) -> ReviewPresenter:
        """The page on which a run is looked at and agreed to."""
        return self._get("review", self._review_presenter)

    @property
    def training(self) -> TrainingPresenter:
        """The page of the run in which this computer trains."""
        return self._get("training", self._training_presenter)

    @property
    def settings(self) -> SettingsPresenter:
        """The page of the settings, beside the others."""
        return self._get("settings", self._settings_presenter)

    @property
    def contributions(self) -> ContributionsPresenter:
        """The page of what was given, beside the others."""
        return self._get("contributions", self._contributions_presenter)

    @property
    def organise(self) -> OrganisePresenter:
        """The page of an organiser, beside the others."""
        return self._get("organise", self._organise_presenter)

    @property
    def help(self) -> HelpPresenter:
        """The page of the documents, beside the others."""
        return self._get("help", self._help_presenter)

    def preparation_of_training(self) -> tuple[Callable[[], object], ...]:
        """The steps in which the training page can be made while a person reads: at once they take too long."""
        return (
            lambda: importlib.import_module("app.presenters.training_presenter"),
            lambda: self.training,
        )

    def discard_translated(self) -> list[QWidget]:
        """Forget the pages whose texts are in the language in which they were made; the pages that were forgotten.

        The training page translates itself, and keeps its log.
        """
        names = [name for name in self._made if name != "training"]
        return [self._made.pop(name).page for name in names]

    def refresh_made(self) -> None:
        """Have each page that there is show what is so now, also those that are not on the screen."""
        for presenter in self._made.values():
            presenter.refresh()

    def close(self) -> None:
        """Delete the pages, of which the window may not have been given each."""
        for presenter in self._made.values():
            presenter.page.deleteLater()

    def _get(self, name: PageName, make: Callable[[], _Presenter]) -> _Presenter:
        if name not in self._made:
            self._made[name] = make()
        presenter: _Presenter = self._made[name]  # type: ignore[assignment]
        return presenter

    def _join_presenter(self, page: JoinPage) -> JoinPresenter:
        return JoinPresenter(
            page,
            self._session_controller,
            self._settings_store,
            self._device_poller,
            self._recording,
            self._navigator,
            self._catalogues,
            self._run_order,
            self._folders.data,
        )

    def _engine_presenter(self) -> EnginePresenter:
        from app.presenters.engine_presenter import EnginePresenter

        return EnginePresenter(self._engine_controller)

    def _contributions_presenter(self) -> ContributionsPresenter:
        from app.presenters.contributions_presenter import ContributionsPresenter

        return ContributionsPresenter(self._recording, self._settings_store, self._navigator)

    def _organise_presenter(self) -> OrganisePresenter:
        from app.presenters.organise_presenter import OrganisePresenter

        return OrganisePresenter(self._fleet_watcher, self._exporter, self._navigator, self._folders)

    def _help_presenter(self) -> HelpPresenter:
        from app.presenters.help_presenter import HelpPresenter

        return HelpPresenter(self._navigator, self._folders, self._device_poller, lambda: self._availability.sources)

    def _review_presenter(self) -> ReviewPresenter:
        from app.presenters.review_presenter import ReviewPresenter

        return ReviewPresenter(
            self._session_controller,
            self._device_sessions,
            self._settings_store,
            self._device_poller,
            self._fleet_watcher,
            self._navigator,
            self._run_order,
            self._folders.data,
        )

    def _training_presenter(self) -> TrainingPresenter:
        from app.presenters.training_presenter import TrainingPresenter

        return TrainingPresenter(
            self._session_controller,
            self._device_sessions,
            self._settings_store,
            self._device_poller,
            self._recording,
            self._engine_controller,
            self._navigator,
            self._run_order,
            self._bridge,
        )

    def _settings_presenter(self) -> SettingsPresenter:
        from app.presenters.settings_presenter import SettingsPresenter

        return SettingsPresenter(
            self._settings_store,
            self._device_poller,
            self._availability,
            self._navigator,
            self._catalogues,
            self._newest_version,
            self._erase_data,
        )
