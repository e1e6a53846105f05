"""The driver of the connection monitor: a thread that probes, pings and dials what the state machine wants."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol, assert_never

from core.errors import ErrorKind, UserError
from core.localizable import Detail, LocalizedText, localized
from core.worker.network.connection_monitor import (
    POLL_SECONDS,
    POLL_SECONDS_WHILE_CUT,
    Action,
    ConnectionMonitor,
    DialPeers,
    ListConnections,
    Observation,
    PingPeers,
    ProbeKnownPeers,
    ProbeMissingPeers,
    Restart,
)
from core.worker.network.peer_cache import PeerCache
from core.worker.network.tcp_probe import tcp_probe

log = logging.getLogger(__name__)


class OtherPeers(Protocol):
    """The other peers of a run: what is known of them, and how to reach them."""

    def observe(self) -> Observation: ...

    def ping(self, addresses: tuple[str, ...]) -> bool: ...

    def connected_addresses(self) -> tuple[str, ...]: ...


class ConnectionDriver:
    """Runs a ConnectionMonitor against real peers; addresses that answer are kept in ``peer_cache``.

    ``refused_model`` says what was wrong with the last model that the others have offered; empty if nothing was.
    """

    def __init__(
        self,
        monitor: ConnectionMonitor,
        others: OtherPeers,
        peer_cache: PeerCache,
        refused_model: Callable[[], Detail] = lambda: "",
    ) -> None:
        self._monitor, self._others, self._peer_cache = monitor, others, peer_cache
        self._refused_model = refused_model

    @property
    def is_cut(self) -> bool:
        """Whether nothing is heard of anybody, and training has to rest."""
        return self._monitor.state == "cut"

    @property
    def problem(self) -> LocalizedText:
        """What is wrong with the connection, for people; empty if nothing is."""
        return self._monitor.problem

    def run(self, leaving: threading.Event, changed: Callable[[], None]) -> None:
        """Poll until ``leaving``; ``changed`` is called when ``problem`` has changed.

        Raises UserError: ``ErrorKind.SWARM_LOST`` where only another worker finds the way back, or MODEL_UNLEARNED
        where we do not follow the others because their model has become worse.
        """
        while not leaving.wait(POLL_SECONDS_WHILE_CUT if self.is_cut else POLL_SECONDS):
            before = self.problem
            self._poll()
            if self.problem != before:
                log.warning("the connection: %s", str(self.problem) or "ok again")
                changed()

    def _poll(self) -> None:
        action = self._monitor.on_observation(self._others.observe(), time.monotonic())
        while action is not None:
            action = self._carry_out(action)

    def _carry_out(self, action: Action) -> Action | None:
        """Do what the monitor wants, and tell it the answer; the next action, if any."""
        monitor = self._monitor
        match action:
            case ProbeKnownPeers():
                return monitor.on_known_probed(tcp_probe(self._peer_cache.addresses), time.monotonic())
            case PingPeers():
                has_answered = self._others.ping(action.addresses)
                return monitor.on_pinged(has_answered=has_answered, now=time.monotonic())
            case ListConnections():
                connected = self._others.connected_addresses()
                self._peer_cache.add(connected)
                return monitor.on_connections(connected, self._peer_cache.addresses)
            case ProbeMissingPeers():
                return monitor.on_missing_probed(tcp_probe(action.addresses))
            case DialPeers():
                log.info("%d missing peers accept connections: %s", len(action.addresses), action.addresses)
                self._others.ping(action.addresses)
                return None
            case Restart():
                raise self._lost(action.reason)
            case _:
                assert_never(action)

    def _lost(self, reason: LocalizedText) -> UserError:
        """Why we are not on the path that the others are on."""
        why = self._refused_model() if self._monitor.state == "diverged" else ""
        if why:
            return UserError(ErrorKind.MODEL_UNLEARNED, localized("The others' model was refused: %1.", why))
        return UserError(ErrorKind.SWARM_LOST, reason)
