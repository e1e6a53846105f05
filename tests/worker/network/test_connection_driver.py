"""The connection monitor's wishes are carried out: real sockets are probed, and the peer cache grows."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from core.errors import ErrorKind, UserError
from core.worker.network.connection_driver import ConnectionDriver
from core.worker.network.connection_monitor import FAILED_ROUNDS, QUIET_SECONDS, ConnectionMonitor, Observation
from core.worker.network.peer_cache import PeerCache
from tests.support.computer.loopback import free_port

PEER = "p2p/12D3KooWA2U9XoiDR8sSDxSPfce1D5EzymcqDb7nuiVLzET6YWjG"
LIMIT_SECONDS = 30.0


class Others:
    """The other peers of a run, as a test wants them to be; ``leaving`` is set after the last observation."""

    def __init__(self, leaving: threading.Event, *observations: Observation) -> None:
        self._leaving, self._observations = leaving, list(observations)
        self.connected: tuple[str, ...] = ()
        self.pinged: list[tuple[str, ...]] = []

    def observe(self) -> Observation:
        """The next one."""
        seen = self._observations.pop(0)
        if not self._observations:
            self._leaving.set()
        return seen

    def ping(self, addresses: tuple[str, ...]) -> bool:
        """Nobody answers."""
        self.pinged.append(addresses)
        return False

    def connected_addresses(self) -> tuple[str, ...]:
        return self.connected


@pytest.fixture
def leaving() -> threading.Event:
    return threading.Event()


@pytest.fixture
def address() -> Iterator[str]:
    """Where somebody accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"/ip4/127.0.0.1/tcp/{listening.getsockname()[1]}/{PEER}"


def closed_address() -> str:
    return f"/ip4/127.0.0.1/tcp/{free_port()}/{PEER}"


def driver(others: Others, *known: str, refused: str = "") -> tuple[ConnectionDriver, PeerCache]:
    peer_cache = PeerCache(known)
    return ConnectionDriver(ConnectionMonitor(is_first=False), others, peer_cache, lambda: refused), peer_cache


@pytest.mark.slow
def test_a_lost_connection_is_told_and_training_rests(leaving: threading.Event) -> None:
    others = Others(leaving, *[Observation(quiet_seconds=QUIET_SECONDS)] * 2)
    connection, _ = driver(others, closed_address())
    told = list[str]()
    connection.run(leaving, lambda: told.append(str(connection.problem)))
    assert connection.is_cut
    assert len(told) == 1 and "none of 1 known addresses answers" in told[0]


@pytest.mark.slow
def test_peers_that_accept_and_never_answer_end_the_worker(leaving: threading.Event, address: str) -> None:
    others = Others(leaving, *[Observation(quiet_seconds=QUIET_SECONDS)] * 4)
    connection, _ = driver(others, address)
    with pytest.raises(UserError) as lost:
        connection.run(leaving, lambda: None)
    assert lost.value.problem is ErrorKind.SWARM_LOST
    assert others.pinged == [(address,)] * 3


def test_connected_peers_are_cached_and_missing_ones_dialled(leaving: threading.Event, address: str) -> None:
    others = Others(leaving, Observation(quiet_seconds=0.0))
    others.connected = ("/ip4/127.0.0.1/tcp/1/p2p/12D3KooWHere",)
    connection, peer_cache = driver(others, address)
    connection.run(leaving, lambda: None)
    assert others.pinged == [(address,)]
    assert peer_cache.addresses == (*others.connected, address)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("refused", "problem"), [("", ErrorKind.SWARM_LOST), ("its loss is 9", ErrorKind.MODEL_UNLEARNED)]
)
def test_who_refuses_the_others_model_as_it_is_worse_has_not_lost_the_connection(
    leaving: threading.Event, refused: str, problem: ErrorKind
) -> None:
    others = Others(leaving, *[Observation(quiet_seconds=0.0, failed_rounds=FAILED_ROUNDS)] * 2)
    connection, _ = driver(others, refused=refused)
    with pytest.raises(UserError) as lost:
        connection.run(leaving, lambda: None)
    assert lost.value.problem is problem
    assert refused in str(lost.value.detail)
