"""An owner's upload limit holds for all that leaves the computer, and rounds of averaging go on whole."""

from __future__ import annotations

import pytest

from core.protocol.commands import SetPace
from core.protocol.events import Paced, RoundFinished
from tests.bench.upload_limit import LIMIT, MOST, bulky, speed
from tests.support.environment.network_namespaces import Internet
from tests.support.real_peers import PeerGroup

pytestmark = [pytest.mark.networks, pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

WATCHED_SECONDS = 15.0
LEAST = 0.8  # of the limit, in so short a time


def test_what_leaves_keeps_to_the_limit_and_rounds_are_whole(net: Internet, group: PeerGroup) -> None:
    manifest = bulky(layers=3, width=160)
    organiser = group.at(net.host()).organiser(manifest=manifest)
    host = net.host()
    volunteer = group.at(host).seeker(organiser.posted, "home")
    volunteer.send(SetPace(upload_bytes_a_second=LIMIT))
    volunteer.agree()
    assert volunteer.wait_for(Paced).upload == "limited"
    while speed(host, 1.0) < LEAST * LIMIT:  # on a busy computer the first search for a group may come too late
        assert not any(event.ok for event in volunteer.all(RoundFinished)), "a whole round was averaged below the limit"
    assert LEAST < speed(host, WATCHED_SECONDS) / LIMIT < MOST
    finished = volunteer.wait_for(RoundFinished, lambda event: event.kind == "gradients" and event.peers == 2)
    assert finished.ok and not finished.reason
    volunteer.send(SetPace())
    assert volunteer.wait_for(Paced, lambda event: event.upload == "free")
