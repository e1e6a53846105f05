"""How a volunteer enters the swarm: at once by outgoing connections, and directly where others reach it.

Whether they can is tested in the background. What is known when training begins decides; what is found later is
remembered, and the worker leaves and is started again with it. So nobody waits for a test.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.folders import DataFolder
from core.files.locks import PeerFolder
from core.protocol.commands import Join, NetworkMode
from core.protocol.events import Failed
from core.run.multiaddr import is_loopback
from core.security.identity import Identity
from core.worker.network import network_messages
from core.worker.network.connection_mode import ConnectionMode, first_mode
from core.worker.network.local_network import detect_local_network
from core.worker.network.network_status import NetworkStatus
from core.worker.network.ports import free_fixed_listen, port_of, refuse_taken_ports
from core.worker.network.reachability import all_interfaces, certain_network, is_dead_ipv6
from core.worker.network.reachability_cache import ReachabilityCache
from core.worker.network.reachability_tester import ReachabilityTester
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
from core.worker.process.watchdog import watch_child_processes
from core.worker.swarm import Swarm, enter_swarm


@dataclass(frozen=True)
class SwarmEntry:
    """With what this peer enters a swarm: whom it dials, who it is, where it listens, and how it wishes to."""

    wish: NetworkMode
    initial_peers: tuple[str, ...]
    keys: PeerFolder
    identity: Identity
    listen: tuple[str, ...]
    supervisor: Supervisor
    status: NetworkStatus

    def enter(self, mode: ConnectionMode) -> Swarm:
        """Enter in that mode; where it does not work and the choice is ours, by outgoing connections.

        Raises UserError where the swarm cannot be entered.
        """
        try:
            swarm = self._enter(mode)
        except UserError as error:
            is_mendable = error.problem in (ErrorKind.NOT_REACHABLE, ErrorKind.PORT_TAKEN)
            if not is_mendable or self.wish != "auto":
                raise
            mode = ConnectionMode(network_messages.could_not_listen(error.problem))
            swarm = self._enter(mode)
        self.status.report(mode.network)
        return swarm

    def _enter(self, mode: ConnectionMode) -> Swarm:
        if mode.network.mode == "direct":
            refuse_taken_ports(self.listen)
        swarm = enter_swarm(
            self.initial_peers,
            self.keys.progress_key_path,
            identity=self.identity,
            identity_path=self.keys.identity_path,
            mode=mode.network.mode,
            listen=self.listen,
            announce=mode.announce,
        )
        watch_child_processes(swarm, self.supervisor)
        return swarm


class SwarmAccess:
    """The swarm that we are in, and the better way to be in it, as soon as one is known."""

    def __init__(self, entry: SwarmEntry, swarm: Swarm, channel: WorkerChannel) -> None:
        self._entry, self._swarm, self._channel = entry, swarm, channel
        self._lock = threading.Lock()
        self._better: ConnectionMode | None = None
        self._is_final = False

    @property
    def swarm(self) -> Swarm:
        """The swarm that we are in now; it may be another one until ``finalize``."""
        with self._lock:
            return self._swarm

    def finalize(self) -> Swarm:
        """The swarm to train in, entered anew if something better is known by now."""
        with self._lock:
            self._is_final = True
            if self._better is not None:
                self._swarm.leave()
                self._swarm = self._entry.enter(self._better)
            return self._swarm

    def apply(self, mode: ConnectionMode) -> None:
        """Take part in that mode from training on; once we train, leave so that the next worker does."""
        with self._lock:
            if mode.is_that_of(self._swarm):
                self._better = None
                self._entry.status.report(mode.network)
            elif self._is_final:
                self._channel.emit(Failed(problem=ErrorKind.NETWORK_CHANGED.key, detail=mode.network.reason))
                self._channel.leave()
            else:
                self._better = mode
                self._entry.status.report(network_messages.from_training_on(mode.network, self._swarm.mode))

    def leave(self) -> None:
        """Leave the swarm: end the DHT process and p2pd."""
        self._swarm.leave()


@contextlib.contextmanager
def open_swarm_access(
    command: Join, alive: Sequence[str], keys: PeerFolder, channel: WorkerChannel, supervisor: Supervisor
) -> Iterator[SwarmAccess]:
    """Enter the swarm as the person wishes, and leave it at the end; raises UserError where it cannot be entered.

    ``alive`` are the addresses that answer. Unless the wish leaves nothing to find out, a background thread
    tests whether others reach us.
    """
    listen = _listen(command.port, alive, keys)
    identity, status = Identity.load_or_create(keys.identity_path), NetworkStatus(channel)
    entry = SwarmEntry(command.network, tuple(alive), keys, identity, listen, supervisor, status)
    known, here = ReachabilityCache(DataFolder(Path(command.home)).reachability_file), detect_local_network(alive)
    certain = certain_network(command.network, alive)
    mode = ConnectionMode(certain) if certain else first_mode(command.network, known, here, port_of(listen))
    access = SwarmAccess(entry, entry.enter(mode), channel)
    try:
        if certain is None:
            tester = ReachabilityTester(
                access,
                status,
                known,
                channel,
                wish=command.network,
                here=here,
                listen=listen,
                alive=alive,
                dead_ipv6=[each for each in command.addresses if is_dead_ipv6(each, alive)],
            )
            supervisor.start("reachability test", tester.run)
        yield access
    finally:
        access.leave()


def _listen(port: int | None, alive: Sequence[str], keys: PeerFolder) -> tuple[str, ...]:
    """On this computer only if the swarm is here; else on all interfaces, and always at the same port."""
    if alive and all(is_loopback(address) for address in alive):
        return (f"/ip4/127.0.0.1/tcp/{port or 0}",)
    return all_interfaces(port) if port else free_fixed_listen(keys.port_file)
