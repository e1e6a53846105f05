"""What a person is told of the network: how it is, why, and what could be done."""

from __future__ import annotations

import pytest

from core.localizable import LocalizedText
from core.protocol.events import Network
from core.worker.network import network_messages
from core.worker.network.local_network import LocalNetwork
from core.worker.network.reachability import is_dead_ipv6
from core.worker.swarm import ReachabilityResult
from tests.support.peers.sample_addresses import PEER_ID

HOME, PUBLIC = LocalNetwork("home", "192.168.1.2"), LocalNetwork("hosted", "11.0.0.7")
V6 = LocalNetwork("six", "2a00::7")


def test_who_is_reached_is_announced_where() -> None:
    network = network_messages.after_test(ReachabilityResult(2, 1, "/ip4/11.0.0.7/tcp/31337"), HOME, 31337)
    assert (network.mode, str(network.advice)) == ("direct", "")
    assert str(network.reason) == "2 of 3 peers could connect to 11.0.0.7:31337."


@pytest.mark.parametrize(
    ("here", "reason", "advice"),
    [
        (
            HOME,
            "failed to connect to port 31337 of your router.",
            "on your router to this computer (192.168.1.2)",
        ),
        (PUBLIC, "failed to connect to 11.0.0.7:31337.", "allow incoming TCP port 31337"),
        (V6, "failed to connect to [2a00::7]:31337.", "allow incoming TCP port 31337"),
    ],
    ids=["behind a router", "behind its own firewall", "IPv6"],
)
def test_who_is_not_is_announced_what_could_be_done(here: LocalNetwork, reason: str, advice: str) -> None:
    network = network_messages.after_test(ReachabilityResult(failed=2), here, 31337)
    assert network.mode == "client"
    assert f"2 of 2 peers {reason}" in str(network.reason) and advice in str(network.advice)


def test_behind_a_vpn_no_router_is_to_blame() -> None:
    network = network_messages.after_test(ReachabilityResult(failed=1), LocalNetwork("vpn", "10.8.0.2", "tun0"), 31337)
    assert "port 31337 of your VPN" in str(network.reason)
    assert "VPN (tun0)" in str(network.advice) and "router" not in str(network.advice)


def test_an_ipv6_that_leads_nowhere_is_announced_where_there_is_one() -> None:
    silent = [f"/ip6/2a00::9/tcp/31337/p2p/{PEER_ID}"]
    hint = str(network_messages.ipv6_hint("2a00::7", silent))
    assert "[2a00::9]:31337 does not answer" in hint and "prefer IPv4" in hint
    assert not network_messages.ipv6_hint("", silent) and not network_messages.ipv6_hint("2a00::7", [])


@pytest.mark.parametrize(
    ("address", "alive", "is_dead"),
    [
        ("/ip6/2a00::9/tcp/1", ["/ip4/11.0.0.1/tcp/1"], True),
        ("/ip6/2a00::9/tcp/1", ["/ip4/11.0.0.1/tcp/1", "/ip6/2a00::9/tcp/1"], False),
        ("/ip6/2a00::9/tcp/1", ["/ip6/2a00::8/tcp/1"], False),
        ("/ip4/11.0.0.9/tcp/1", ["/ip4/11.0.0.1/tcp/1"], False),
    ],
    ids=["dead", "alive", "no IPv4 to compare", "IPv4"],
)
def test_ipv6_is_doubted_only_where_ipv4_answers(address: str, alive: list[str], is_dead: bool) -> None:
    assert is_dead_ipv6(address, alive) is is_dead


def test_a_hint_is_added_to_what_else_could_be_done() -> None:
    told = Network(mode="client", reason=LocalizedText("So it is."), advice=LocalizedText("Do this."))
    assert str(network_messages.with_hint(told, LocalizedText("And that.")).advice) == "Do this. And that."
    assert network_messages.with_hint(told, LocalizedText()) == told


def test_insisting_wrongly_keeps_the_mode_and_says_why_it_is_wrong() -> None:
    found = network_messages.after_test(ReachabilityResult(failed=1), PUBLIC, 31337)
    network = network_messages.despite_test(found)
    assert (network.mode, network.advice) == ("direct", found.advice)
    assert str(network.reason).startswith(
        "You chose it, although it does not work: The one peer that tried failed to connect to 11.0.0.7"
    )


@pytest.mark.parametrize(
    ("finding", "is_reachable", "is_unreachable"),
    [
        (ReachabilityResult(), False, False),
        (ReachabilityResult(reached=1), True, False),
        (ReachabilityResult(failed=1), False, True),
        (ReachabilityResult(reached=1, failed=1), False, True),
        (ReachabilityResult(reached=2, failed=1), True, False),
    ],
)
def test_the_majority_of_those_that_tried_decides(
    finding: ReachabilityResult, is_reachable: bool, is_unreachable: bool
) -> None:
    assert (finding.is_reachable, finding.is_unreachable) == (is_reachable, is_unreachable)


def test_where_nobody_could_tell_that_is_said() -> None:
    network = network_messages.after_test(ReachabilityResult(), HOME, 31337)
    assert network.mode == "client" and str(network.reason).startswith("Nobody could tell")
