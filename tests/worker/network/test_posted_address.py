"""What an organiser is told of the posted address: whether it leads in from outside, who has tried, and what to do."""

from __future__ import annotations

import pytest

from core.texts.event_log import line
from core.worker.network.local_network import LocalNetwork
from core.worker.network.posted.posted_address import after_test, before_test
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
