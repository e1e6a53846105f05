"""An owner's upload limit holds for all that leaves the computer, and rounds of averaging go on whole."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import pytest

from core.protocol.commands import SetPace
from core.protocol.events import RoundFinished
from core.protocol.limits import Paced
from core.worker.delegation.upload_budget import CREDIT_SECONDS
from tests.bench.upload_limit import LIMIT, MOST, bulky
from tests.support.environment.network_namespaces import Internet
from tests.support.real_peers import Peer, PeerGroup

pytestmark = [pytest.mark.networks, pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

WATCHED_SECONDS = 15.0  # or until the round is over, on a computer that has seen late that it has begun
LEAST = 0.8  # of the limit, in half of these seconds: a busy computer stands still at times
MOST_AT_ONCE = 4.0  # of the limit, in a single second, in which more may be made up for than in all of them


def left(peer: Peer) -> int:
    """The bytes that have left the peer's computer, frames and all, as its network device counts them.

    They are read without a program on that host, whose start takes a busy computer a good part of a second.
    """
    devices = Path(f"/proc/{peer.process.pid}/net/dev").read_text().splitlines()
    (counts,) = (line.partition(":")[2].split() for line in devices if line.strip().startswith("eth0:"))
    return int(counts[8])


def speed(peer: Peer, seconds: float) -> float:
    """The bytes a second that leave its computer for so long."""
    began, before = time.monotonic(), left(peer)
    time.sleep(seconds)
    return (left(peer) - before) / (time.monotonic() - began)


def has_averaged(peer: Peer) -> bool:
    """Whether a round of that peer's was a whole one."""
    return any(event.ok for event in peer.all(RoundFinished))


def test_what_leaves_keeps_to_the_limit_and_rounds_are_whole(net: Internet, group: PeerGroup) -> None:
    organiser = group.at(net.host()).organiser(manifest=bulky(layers=3, width=160))
    volunteer = group.at(net.host()).seeker(organiser.posted, "home")
    volunteer.send(SetPace(upload_bytes_a_second=LIMIT))
    volunteer.agree()
    assert volunteer.wait_for(Paced).upload == "limited"
    while (first := speed(volunteer, 1.0)) < LEAST * LIMIT:  # the first search for a group may come too late
        assert not has_averaged(volunteer), "a whole round was averaged below the limit"
    began, before, speeds = time.monotonic(), left(volunteer), [first]
    while time.monotonic() - began < WATCHED_SECONDS and not has_averaged(volunteer):
        speeds.append(speed(volunteer, 1.0))
    assert left(volunteer) - before < MOST * LIMIT * (time.monotonic() - began + CREDIT_SECONDS)
    assert median(speeds) > LEAST * LIMIT and max(speeds) < MOST_AT_ONCE * LIMIT
    finished = volunteer.wait_for(RoundFinished, lambda event: event.kind == "gradients" and event.peers == 2)
    assert finished.ok and not finished.reason
    volunteer.send(SetPace())
    assert volunteer.wait_for(Paced, lambda event: event.upload == "free")
