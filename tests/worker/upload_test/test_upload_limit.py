"""An owner's upload limit holds for all that leaves the computer, and rounds of averaging go on whole."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec
import pytest

from core.protocol.commands import SetPace
from core.protocol.events import Paced, RoundFinished
from core.run.manifest import RunManifest
from core.run.spec.recipe import ArithmeticGPT
from tests.support.environment.network_namespaces import Host, Internet
from tests.support.peers import slow_computer
from tests.support.real_peers import PeerGroup, tiny

pytestmark = [pytest.mark.networks, pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

LIMIT = 250_000
WATCHED_SECONDS = 15.0
MOST, LEAST = 1.05, 0.8  # of the limit, in so short a time


def bulky() -> RunManifest:
    """A run in which one round takes a peer on such a line half a minute."""
    shared = tiny(
        target_batch_size=round(15 * slow_computer.SAMPLES_PER_SECOND),
        batch_size_per_step=8,
        averaging_timeout=180.0,
        matchmaking_time=3.0,
    )
    return msgspec.structs.replace(shared, recipe=ArithmeticGPT(layers=3, width=160, heads=4))


def left(host: Host) -> int:
    """The bytes that have left that computer, frames and all, as its network device counts them."""
    return int(host.run("cat", "/sys/class/net/eth0/statistics/tx_bytes"))


def speeds(host: Host, seconds: float) -> Iterator[float]:
    """The bytes a second that leave it, again and again, over so many seconds."""
    while True:
        began, before = time.monotonic(), left(host)
        time.sleep(seconds)
        yield (left(host) - before) / (time.monotonic() - began)


def test_what_leaves_keeps_to_the_limit_and_rounds_are_whole(net: Internet, group: PeerGroup) -> None:
    manifest = bulky()
    organiser = group.at(net.host()).organiser(manifest=manifest)
    host = net.host()
    volunteer = group.at(host).seeker(organiser.posted, "home")
    volunteer.send(SetPace(upload_bytes_a_second=LIMIT))
    volunteer.agree()
    assert volunteer.wait_for(Paced).upload == "limited"
    next(speed for speed in speeds(host, 1.0) if speed > LEAST * LIMIT)  # a round has begun
    speed = next(speeds(host, WATCHED_SECONDS))
    print(f"\n{speed:,.0f} bytes/s of {LIMIT:,}")
    assert LEAST * LIMIT < speed < MOST * LIMIT
    finished = volunteer.wait_for(RoundFinished, lambda event: event.kind == "gradients" and event.peers == 2)
    assert finished.ok and not finished.reason
    volunteer.send(SetPace())
    assert volunteer.wait_for(Paced, lambda event: event.upload == "free")
