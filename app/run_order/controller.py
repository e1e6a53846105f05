"""The order of runs in the window: what a person orders, and which run is helped; main thread only."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.controllers.device_poller import DevicePoller
from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from core.client.session import Session
from core.errors import UserError
from core.files.folders import Folders
from core.hardware.discovery import choose_device
from core.protocol.client_events import EarlierRunReopened, RunContinued
from core.protocol.commands import Join
from core.protocol.events import RunFound
from core.records.recent_runs import RecentRun
from core.records.unfinished_run import UnfinishedRun
from core.run.address import JoinAddress, peer_ids_of
from core.run_order.director import Computer, OrderDirector
from core.run_order.engine import RunKey
from core.run_order.obstacle import PATIENCE_SECONDS, ObstacleWatch
from core.run_order.order import OrderedRun, RunOrder, RunOrderFile, ordered_run
from core.run_order.probe import RunProbe

_LOOK_MILLISECONDS = 1000


class RunOrderController(QObject):
    """Helps the runs of the order one after the other, from the moment that a person starts one until they leave it.

    Signals:
        changed: the order is another one, or what is known of its runs.
        consent_needed: a run has changed, and is skipped until the person has looked at it (its key and its name).
    """

    changed = Signal()
    consent_needed = Signal(object, str)

    def __init__(
        self,
        folders: Folders,
        session_controller: SessionController,
        settings_store: SettingsStore,
        device_poller: DevicePoller,
        bridge: Bridge,
        parent: QObject | None = None,
        *,
        worker_command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller, self._settings_store = session_controller, settings_store
        self._device_poller, self._bridge = device_poller, bridge
        self._file = RunOrderFile(folders.contents.run_order_file)
        answers = Bridge(self)
        self._probe = RunProbe(folders, session_controller.consents, answers.post_event, worker_command)
        answers.event_arrived.connect(self._probe.handle)
        computer = Computer(
            folders, session_controller.consents, lambda: settings_store.settings, lambda: device_poller.devices
        )
        self._director = OrderDirector(computer, self._probe, self._file.order, watch=ObstacleWatch(PATIENCE_SECONDS))
        self._is_active = False
        self._pending: RunContinued | None = None
        self._asked: set[RunKey] = set()
        self._struck: dict[RunKey, OrderedRun] = {}
        self._timer = QTimer(self, interval=_LOOK_MILLISECONDS, timerType=Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self._look)
        session_controller.changed.connect(self._follow)
        session_controller.left.connect(self._stop)
        session_controller.interrupted.connect(self._stop)

    @property
    def order(self) -> RunOrder:
        """The order as it is now."""
        return self._file.order

    @property
    def director(self) -> OrderDirector:
        """What knows of each run of the order what is in its way."""
        return self._director

    @property
    def present(self) -> RunKey | None:
        """The run that is helped now, whether it is in the order or not."""
        consent, is_over = self._session_controller.session.consent, self._session_controller.is_over
        return (consent.run_id, consent.organiser) if consent is not None and not is_over else None

    @property
    def struck(self) -> tuple[OrderedRun, ...]:
        """The runs that were struck from the order since the start and are not in it again, the latest first."""
        return tuple(run for key, run in reversed(self._struck.items()) if key not in self.order.keys)

    def can_add(self, run: RecentRun) -> bool:
        """Whether that run was agreed to, and is not in the order."""
        key = (run.run_id, run.organiser)
        return key not in self.order.keys and self._session_controller.consents.of_run(*key) is not None

    def add_recent(self, run: RecentRun) -> None:
        """Put a run that was agreed to before at the end of the order."""
        try:
            address = JoinAddress.parse(run.address)
        except UserError:
            return  # it was written by a version that knew other addresses
        unfinished = UnfinishedRun(
            addresses=address.peers,
            run_id=run.run_id,
            organiser=run.organiser,
            vouched=run.organiser in peer_ids_of(address.peers),
            device=self._device_label(),
        )
        self._add(OrderedRun(name=run.name, run=unfinished))

    def restore(self, key: RunKey) -> None:
        """Put a run that was struck from the order at its end."""
        for run in self.struck:
            if run.key == key:
                self._add(run)

    def add_found(self, run: RunFound) -> None:
        """Put a run that is found and agreed to at the end of the order, without helping it now."""
        opening = self._session_controller.session.opening
        if isinstance(opening, Join):
            self._session_controller.consents.remember(run, time.time())
            self._director.agreed((run.manifest.run.id, run.organiser))
            address = JoinAddress(peers=opening.addresses, run_id=run.manifest.run.id)
            self._add(ordered_run(run, address, self._device_label(), opening.manifest))

    def move(self, key: RunKey, steps: int) -> None:
        """Put that run so many places later, or earlier."""
        self._keep(self.order.moved(key, steps))

    def remove(self, key: RunKey) -> None:
        """Strike that run from the order; if it is helped now, that goes on."""
        run = self.order.of(key)
        if run is not None:
            self._struck.pop(key, None)
            self._struck[key] = run
        self._keep(self.order.without(key))

    def return_after(self, minutes: int | None) -> None:
        """Go back to an earlier run that has been open for so long, or when the present one ends."""
        self._keep(msgspec.structs.replace(self.order, return_after_minutes=minutes))

    def begin(self) -> None:
        """Help the runs in their order, from the first that can be helped."""
        self._director.begin_anew(self._session_controller.session)
        self._is_active = True
        self._timer.start()
        self._look()

    def look_at(self, key: RunKey) -> None:
        """Look for that run again, so that the person sees what has become of it; the present one is left.

        Where it is the present one, it is found already.
        """
        ordered, agreed = self.order.of(key), self._session_controller.session.agreed
        is_found = agreed is not None and (agreed.manifest.run.id, agreed.organiser) == key
        if ordered is not None and not (is_found and self._session_controller.session.phase == "found"):
            self._session_controller.join(ordered.run.address, ordered.run.manifest)

    def close(self) -> None:
        """Look at nothing any more, and wait until no worker is left."""
        self._stop()
        self._probe.close()

    def _add(self, run: OrderedRun) -> None:
        order = self.order
        present = self._ordered_present()
        if present is not None and not order.runs:
            order = order.with_run(present)
        self._keep(order.with_run(run))

    def _keep(self, order: RunOrder) -> None:
        self._file.save(order)
        self._director.order = order
        self.changed.emit()

    def _device_label(self) -> str:
        try:
            return choose_device(self._device_poller.devices, self._settings_store.settings.device).label
        except UserError:
            return "cpu"

    def _ordered_present(self) -> OrderedRun | None:
        """The run that is helped now, as a run of the order."""
        session = self._session_controller.session
        opening, agreed = session.opening, session.agreed
        if self.present is None or not isinstance(opening, Join) or agreed is None or session.consent is None:
            return None
        address = JoinAddress(peers=opening.addresses, run_id=agreed.manifest.run.id)
        return ordered_run(agreed, address, session.consent.device, opening.manifest)

    def _follow(self, before: Session, after: Session) -> None:
        """Follow the order from the moment that a person has started a run, or one goes on after a start."""
        is_same = after.opening is before.opening and after.consent == before.consent
        if after.consent is None or is_same:
            return
        key = (after.consent.run_id, after.consent.organiser)
        if self._pending is None:
            self._director.chosen_by_person(key)
        self._pending = None
        self._director.agreed(key)
        self._asked.discard(key)
        run = self._ordered_present()
        if self.order.runs and run is not None and self.order.of(key) is None:
            self._keep(self.order.with_run(run, first=True))
        self._is_active = True
        self._timer.start()

    def _stop(self) -> None:
        """The person has left the run, or looks for another."""
        self._is_active, self._pending = False, None
        self._timer.stop()
        self._probe.stop()

    def _look(self) -> None:
        if not self._is_active or self._pending is not None:
            return
        before = self._director.state.obstacles
        event = self._director.look(self._session_controller.session)
        self._ask()
        match event:
            case RunContinued():
                self._change(event)
            case EarlierRunReopened():
                self._bridge.post_event(event)
            case None if self._director.state.obstacles != before:
                self.changed.emit()
            case None:
                pass

    def _change(self, event: RunContinued) -> None:
        self._pending = event
        if event.switch is not None:
            self._keep(self.order.with_switch(event.switch))
        self._session_controller.go_on_with(event)

    def _ask(self) -> None:
        """Say once of each run that has changed that it waits for the person."""
        for each in self.order.runs:
            is_changed = self._director.state.obstacle_of(each.key) == "changed"
            if is_changed and each.key not in self._asked:
                self._asked.add(each.key)
                self.consent_needed.emit(each.key, each.name)
