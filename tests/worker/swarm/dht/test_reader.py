"""Reading what strangers keep in the DHT, after who keeps it had been away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hivemind.dht import DHT
from hivemind.dht.routing import DHTID, RoutingTable
from hivemind.p2p import PeerID
from hivemind.utils import MSGPackSerializer

from core.run.multiaddr import split_peer
from core.worker.swarm.dht.node import _count_peers
from core.worker.swarm.dht.reader import _holders, read_dictionary
from core.worker.swarm.patches.monotonic_clock import steady_time
from tests.worker.progress.dht_nodes import answer_conditionally, count_requests, dht_nodes, forget_key, requests

pytestmark = [pytest.mark.real, pytest.mark.timeout(300), pytest.mark.usefixtures("patient_reads")]

LIMIT_SECONDS = 120.0
LIFE_SECONDS = 30.0  # of what is to expire; it is read twice before


@contextmanager
def organiser(folder: Path, address: str) -> Iterator[DHT]:
    """A peer of the DHT at that multiaddr, that has the same id whenever it is there."""
    dht = DHT(host_maddrs=[address], identity_path=str(folder / "identity.key"), start=True)
    try:
        yield dht
    finally:
        dht.shutdown()


@pytest.fixture(params=["plain", "ours"])
def holders(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that are made from here on are of that kind."""
    if request.param == "ours":
        answer_conditionally(monkeypatch)


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
            while (found := volunteer.get("progress", latest=True)) is None:  # it has not answered in time
                assert time.monotonic() < deadline
                read_dictionary(volunteer, "control", also_ask=[name])
            assert found.value["me"].value == 7
    finally:
        volunteer.shutdown()


@pytest.mark.usefixtures("holders")
def test_what_decides_nothing_is_read_of_one_holder() -> None:
    with dht_nodes(4) as nodes:
        assert nodes[0].store("names", subkey="me", value=7, expiration_time=time.time() + 600)
        nodes[3].run_coroutine(partial(forget_key, key="names"))
        nodes[3].run_coroutine(count_requests)
        assert [record.subkey for record in read_dictionary(nodes[3], "names", ask="one")] == [packed("me")]
        assert nodes[3].run_coroutine(requests) == 1


@pytest.mark.usefixtures("holders")
def test_what_is_read_again_and_again_is_asked_of_one_holder_each_time() -> None:
    with dht_nodes(4) as nodes:
        store_at_all_but_the_last(nodes, "first")
        assert subkeys_read(nodes[3]) == {packed("first")}
        nodes[3].run_coroutine(count_requests)
        assert [subkeys_read(nodes[3]) for _ in range(3)] == [{packed("first")}] * 3
        assert nodes[3].run_coroutine(requests) == 3
        store_at_all_but_the_last(nodes, "second")
        assert subkeys_read(nodes[3]) == {packed("first"), packed("second")}  # whoever is asked has it


@pytest.mark.usefixtures("holders")
def test_a_holder_that_hides_a_value_hides_it_for_a_read_and_takes_none_back() -> None:
    with dht_nodes(4) as nodes:
        store_at_all_but_the_last(nodes, "first")
        assert subkeys_read(nodes[3]) == {packed("first")}
        store_at_all_but_the_last(nodes, "second")
        for hiding in nodes[1:3]:
            hiding.run_coroutine(partial(forget_key, key="names"))
        told = [subkeys_read(nodes[3]) for _ in range(3)]  # each holder is asked once
        assert all(packed("first") in each for each in told) and packed("second") in told[2]


@pytest.mark.usefixtures("holders")
def test_who_is_gone_is_not_quoted_beyond_the_life_of_what_it_told() -> None:
    with dht_nodes(3) as nodes:
        assert nodes[0].store("names", subkey="me", value=7, expiration_time=steady_time() + LIFE_SECONDS)
        nodes[2].run_coroutine(partial(forget_key, key="names"))
        assert subkeys_read(nodes[2]) == {packed("me")}
        for holder in nodes[:2]:
            holder.run_coroutine(partial(forget_key, key="names"))
        assert subkeys_read(nodes[2]) == {packed("me")}, "one of the two has told it"
        deadline = time.monotonic() + LIMIT_SECONDS
        while subkeys_read(nodes[2]):
            assert time.monotonic() < deadline


def test_who_was_found_near_a_key_holds_it_though_the_routing_table_has_others_only() -> None:
    """Of peers far from us, a routing table has some; the search for a key finds those that are nearest to it."""
    key, own = DHTID.generate(source="names"), DHTID.generate()
    others = sorted((DHTID.generate() for _ in range(40)), key=key.xor_distance)
    ids = {uid: PeerID(uid.to_bytes()) for uid in others}
    table = RoutingTable(own, bucket_size=20, depth_modulo=5)
    for uid in others[20:]:
        table.add_or_update_node(uid, ids[uid])
    protocol = SimpleNamespace(routing_table=table, client_mode=True)
    node: Any = SimpleNamespace(protocol=protocol, node_id=own, num_replicas=5)
    nearest = [ids[uid] for uid in others[:5]]
    assert _holders(node, key, {uid: ids[uid] for uid in others[:16]}) == nearest
    assert not set(_holders(node, key)) & set(nearest)


def store_at_all_but_the_last(nodes: list[DHT], subkey: str) -> None:
    """Store a value at those nodes; the last one has to ask for it."""
    assert nodes[0].store("names", subkey=subkey, value=7, expiration_time=steady_time() + 600.0)
    nodes[-1].run_coroutine(partial(forget_key, key="names"))


def subkeys_read(node: DHT) -> set[bytes]:
    """Whose values that node finds when it reads them once more."""
    return {record.subkey for record in read_dictionary(node, "names", ask="in turn")}


def packed(subkey: str) -> bytes:
    """A subkey as records have it."""
    return bytes(MSGPackSerializer.dumps(subkey))
