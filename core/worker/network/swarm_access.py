"""How a volunteer is in the swarm: at once by outgoing connections, and directly where others reach it.

Whether they can is found out beside everything else. What is known when training begins decides; what is
found later is remembered, and the worker leaves and is started again with it. So nobody waits for a test.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.folders import DataFolder
from core.files.locks import PeerFolder
from core.protocol.commands import Join
from core.protocol.events import Failed, Network, Warned
from core.protocol.localizable import LocalizedText
from core.run.multiaddr import is_loopback
from core.security.identity import Identity
from core.worker.network import network_messages as network_coach
from core.worker.network.local_network import LocalNetwork, detect_local_network, own_ipv6
from core.worker.network.ports import port_of, refuse_taken_ports, steady_listen
from core.worker.network.reachability import everywhere, is_dead_ipv6, is_told, settled_network
from core.worker.network.reachability_cache import KnownNetworks
from core.worker.network.tcp_probe import tcp_probe
from core.worker.process.channel import WorkerChannel
from core.worker.process.watchdog import watch_child_processes
from core.worker.swarm import LONGEST_SECONDS, ReachabilityResult, Swarm, enter_swarm, probe_reachability

LOOK_SECONDS = 5.0
TEST_AGAIN_SECONDS = 1800.0
UNKNOWN_SECONDS = 90.0  # after a test that told nothing: peers answer three times a minute at the most
SLACK_SECONDS = 15.0  # for a computer that does much else

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ConnectionMode:
    """A way to take part, in words, and the addresses that others are told; none: all that we have."""

    network: Network
    announce: tuple[str, ...] = ()

    def is_that_of(self, swarm: Swarm) -> bool:
        """Whether we take part so already."""
        if self.network.mode != swarm.mode or swarm.mode == "client":
            return self.network.mode == swarm.mode
        return not self.announce or is_told(self.announce[0], swarm.addresses())


class SwarmAccess:
    """Enters the swarm when it is built; raises ClientError where that cannot be done."""

    def __init__(self, command: Join, alive: Sequence[str], keys: PeerFolder, channel: WorkerChannel) -> None:
        self._wish, self._alive, self._keys, self._channel = command.network, alive, keys, channel
        self._dead_ipv6 = [each for each in command.addresses if is_dead_ipv6(each, alive)]
        self._identity = Identity.load_or_create(keys.identity_path)
        self._listen = _listen(command.port, alive, keys)
        self._known = KnownNetworks(DataFolder(Path(command.home)).reachability_file)
        self._here = detect_local_network(alive)
        self._lock = threading.Lock()
        self._better: ConnectionMode | None = None
        self._is_settled = False
        self._told: Network | None = None
        self._hint = LocalizedText()
        certain = settled_network(command.network, alive)
        self.swarm = self._enter(ConnectionMode(certain) if certain else self._first_way())
        if certain is None:
            threading.Thread(target=self._keep_testing, name="reachability", daemon=True).start()

    def finalize(self) -> Swarm:
        """The swarm to train in, entered anew if something better is known by now."""
        with self._lock:
            self._is_settled = True
            if self._better is not None:
                self.swarm.leave()
                self.swarm = self._enter(self._better)
            return self.swarm

    def leave(self) -> None:
        """Leave the swarm."""
        self.swarm.leave()

    def _first_way(self) -> ConnectionMode:
        known = self._known.recall(self._here.network, port_of(self._listen))
        address = known.address if known else ""
        return self._way(network_coach.being_tested(self._wish, address), address)

    def _way(self, network: Network, address: str) -> ConnectionMode:
        """Others are told where we were reached; those in our own network, where we are in it.

        A port that the router has opened by itself is another one the next time, and p2pd tells it.
        """
        port = port_of(self._listen)
        if network.mode == "client" or not address or port_of((address,)) != port:
            return ConnectionMode(network)
        return ConnectionMode(network, tuple(dict.fromkeys((address, self._here.multiaddr(port)))))

    def _enter(self, way: ConnectionMode) -> Swarm:
        """By that way, or in automatic choice by outgoing connections where it does not work; and say how."""
        try:
            swarm = self._enter_by(way)
        except UserError as error:
            mends = error.problem in (ErrorKind.NOT_REACHABLE, ErrorKind.PORT_TAKEN)
            if not mends or self._wish != "auto":
                raise
            way = ConnectionMode(network_coach.could_not_listen(error.problem))
            swarm = self._enter_by(way)
        self._tell(way.network)
        return swarm

    def _enter_by(self, way: ConnectionMode) -> Swarm:
        if way.network.mode == "direct":
            refuse_taken_ports(self._listen)
        swarm = enter_swarm(
            self._alive,
            self._keys.progress_key_path,
            identity=self._identity,
            identity_path=self._keys.identity_path,
            mode=way.network.mode,
            listen=self._listen,
            announce=way.announce,
        )
        watch_child_processes(swarm, self._channel)
        return swarm

    def _tell(self, network: Network) -> None:
        if network != self._told or self._channel.test_asked.is_set():
            self._channel.test_asked.clear()
            self._told = network
            self._channel.emit(network_coach.with_hint(network, self._hint))

    def _keep_testing(self) -> None:
        """Now, every so often, in every network that this computer comes to, and when it is asked for."""
        again_after = 0.0
        while self._await_reason(again_after):
            again_after = UNKNOWN_SECONDS
            self._hint = self._ipv6_hint()
            try:
                if self._test():
                    again_after = TEST_AGAIN_SECONDS
            except Exception:
                log.exception("whether others can reach us is not known this time")
            self._conclude()

    def _conclude(self) -> None:
        """A test that has changed nothing has an end, too, for whoever waits for it."""
        told = self._told
        if told is not None and told.test == "running":
            self._tell(network_coach.nobody_could_tell(told.mode))
        elif told is not None and self._channel.test_asked.is_set():
            self._tell(told)

    def _ipv6_hint(self) -> LocalizedText:
        answers = tcp_probe(self._dead_ipv6)
        silent = [address for address, answer in answers.items() if answer == "silent"]
        return network_coach.about_ipv6(own_ipv6(), silent)

    def _await_reason(self, seconds: float) -> bool:
        """Wait so long, at most, for a reason to test; false once we leave."""
        deadline = time.monotonic() + seconds
        while not self._channel.leaving.is_set():
            here = detect_local_network(self._alive)
            has_moved = bool(here.ip) and here != self._here
            if has_moved or time.monotonic() >= deadline or self._channel.test_asked.is_set():
                self._here = here if here.ip else self._here
                return True
            self._channel.leaving.wait(LOOK_SECONDS)
        return False

    def _test(self) -> bool:
        """Learn whether others can reach us; whether anybody could tell."""
        with self._lock:
            swarm = self.swarm
        if swarm.mode == "client":
            refuse_taken_ports(self._listen)
        began = time.monotonic()
        finding = probe_reachability(swarm, self._alive, self._listen).result(LONGEST_SECONDS + SLACK_SECONDS)
        log.info("found out in %.1f s: %s", time.monotonic() - began, finding)
        if not self._channel.leaving.is_set():
            self._on_test_result(finding, self._here, port_of(self._listen))
        return finding.is_reachable or finding.is_unreachable

    def _on_test_result(self, finding: ReachabilityResult, here: LocalNetwork, port: int) -> None:
        if finding.is_reachable or finding.is_unreachable:
            self._known.remember(here.network, port, finding.address if finding.is_reachable else "")
        elif self.swarm.mode == "direct":
            return  # nobody could tell: what was true stays true
        network = network_coach.found(finding, here, port)
        if self._wish == "direct" and network.mode == "client":
            why = network_coach.failure(finding, here, port)
            self._channel.emit(Warned(problem=ErrorKind.NOT_REACHABLE.key, detail=str(why)))
            network = network_coach.chosen_against(network)
        self._take(self._way(network, finding.address))

    def _take(self, way: ConnectionMode) -> None:
        """Be told, where it is so already; else it is for ``finalize``, or for the next worker."""
        with self._lock:
            if way.is_that_of(self.swarm):
                self._better = None
                self._tell(way.network)
            elif self._is_settled:
                self._channel.emit(Failed(problem=ErrorKind.NETWORK_CHANGED.key, detail=str(way.network.reason)))
                self._channel.leave()
            else:
                self._better = way
                self._tell(network_coach.from_training_on(way.network, self.swarm.mode))


def _listen(port: int | None, alive: Sequence[str], keys: PeerFolder) -> tuple[str, ...]:
    """On this computer only if the swarm is here; else everywhere, and always at the same port."""
    if alive and all(is_loopback(address) for address in alive):
        return (f"/ip4/127.0.0.1/tcp/{port or 0}",)
    return everywhere(port) if port else steady_listen(keys.port_file)
