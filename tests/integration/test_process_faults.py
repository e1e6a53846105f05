"""What goes wrong with a real peer costs the others little, and leaves nothing behind."""

from __future__ import annotations

import base64
import fcntl
import os
import signal
import stat
import struct
import termios
import time
from collections.abc import Callable, Iterator

import pytest

from core.protocol.commands import Leave
from core.protocol.events import AnyEvent, Connected, Hello, Left, Progress, Restarting, RoundFinished, TrainingStarted
from core.protocol.peers import PeersSeen
from tests.support.real_peers import (
    GHOST_SECONDS,
    LIMIT_SECONDS,
    PATIENCE_SECONDS,
    SMALLEST_PIPE_BYTES,
    Peer,
    PeerGroup,
    averaged,
    peer_group,
    survivors,
    worker_of,
)

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """The organiser of all tests here."""
    with peer_group(tmp_path_factory.mktemp("shared")) as everybody:
        yield everybody.organiser()


@pytest.fixture
def organiser(shared: Peer) -> Peer:
    """The organiser when nobody else is there: not even the ghost of somebody."""
    shared.wait_for(Progress, lambda event: event.peers == 1, since=len(shared.said))
    return shared


def is_there(peer_id: str) -> Callable[[PeersSeen], bool]:
    """Whether that peer is among those seen."""
    return lambda event: any(peer.peer_id == peer_id for peer in event.peers)


def counted_once(organiser: Peer, peer_id: str, since: int) -> None:
    """In everything that was said from there on, nobody was counted beside the organiser and that peer."""
    organiser.wait_for(Progress, lambda event: event.peers == 2, since=since)
    assert max(event.peers for event in organiser.all(Progress, since)) == 2
    for seen in organiser.all(PeersSeen, since):
        assert [peer.peer_id for peer in seen.peers].count(peer_id) <= 1


def test_nothing_survives_a_killed_worker_even_without_a_client_and_its_successor_takes_its_place(
    organiser: Peer, group: PeerGroup
) -> None:
    since = len(organiser.said)
    worker = group.cold.volunteer(organiser.posted, "volunteer")
    organiser.wait_for(PeersSeen, is_there(worker.peer_id), since=since)
    family = worker.family
    assert len(family) > 3  # the DHT's process, two averagers, p2pd
    os.kill(worker.process.pid, signal.SIGKILL)
    assert worker.ended() == -signal.SIGKILL
    assert survivors(worker, family) == []

    successor = group.cold.volunteer(organiser.posted, "volunteer")
    assert successor.peer_id == worker.peer_id
    organiser.wait_for(RoundFinished, averaged, since=len(organiser.said))
    counted_once(organiser, worker.peer_id, since)


def test_a_client_starts_a_killed_worker_again_and_the_run_goes_on(organiser: Peer, group: PeerGroup) -> None:
    since = len(organiser.said)
    client = group.client(organiser.posted, "volunteer")
    before = client.wait_for(Connected).peer_id
    client.wait_for(RoundFinished, averaged)
    epoch, family, here = organiser.epoch, client.family, len(client.said)
    worker_of(client).kill()

    assert client.wait_for(Restarting, since=here).attempt == 1
    client.wait_for(Hello, since=here)
    assert client.wait_for(Connected, since=here).peer_id == before
    assert client.wait_for(TrainingStarted, since=here).epoch >= 1  # with the run's state, not its own
    assert [old for old in family if old.is_running() and old.pid != client.process.pid] == []
    client.wait_for(RoundFinished, averaged, since=here, seconds=PATIENCE_SECONDS)
    organiser.reaches(epoch + 2)
    counted_once(organiser, before, since)


def test_nothing_survives_a_killed_client_and_its_worker_says_goodbye(organiser: Peer, group: PeerGroup) -> None:
    since = len(organiser.said)
    client = group.client(organiser.posted, "volunteer")
    peer_id = client.wait_for(Connected).peer_id
    organiser.wait_for(PeersSeen, is_there(peer_id), since=since)
    organiser.wait_for(Progress, lambda event: event.peers == 2, since=since)
    family, here, began = client.family, len(organiser.said), time.monotonic()
    os.kill(client.process.pid, signal.SIGKILL)

    assert client.ended() == -signal.SIGKILL
    organiser.wait_for(Progress, lambda event: event.peers == 1, since=here)
    assert time.monotonic() - began < GHOST_SECONDS / 2
    assert survivors(client, family) == []
    organiser.reaches(organiser.epoch + 1)


def test_a_client_that_does_not_listen_holds_up_neither_training_nor_leaving(organiser: Peer, group: PeerGroup) -> None:
    worker = group.cold.volunteer(organiser.posted, "volunteer")
    worker.is_heard.clear()
    deadline = time.monotonic() + LIMIT_SECONDS
    while _unread(worker) < SMALLEST_PIPE_BYTES // 2:
        assert time.monotonic() < deadline
        organiser.wait_for(Progress, since=len(organiser.said))
    epoch = organiser.epoch + 2
    organiser.wait_for(PeersSeen, lambda event: _epoch(event, worker.peer_id) >= epoch)
    worker.send(Leave())
    assert worker.process.wait(LIMIT_SECONDS) == 0
    assert survivors(worker, worker.family) == []


def _unread(worker: Peer) -> int:
    """Bytes that wait in its pipe."""
    answer = fcntl.ioctl(worker.stdout.fileno(), termios.FIONREAD, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])


def _epoch(seen: PeersSeen, peer_id: str) -> int:
    return max((peer.epoch for peer in seen.peers if peer.peer_id == peer_id), default=-1)


def test_a_worker_that_is_terminated_leaves_properly_and_no_key_of_it_is_ever_told(
    organiser: Peer, group: PeerGroup
) -> None:
    worker = group.cold.volunteer(organiser.posted, "volunteer", "client")
    family = worker.family
    worker.process.send_signal(signal.SIGTERM)
    assert worker.ended() == 0
    last: AnyEvent = worker.said[-1]
    assert isinstance(last, Left)
    assert survivors(worker, family) == []

    keys = list(worker.home.rglob("*.key"))
    assert {key.name for key in keys} == {"identity.key", "progress.key"}
    told = b"".join(worker.raw) + b"".join(log.read_bytes() for log in worker.home.rglob("*.log*"))
    for key in keys:
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        secret = key.read_bytes()[4:36] if key.name == "identity.key" else key.read_bytes()[-200:]
        for form in (secret, secret.hex().encode(), base64.b64encode(secret), repr(secret)[2:-1].encode()):
            assert form not in told
