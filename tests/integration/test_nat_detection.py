"""Whether others can reach a volunteer is found out by itself, in every kind of network.

What the public host, the home router and so on must find is the table of "Any network, any fault".
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from core.protocol.commands import TestNetwork
from core.protocol.events import Network, Restarting, RoundFinished, Warned
from core.run.spec.collaboration import Mode
from tests.support.environment.network_namespaces import Host, Internet, Router, internet
from tests.support.real_peers import PATIENCE_SECONDS, Peer, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.networks, pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]

PORT = 31337  # where a volunteer listens who has not listened anywhere before
LONG_EPOCH = 5_000  # samples: some seconds, also for two who are alone on the machine


@dataclass
class Seeker:
    """A volunteer who has found the run, trains nothing yet, and does not know how others reach it."""

    row: str
    peer: Peer
    began: float

    def finding(self) -> Network:
        """What it was told after the test; prints how long that took at the most, its start included."""
        network = self.peer.wait_for(Network, is_finding, seconds=PATIENCE_SECONDS)
        print(f"\n{self.row}: {time.monotonic() - self.began:.1f} s at the most: {network.reason}")
        return network


def told_by_both(peer: Peer) -> str:
    """What has come of a test in which both peers have tried that were asked; another one where one was too slow."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    told = peer.all(Network)[-1]
    while "of 2 peers" not in str(told.reason) and time.monotonic() < deadline:
        asked_at = len(peer.said)
        peer.send(TestNetwork())
        told = peer.wait_for(Network, lambda network: network.test == "done", since=asked_at)
    return str(told.reason)


def is_finding(network: Network) -> bool:
    """Whether others have tried, and this is what came of it."""
    return "connect to" in str(network.reason)


def is_direct(network: Network) -> bool:
    """Whether others are told where to reach us."""
    return network.mode == "direct"


def home_of(router: Router, *, forwarded: bool = False) -> Host:
    """A computer behind that router."""
    host = router.host()
    if forwarded:
        router.forward(PORT, host)
    return host


def behind_its_own_firewall(host: Host) -> Host:
    """That computer, which refuses what others begin."""
    host.use_firewall()
    return host


def seek(group: PeerGroup, row: str, host: Host, address: str) -> Seeker:
    """Let a volunteer search from there."""
    began = time.monotonic()
    return Seeker(row, group.at(host).seeker(address, row, "auto"), began)


@pytest.fixture
def net6() -> Iterator[Internet]:
    """A public segment without IPv4."""
    with internet(ipv6=True) as made:
        yield made


@pytest.fixture
def keeper(net: Internet, group: PeerGroup) -> Iterator[Peer]:
    """The run's first peer, on a public host, with next to no training; others need time to meet."""
    yield group.at(net.host()).organiser(manifest=tiny(target_batch_size=LONG_EPOCH), train=False)


def test_every_network_is_told_from_the_others(net: Internet, group: PeerGroup, keeper: Peer) -> None:
    another = group.at(net.host()).organiser("another", train=False)
    asking_both = seek(group, "home router", home_of(net.router()), f"{keeper.posted} {another.posted}")
    unreachable = [
        asking_both,
        seek(group, "strict firewall", home_of(net.router(only_tcp=True)), keeper.posted),
        seek(group, "firewall of a public host", behind_its_own_firewall(net.host()), keeper.posted),
    ]
    wrong = net.host()
    wrong.use_firewall()
    insisting = group.at(wrong).seeker(keeper.posted, "insisting", "direct")
    for seeker in unreachable:
        finding = seeker.finding()
        assert (finding.mode, "failed" in str(finding.reason)) == ("client", True)
        assert f"TCP port {PORT}" in str(finding.advice)
    assert "2 of 2 peers failed" in told_by_both(asking_both.peer)
    warned = insisting.wait_for(Warned, lambda event: event.problem == "not_reachable", seconds=PATIENCE_SECONDS)
    assert str(warned.detail) == f"The one peer that tried failed to connect to {wrong.address}:{PORT}."
    assert is_direct(insisting.wait_for(Network, is_finding, seconds=PATIENCE_SECONDS)), (
        "as the person wishes, but told"
    )
    wrong.drop_firewall()
    asked_at = len(insisting.said)
    insisting.send(TestNetwork())
    assert "could connect" in str(insisting.wait_for(Network, is_finding, since=asked_at).reason)
    reachable = [
        seek(group, "public host", net.host(), keeper.posted),
        seek(group, "forwarded port", home_of(net.router(), forwarded=True), keeper.posted),
    ]
    for seeker in reachable:
        assert "could connect" in str(seeker.finding().reason)


def test_a_vpn_and_an_ipv6_that_leads_nowhere_are_told(net: Internet, group: PeerGroup, keeper: Peer) -> None:
    hidden = seek(group, "VPN", net.router().host("wg0"), keeper.posted).finding()
    assert (hidden.mode, "VPN (wg0)" in str(hidden.advice)) == ("client", True)
    assert "router" not in f"{hidden.reason} {hidden.advice}"
    half = net.host()
    half.add_dead_ipv6()
    nowhere = f"/ip6/2a00:2222::7/tcp/{PORT}/p2p/{keeper.peer_id}"
    told = seek(group, "half an IPv6", half, f"{nowhere} {keeper.posted}").finding()
    assert f"[2a00:2222::7]:{PORT} does not answer" in str(told.advice)
    assert "prefer IPv4" in str(told.advice)


