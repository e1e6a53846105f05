"""What an organiser is told of the posted address: whether it leads in from outside, who has tried, and what to do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from core.protocol.events import Network
from core.texts.event_log import line
from core.worker.network.local_network import LocalNetwork
from core.worker.network.network_status import NetworkStatus
from core.worker.network.posted import posted_address
from core.worker.network.posted.posted_address import (
    PostedAddressTester,
    after_test,
    before_test,
    is_elsewhere,
    reached_elsewhere,
)
from core.worker.swarm import ReachabilityResult
from tests.support.peers.sample_addresses import PEER_ID

HOME, PUBLIC = LocalNetwork("home", "192.168.1.2"), LocalNetwork("hosted", "11.0.0.7")


def addresses(*hosts: str) -> list[str]:
    """Posted addresses at these hosts."""
    return [f"/ip4/{host}/tcp/31337/p2p/{PEER_ID}" for host in hosts]


@pytest.mark.parametrize(
    ("hosts", "reason", "advice"),
    [
        (("127.0.0.1",), "only from this very computer", ""),
        (
            ("192.168.1.2",),
            "only from within its own network",
            "forward TCP port 31337 on your router to this computer",
        ),
        (("192.168.1.2", "11.0.0.7"), "is the one that others connect to.", ""),
    ],
    ids=["loopback", "private", "public"],
)
def test_an_address_that_cannot_lead_in_is_told_before_anybody_has_tried(
    hosts: tuple[str, ...], reason: str, advice: str
) -> None:
    network = before_test(addresses(*hosts), HOME)
    assert network.mode == "direct" and reason in str(network.reason)
    assert advice in str(network.advice) and bool(network.advice) == bool(advice)


def test_whoever_could_connect_is_counted_and_nothing_needs_to_be_done() -> None:
    network = after_test(ReachabilityResult(2, 1, "/ip4/11.0.0.7/tcp/31337"), HOME, 31337)
    assert str(network.reason) == "2 of 3 peers could connect to 11.0.0.7:31337." and not network.advice


@pytest.mark.parametrize(
    ("here", "advice"),
    [
        (HOME, "--listen /ip4/0.0.0.0/tcp/31337 --announce and the address"),
        (PUBLIC, "allow incoming TCP port 31337 in this computer's firewall"),
    ],
    ids=["behind a router", "behind its own firewall"],
)
def test_whoever_could_not_is_counted_and_what_helps_newcomers_is_said(here: LocalNetwork, advice: str) -> None:
    network = after_test(ReachabilityResult(failed=2), here, 31337)
    assert network.mode == "direct" and "2 of 2 peers failed to connect" in str(network.reason)
    assert advice in str(network.advice)
    assert "can reach" not in (line(network) or "") and advice in (line(network) or "")


OLD, NEW = "11.0.0.7", "11.0.0.9"


@pytest.mark.parametrize(
    ("shared", "own", "is_so"),
    [
        ([OLD], ["192.168.1.2"], True),
        (["192.168.1.2"], ["192.168.1.2"], True),
        ([NEW], ["192.168.1.2"], False),
        ([OLD, NEW], ["192.168.1.2"], False),
        ([OLD], [OLD, NEW], False),
        ([OLD], [NEW], True),
    ],
    ids=["another of the router", "private", "posted", "also posted", "another interface", "another of our own"],
)
def test_where_others_reach_it_may_be_where_no_posted_address_leads(
    shared: list[str], own: list[str], is_so: bool
) -> None:
    assert is_elsewhere(f"/ip4/{NEW}/tcp/31337", addresses(*shared), own) is is_so


def test_a_name_or_an_address_of_another_kind_may_lead_there() -> None:
    reached, by_name = f"/ip4/{NEW}/tcp/31337", f"/dns4/example.org/tcp/31337/p2p/{PEER_ID}"
    assert not is_elsewhere(reached, [*addresses("192.168.1.2"), by_name], ["192.168.1.2"])
    assert not is_elsewhere("/ip6/2a00::7/tcp/31337", addresses(OLD), ["192.168.1.2"])


def test_whoever_reaches_it_elsewhere_counts_as_one_who_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posted_address, "own_hosts", lambda: frozenset({HOME.ip}))
    told, noted = list[Network](), list[tuple[int, int]]()
    tester = object.__new__(PostedAddressTester)
    tester._shared, tester._note = tuple(addresses(OLD)), lambda *counts: noted.append(counts)
    tester._status = cast(NetworkStatus, SimpleNamespace(report=told.append))
    for result in (
        ReachabilityResult(2, 1, f"/ip4/{NEW}/tcp/31337"),
        ReachabilityResult(2, 1, f"/ip4/{OLD}/tcp/31337"),
    ):
        tester._conclude(result, HOME, 31337)
    assert noted == [(0, 3), (2, 1)]
    elsewhere, there = told
    assert elsewhere == reached_elsewhere(f"/ip4/{NEW}/tcp/31337")
    assert f"--announce /ip4/{NEW}/tcp/31337" in (line(elsewhere) or "")
    assert "2 of 3 peers could connect" in str(there.reason) and not there.advice
