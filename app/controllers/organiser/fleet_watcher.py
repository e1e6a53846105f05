"""The fleet that is watched from the window, by a worker that never trains: a client beside the volunteer's."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.controllers.thread_bridge import Bridge
from core.client.client import Client
from core.client.restart_policy import OBSERVER_RETRY_SECONDS, PASSING
from core.client.session import Session
from core.files.folders import Folders
from core.fleet.history import FleetHistory
from core.fleet.snapshot import FleetSnapshot
from core.fleet.state import FleetState
from core.protocol.client_events import ClientEvent
from core.protocol.commands import Join
from core.protocol.events import SearchFinished
from core.protocol.peers import PeersSeen
from core.run.address import JoinAddress

LEAVE_SECONDS = 3.0  # an observer owes nobody a goodbye


class FleetWatcher(QObject):
    """Watches the peers of one run until it is stopped, whatever page is shown; main thread only.

    What may pass, such as a swarm that is not reached, is waited out where the run has been seen before.

    Signals:
        changed: the snapshot, or what becomes of the watching, is another one.

    Attributes:
        address: whose peers are watched, or were watched last; ``None`` before the first time.
        snapshot: the last look; ``None`` before the first one.
        history: the figures of the looks since the run was chosen, one point a minute.
    """

    changed = Signal()

    def __init__(
        self, folders: Folders, parent: QObject | None = None, *, worker_command: Sequence[str] | None = None
    ) -> None:
        super().__init__(parent)
        self._folders = folders
        self._bridge = Bridge(self)
        self._bridge.event_arrived.connect(self._on_event)
        self._client = Client(
            folders, self._bridge.post_event, worker_command=worker_command, leave_limit_seconds=LEAVE_SECONDS
        )
        self.address: JoinAddress | None = None
        self.snapshot: FleetSnapshot | None = None
        self.history = FleetHistory()
        self._state = FleetState()
        self._is_wanted = self._has_published = False
        self._retry = QTimer(self, singleShot=True, interval=round(OBSERVER_RETRY_SECONDS * 1000))
        self._retry.timeout.connect(self._search)

    @property
    def session(self) -> Session:
        """The session of the observing worker."""
        return self._client.session

    @property
    def is_watching(self) -> bool:
        """Whether the run is watched, or looked for again after an outage."""
        return self._is_wanted

    @property
    def is_of_use(self) -> bool:
        """Whether this computer organises: a run was published from it, or one has been watched."""
        if not self._has_published:
            self._has_published = bool(self._folders.contents.published_runs())
        return self._has_published or self.address is not None

    def watch(self, address: JoinAddress) -> None:
        """Watch the run of that id at that address, instead of the one before."""
        if address == self.address and self._is_wanted:
            return
        if address != self.address:
            self.address, self.snapshot = address, None
            self._state, self.history = FleetState(), FleetHistory()
        self._is_wanted = True
        self._client.leave()
        self._search()
        self.changed.emit()

    def stop(self) -> None:
        """Watch no longer; what was seen last stays."""
        self._is_wanted = False
        self._retry.stop()
        self._client.leave()
        self.changed.emit()

    def close(self) -> None:
        """Stop, and wait until the worker has ended; for the program's end."""
        self._is_wanted = False
        self._retry.stop()
        self._client.close()

    def _search(self) -> None:
        """Join as an observer, unless the worker before has not ended yet."""
        if self._is_wanted and self.address is not None and self.session.phase in ("idle", "ended"):
            self._client.join(self.address, network="client", watches_peers=True)

    def _on_event(self, event: ClientEvent) -> None:
        self._client.handle(event)
        session = self.session
        if not self._is_wanted or not self._is_current:
            if session.phase == "ended":
                self._search()
            self.changed.emit()
            return
        self._state = self._state.after(event)
        if isinstance(event, SearchFinished) and (vouched := [run for run in session.runs if run.vouched]):
            self._state = replace(self._state, run=vouched[0])  # of two that share an id, as the worker chooses
        if isinstance(event, PeersSeen | SearchFinished):
            self._look()
        if session.phase == "ended":
            self._wait_out()
        self.changed.emit()

    @property
    def _is_current(self) -> bool:
        """Whether the worker that speaks is that of the address that is watched now."""
        opening, address = self.session.opening, self.address
        if address is None or not isinstance(opening, Join):
            return False
        return (opening.addresses, opening.run_id) == (address.peers, address.run_id)

    def _look(self) -> None:
        snapshot = self._state.snapshot(time.time())
        if snapshot is not None and self.session.is_search_finished:
            self.snapshot = snapshot
            self.history.add(snapshot)

    def _wait_out(self) -> None:
        """Look again later for a run that has been seen; another problem ends the watching."""
        if self.session.problem is None:
            self._search()  # it has left because of an earlier wish
        elif self.snapshot is not None and self.session.problem in PASSING:
            self._retry.start()
        else:
            self._is_wanted = False
