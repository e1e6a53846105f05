"""The training page, connected to the session, the recorder and the devices."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from app.controllers.device_poller import DevicePoller
from app.controllers.devices.device_session import DeviceSession
from app.controllers.devices.device_sessions import AnySession, DeviceSessions
from app.controllers.devices.sentences import label_of_session
from app.controllers.engine_controller import EngineController
from app.controllers.navigator import Navigator
from app.controllers.recording_controller import RecordingController
from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from app.desktop.external_link import open_file
from app.pages.training.page import TrainingPage
from app.presentation.error_actions import remedy_of
from app.presenters.order_presenter import OrderPresenter
from core.client.session import Session
from core.client.traffic_share import TrafficShare
from core.errors import ErrorKind
from core.observers.network_counters import interface_bytes
from core.protocol.events import Progress
from core.texts.run_order import status_with_run

if TYPE_CHECKING:
    from app.run_order.controller import RunOrderController
    from core.protocol.client_events import ClientEvent
    from core.records.time_series import Series


class TrainingPresenter(QObject):
    """Shows the run that this computer trains in; its log and its sparklines go on while it is hidden.

    Attributes:
        page: the training page.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = True, True

    def __init__(
        self,
        session_controller: SessionController,
        device_sessions: DeviceSessions,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        recording: RecordingController,
        engine_controller: EngineController,
        navigator: Navigator,
        run_order: RunOrderController,
        bridge: Bridge,
    ) -> None:
        page = TrainingPage(recording)
        super().__init__(page)
        self.page = page
        self._session_controller, self._settings_store = session_controller, settings_store
        self._device_sessions, self._chosen, self._reports = device_sessions, "", dict[str, Progress]()
        self._device_poller, self._recording, self._rated_run = device_poller, recording, ("", "")
        self._engine_controller, self._navigator, self._traffic_share = engine_controller, navigator, TrafficShare()
        self._order = OrderPresenter(page.order, run_order, session_controller, recording)
        settings = settings_store.settings
        page.choose_graphs(settings.graph_period, cast("tuple[Series, ...]", settings.graph_curves))
        bridge.event_arrived.connect(self._log)
        session_controller.changed.connect(self._remember_rates)
        device_sessions.told.connect(self._log_further)
        device_sessions.changed.connect(self._remember_rates_of_further)
        page.devices.device_chosen.connect(self._choose_device)
        page.pause_requested.connect(lambda seconds: self._shown.pause(seconds))
        page.resume_requested.connect(lambda: self._shown.resume())
        page.ignore_requested.connect(lambda: self._shown.ignore_reason())
        page.finish_requested.connect(lambda: self._shown.finish_epoch())
        page.network_test_requested.connect(lambda: self._shown.test_network())
        page.leave_requested.connect(navigator.leave)
        page.advice_requested.connect(self._follow_advice)
        page.graphs_chosen.connect(self._keep_graphs)

    def refresh(self) -> None:
        """Show what is so now."""
        if self._device_poller.seen is not None:
            self.page.show_devices(self._device_poller.seen, self._settings_store.settings.device)
        shown, now, parts = self._shown, time.time(), self._device_sessions.all
        further_device = shown.label if isinstance(shown, DeviceSession) else ""
        self._recording.show_further_device(further_device)
        sentences = [(label_of_session(each), status_with_run(each.session, each.timestamps, now)) for each in parts]
        self._keep_traffic_share(parts)
        self.page.devices.show_devices(sentences, label_of_session(shown))
        self.page.show_session(shown.session, shown.timestamps, now, further_device)
        self.page.show_contributions(*self._recording.contributions())
        self.page.refresh_graphs()
        self._order.refresh()

    def _keep_traffic_share(self, parts: Sequence[AnySession]) -> None:
        """Compare new reports of all devices of the run with what the network's interfaces have counted by now."""
        at_work = {label_of_session(each): each.session.progress for each in parts if each.session.phase == "training"}
        reports = {label: progress for label, progress in at_work.items() if progress is not None}
        if reports == self._reports and reports:
            return
        self._reports = reports
        self._traffic_share.note(reports, interface_bytes() if reports else None, time.monotonic())
        self.page.keep_traffic_share(self._traffic_share.share)

    @property
    def _shown(self) -> AnySession:
        """The session that the page shows: of the device that was chosen, while that is part of the run."""
        further = self._device_sessions.further
        return next((each for each in further if each.label == self._chosen), self._session_controller)

    def _choose_device(self, label: str) -> None:
        self._chosen = label
        self.refresh()

    def _log_further(self, each: DeviceSession, event: ClientEvent) -> None:
        self.page.show_event(event, time.time(), each.label)

    def _remember_rates_of_further(self, each: DeviceSession, before: Session, after: Session) -> None:
        if after.progress is not before.progress:
            self.page.add_progress(after.progress, each.label)

    def _log(self, event: ClientEvent) -> None:
        self.page.show_event(event, time.time())

    def _remember_rates(self, before: Session, after: Session) -> None:
        consent = after.consent
        if consent is not None and (consent.run_id, consent.organiser) != self._rated_run:
            self._rated_run = (consent.run_id, consent.organiser)
            self.page.forget_rates()
        elif after.progress is not before.progress:
            self.page.add_progress(after.progress)

    def _keep_graphs(self, period: str, curves: tuple[str, ...]) -> None:
        self._settings_store.replace(graph_period=period, graph_curves=tuple(curves))

    def _follow_advice(self, problem_key: str) -> None:
        """Do what the button beside an error says."""
        match remedy_of(ErrorKind.from_key(problem_key)):
            case "again":
                self._shown.join_again()
            case "back":
                self._navigator.leave()
            case "settings":
                self._navigator.open_settings()
            case "engine":
                self._navigator.leave()
                self._engine_controller.renew()
            case "log":
                open_file(self._shown.client.log_file)
