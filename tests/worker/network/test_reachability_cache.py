"""What was found out about a network holds there, with that port, for a while; and is only a help."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from core.worker.network.local_network import LocalNetwork, detect_local_network
from core.worker.network.reachability_cache import KEPT_NETWORKS, KEPT_SECONDS, CachedReachability, ReachabilityCache

ADDRESS = "/ip4/203.0.113.7/tcp/31337"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "networks.json"


def test_what_was_found_is_remembered_for_that_network_and_port(path: Path) -> None:
    ReachabilityCache(path).remember("home", 31337, ADDRESS)
    ReachabilityCache(path).remember("café", 31337, "")
    known = ReachabilityCache(path)
    found = known.recall("home", 31337), known.recall("café", 31337)
    assert [each and each.address for each in found] == [ADDRESS, ""]
    assert known.recall("home", 4001) is None
    assert known.recall("hotel", 31337) is None


@pytest.mark.parametrize("age", [KEPT_SECONDS + 1, -3600.0], ids=["old", "of the future"])
def test_what_is_too_old_or_of_another_clock_is_not_believed(path: Path, age: float) -> None:
    path.write_bytes(msgspec.json.encode({"home/31337": CachedReachability(ADDRESS, time.time() - age)}))
    assert ReachabilityCache(path).recall("home", 31337) is None


def test_only_the_newest_networks_are_kept(path: Path) -> None:
    known = ReachabilityCache(path)
    for number in range(KEPT_NETWORKS + 5):
        known.remember(str(number), 1, ADDRESS)
    assert len(msgspec.json.decode(path.read_bytes())) == KEPT_NETWORKS
    assert known.recall("0", 1) is None and known.recall(str(KEPT_NETWORKS), 1)


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"home/1": {"address": 1, "at": 0}}', b"\xff"])
def test_a_damaged_file_is_kept_aside_and_begun_anew(path: Path, damage: bytes) -> None:
    path.write_bytes(damage)
    known = ReachabilityCache(path)
    assert known.recall("home", 1) is None
    assert path.with_name("networks.json.broken-1").read_bytes() == damage
    known.remember("home", 1, ADDRESS)
    assert known.recall("home", 1)


def test_a_disk_that_refuses_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    known = ReachabilityCache(tmp_path / "file" / "networks.json")
    known.remember("home", 1, ADDRESS)
    assert known.recall("home", 1) is None


def test_a_place_is_the_same_as_long_as_nothing_changes() -> None:
    here = detect_local_network(["/ip4/127.0.0.1/tcp/1"])
    assert here == detect_local_network(["/ip4/127.0.0.1/tcp/1"])
    assert here.ip == "127.0.0.1"
    assert here.multiaddr(31337) == "/ip4/127.0.0.1/tcp/31337"


@pytest.mark.parametrize(
    ("ip", "is_public"),
    [("192.168.1.2", False), ("100.64.0.1", False), ("11.0.0.1", True), ("2a00::1", True), ("", False)],
)
def test_a_public_address_is_told_from_a_private_one(ip: str, is_public: bool) -> None:
    assert LocalNetwork("", ip).is_public is is_public
