"""Reading what strangers keep in the DHT, after who keeps it had been away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hivemind.dht import DHT

from core.run.multiaddr import split_peer
from core.worker.swarm.dht.node import _count_peers
from core.worker.swarm.dht.reader import read_dictionary

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

LIMIT_SECONDS = 120.0


@contextmanager
def organiser(folder: Path, address: str) -> Iterator[DHT]:
    """A peer of the DHT at that multiaddr, that has the same id whenever it is there."""
    dht = DHT(host_maddrs=[address], identity_path=str(folder / "identity.key"), start=True)
    try:
        yield dht
    finally:
        dht.shutdown()


def test_who_was_away_is_found_by_hiveminds_own_requests_once_it_has_answered_ours(tmp_path: Path) -> None:
    with organiser(tmp_path, "/ip4/127.0.0.1/tcp/0") as first:
        posted = [str(each) for each in first.get_visible_maddrs()]
        address, name = split_peer(posted[0])
        volunteer = DHT(initial_peers=posted, client_mode=True, start=True)
    try:
        deadline = time.monotonic() + LIMIT_SECONDS
        while volunteer.run_coroutine(_count_peers):
            assert time.monotonic() < deadline
            volunteer.get("progress", latest=True)
        with organiser(tmp_path, address) as again:
            assert again.store("progress", subkey="me", value=7, expiration_time=time.time() + 600)
            assert volunteer.get("progress", latest=True) is None, "hivemind looks for nobody that it has lost"
            while not volunteer.run_coroutine(_count_peers):
                assert time.monotonic() < deadline
                read_dictionary(volunteer, "control", also_ask=[name])
            found = volunteer.get("progress", latest=True)
            assert found is not None and found.value["me"].value == 7
    finally:
        volunteer.shutdown()
