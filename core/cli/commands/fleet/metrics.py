"""The figures of a fleet for Prometheus while a command watches it, or leads it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.fleet.snapshot import FleetSnapshot
from core.fleet.state import FleetState
from core.protocol.client_events import ClientEvent
from core.protocol.events import Published, RunFound
from core.protocol.peers import PeersSeen
from core.run.manifest import RunManifest
from core.run.multiaddr import Multiaddr

Serve = Callable[[FleetSnapshot], None]


@contextmanager
def serving_metrics(port: int | None) -> Iterator[Serve | None]:
    """While this lasts, answer Prometheus at that port, if there is one; raises UserError where it is taken."""
    if port is None:
        yield None
        return
    from core.fleet.metrics_server import MetricsServer

    with MetricsServer(port) as server:
        yield server.show


class OwnFleet:
    """The fleet of a run that is published from here, as the organiser's worker tells; each look is served.

    The worker tells of the run itself only once it is steered, so that until then it is what the ``manifest`` says.
    """

    def __init__(self, serve: Serve, manifest: RunManifest) -> None:
        self._serve, self._manifest, self._state = serve, manifest, FleetState()

    def handle_event(self, event: ClientEvent) -> None:
        """Reduce the state with the event of the client."""
        if isinstance(event, Published):
            organiser = Multiaddr(event.addresses[0]).peer_id or "" if event.addresses else ""
            event = RunFound(manifest=self._manifest, organiser=organiser, vouched=True)
        self._state = self._state.after(event)
        if isinstance(event, PeersSeen) and (snapshot := self._state.snapshot(time.time())) is not None:
            self._serve(snapshot)
