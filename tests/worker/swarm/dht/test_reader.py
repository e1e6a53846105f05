"""Reading what strangers keep in the DHT, after who keeps it had been away."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hivemind.dht import DHT, DHTNode

from core.worker.swarm.dht.reader import read_dictionary

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

LIMIT_SECONDS = 120.0


async def _known(_dht: DHT, node: DHTNode) -> int:
    return len(node.protocol.routing_table.peer_id_to_uid)


@contextmanager
def organiser(folder: Path, port: int) -> Iterator[DHT]:
    """A peer of the DHT that has the same id and address whenever it is there."""
    dht = DHT(host_maddrs=[f"/ip4/127.0.0.1/tcp/{port}"], identity_path=str(folder / "identity.key"), start=True)
    try:
        yield dht
    finally:
        dht.shutdown()


def test_who_was_away_is_found_by_hiveminds_own_requests_once_it_has_answered_ours(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with organiser(tmp_path, port) as first:
        name = first.peer_id.to_base58()
        volunteer = DHT(initial_peers=[str(each) for each in first.get_visible_maddrs()], client_mode=True, start=True)
    try:
        deadline = time.monotonic() + LIMIT_SECONDS
        while volunteer.run_coroutine(_known):
            assert time.monotonic() < deadline
            volunteer.get("progress", latest=True)
        with organiser(tmp_path, port) as again:
            assert again.store("progress", subkey="me", value=7, expiration_time=time.time() + 600)
            assert volunteer.get("progress", latest=True) is None, "hivemind looks for nobody that it has lost"
            while not volunteer.run_coroutine(_known):
                assert time.monotonic() < deadline
                read_dictionary(volunteer, "control", also_ask=[name])
            found = volunteer.get("progress", latest=True)
            assert found is not None and found.value["me"].value == 7
    finally:
        volunteer.shutdown()
