"""The reachability test in the background: at the start, at times, in every new network, and on request."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Protocol

from core.errors import ErrorKind
from core.localizable import LocalizedText
from core.protocol.commands import NetworkMode
from core.protocol.events import Warned
from core.worker.network import network_messages
from core.worker.network.connection_mode import ConnectionMode, mode_at
from core.worker.network.local_network import LocalNetwork, detect_local_network, own_ipv6
from core.worker.network.network_status import NetworkStatus
from core.worker.network.ports import port_of, refuse_taken_ports
from core.worker.network.reachability_cache import ReachabilityCache
from core.worker.network.tcp_probe import tcp_probe
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import REACHABILITY_TEST_SECONDS, ReachabilityResult, Swarm, probe_reachability

POLL_SECONDS = 5.0
TEST_AGAIN_SECONDS = 1800.0
UNKNOWN_SECONDS = 90.0  # after a test that told nothing: peers answer three times a minute at the most
SLACK_SECONDS = 15.0  # for a computer that does much else

log = logging.getLogger(__name__)


class Access(Protocol):
    """The swarm that we are in, and what takes over a better way to be in it."""

    @property
    def swarm(self) -> Swarm: ...

    def apply(self, mode: ConnectionMode) -> None: ...


class ReachabilityTester:
    """Asks peers of the swarm to dial us, tells the person what came of it, and applies the mode that follows.

    ``alive`` are the pasted addresses that answer, ``dead_ipv6`` those of IPv6 that do not although IPv4 does;
    ``listen`` is where this peer listens, or would.
    """

    def __init__(
        self,
        access: Access,
        status: NetworkStatus,
        known: ReachabilityCache,
        channel: WorkerChannel,
        *,
        wish: NetworkMode,
        here: LocalNetwork,
        listen: Sequence[str],
        alive: Sequence[str],
        dead_ipv6: Sequence[str],
    ) -> None:
        self._access, self._status, self._known, self._channel = access, status, known, channel
        self._wish, self._here, self._listen = wish, here, listen
        self._alive, self._dead_ipv6 = alive, dead_ipv6
        self._others = alive  # the way to them tells which network we are in

    def run(self) -> None:
        """Test whenever there is a reason to, until we leave."""
        again_after = 0.0
        while self._await_reason(again_after):
            self._status.hint = self._ipv6_hint()
            again_after = TEST_AGAIN_SECONDS if self._test() else UNKNOWN_SECONDS
            self._status.finish_test()

    def _await_reason(self, seconds: float) -> bool:
        """Wait so long, at most, for a reason to test; false once we leave."""
        deadline = time.monotonic() + seconds
        while not self._channel.leaving.is_set():
            here = detect_local_network(self._others)
            has_moved = bool(here.ip) and here != self._here
            if has_moved or time.monotonic() >= deadline or self._channel.test_requested.is_set():
                self._here = here if here.ip else self._here
                return True
            self._channel.leaving.wait(POLL_SECONDS)
        return False

    def _test(self) -> bool:
        """Learn whether others can reach us; false where nobody could tell."""
        try:
            result = self._probe()
        except Exception:
            # Whatever the network or hivemind raises here: nobody could tell this time, and nothing depends on it.
            log.exception("whether others can reach us is not known this time")
            return False
        if not self._channel.leaving.is_set():
            self._conclude(result, self._here, port_of(self._listen))
        return result.is_reachable or result.is_unreachable

    def _probe(self) -> ReachabilityResult:
        swarm = self._access.swarm
        if swarm.mode == "client":
            refuse_taken_ports(self._listen)
        began = time.monotonic()
        result = probe_reachability(swarm, self._alive, self._listen).result(REACHABILITY_TEST_SECONDS + SLACK_SECONDS)
        log.info("tested in %.1f s: %s", time.monotonic() - began, result)
        return result

    def _conclude(self, result: ReachabilityResult, here: LocalNetwork, port: int) -> None:
        if result.is_reachable or result.is_unreachable:
            self._known.remember(here.network, port, result.address if result.is_reachable else "")
        elif self._access.swarm.mode == "direct":
            return  # nobody could tell: what was true stays true
        network = network_messages.after_test(result, here, port)
        if self._wish == "direct" and network.mode == "client":
            why = network_messages.failure_text(result, here, port)
            self._channel.emit(Warned(problem=ErrorKind.NOT_REACHABLE.key, detail=why))
            network = network_messages.despite_test(network)
        self._access.apply(mode_at(network, result.address, here, port))

    def _ipv6_hint(self) -> LocalizedText:
        answers = tcp_probe(self._dead_ipv6)
        silent = [address for address, answer in answers.items() if answer == "timeout"]
        return network_messages.ipv6_hint(own_ipv6(), silent)