def test_a_router_is_asked_to_open_a_port(net: Internet, group: PeerGroup, keeper: Peer) -> None:
    router = net.router()
    router.offer_upnp(group.folder)
    opened = seek(group, "UPnP", home_of(router), keeper.posted)
    assert "could connect" in str(opened.finding().reason)
    opened.peer.agree()
    assert is_direct(opened.peer.all(Network)[-1])
    behind = group.at(home_of(net.router())).volunteer(keeper.posted, "home router", "auto")
    behind.wait_for(RoundFinished, lambda event: averaged(event) and event.peers == 3, seconds=PATIENCE_SECONDS)


@pytest.mark.parametrize("mode", [pytest.param("gradients", marks=pytest.mark.faults), "local-sgd"])
def test_two_behind_one_router_help_a_first_peer_behind_another(net: Internet, group: PeerGroup, mode: Mode) -> None:
    there, own, shared = net.router(), net.router(), net.router()
    announced = f"{there.wan.ip}/tcp/{PORT}"
    unhurried = tiny(target_batch_size=LONG_EPOCH, mode=mode)
    at_home = group.at(home_of(there, forwarded=True))
    first = at_home.organiser(manifest=unhurried, train=False, announce=(announced,))
    assert first.posted.startswith(f"{announced}/p2p/")
    forwarded = seek(group, "forwarded port", home_of(own, forwarded=True), first.posted)
    assert "could connect" in str(forwarded.finding().reason)
    forwarded.peer.agree()
    assert f"{own.wan.address}:{PORT}" in str(forwarded.peer.wait_for(Network, is_direct).reason)
    two = [group.at(home_of(shared)).volunteer(first.posted, name, "auto") for name in ("one", "two")]
    for volunteer in two:
        assert volunteer.wait_for(Network, is_finding, seconds=PATIENCE_SECONDS).mode == "client"
        volunteer.wait_for(RoundFinished, lambda event: averaged(event) and event.peers >= 3, seconds=PATIENCE_SECONDS)


def test_a_direct_neighbour_is_averaged_with_although_the_router_leads_no_public_address_back(
    net: Internet, group: PeerGroup, keeper: Peer
) -> None:
    home = net.router()
    forwarded = seek(group, "forwarded port", home_of(home, forwarded=True), keeper.posted)
    assert "could connect" in str(forwarded.finding().reason)
    forwarded.peer.agree()
    neighbour = group.at(home_of(home)).client(keeper.posted, "neighbour", "auto")
    for peer in (neighbour, forwarded.peer):
        peer.wait_for(RoundFinished, lambda event: averaged(event) and event.peers == 3, seconds=PATIENCE_SECONDS)
    assert not any(map(is_direct, neighbour.all(Network)))


def test_networks_without_ipv4_are_networks(net6: Internet, group: PeerGroup) -> None:
    organiser = group.at(net6.host()).organiser(train=False)
    seeker = seek(group, "IPv6 only", net6.host(), organiser.posted)
    assert "could connect" in str(seeker.finding().reason)
    seeker.peer.agree()
    assert is_direct(seeker.peer.all(Network)[-1])
    seeker.peer.wait_for(RoundFinished, averaged)


def test_an_organiser_is_told_whether_newcomers_reach_the_posted_address_and_what_to_do(
    net: Internet, group: PeerGroup
) -> None:
    home = net.host()
    organiser = group.at(home).organiser(manifest=tiny(target_batch_size=LONG_EPOCH), train=False)
    seeker = seek(group, "public host", net.host(), organiser.posted)
    seeker.finding()
    seeker.peer.agree()
    seeker.peer.wait_for(RoundFinished, averaged)

    def found() -> Network:
        asked_at = len(organiser.said)
        organiser.send(TestNetwork())
        return organiser.wait_for(Network, is_finding, since=asked_at, seconds=PATIENCE_SECONDS)

    assert f"could connect to {home.address}:" in str(found().reason)
    home.use_firewall()  # who is connected stays so
    closed = found()
    assert closed.mode == "direct" and "failed to connect" in str(closed.reason)
    assert "For newcomers, allow incoming TCP port" in str(closed.advice)


@pytest.mark.faults
def test_who_comes_to_a_better_network_begins_anew_as_a_direct_peer_and_remembers_it(
    net: Internet, group: PeerGroup, keeper: Peer
) -> None:
    host = behind_its_own_firewall(net.host())
    client = group.at(host).client(keeper.posted, "traveller", "auto")
    assert not is_direct(client.wait_for(Network, is_finding))
    host.drop_firewall()
    host.route_by(net.host().address)
    client.wait_for(Restarting, lambda event: event.problem == "network_changed")
    began = len(client.said)
    client.wait_for(Network, is_direct, since=began)
    client.wait_for(RoundFinished, averaged, since=began)
    client.end()
    again = group.at(host).client(keeper.posted, "traveller", "auto")
    assert all(is_direct(network) for network in again.all(Network))
    assert again.all(Restarting) == []
