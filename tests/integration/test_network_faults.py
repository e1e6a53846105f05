"""A line, a process or a whole computer fails: the others hardly notice, and we help again by ourselves."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.errors import ErrorKind
from core.files.folders import Folders
from core.protocol.events import (
    AnyEvent,
    ContributionStatus,
    Failed,
    PeersSeen,
    Restarting,
    RoundFinished,
    StateLoading,
    TrainingStarted,
)
from tests.support.environment.network_namespaces import Internet
from tests.support.fault_injection import Fault, cut, freeze, gave, kill, last
from tests.support.real_peers import LineProcess, Peer, PeerGroup, averaged, worker_of
from tests.support.worker_processes import members_of

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

seldom = pytest.mark.faults
CUT_SECONDS = 30.0
LONG_CUT_SECONDS = 300.0
STEADY_ROUNDS = 3
PARTED_SECONDS = 60.0


@contextlib.contextmanager
def told(what: str, client: LineProcess[AnyEvent], other: Peer) -> Iterator[Callable[[], None]]:
    """Tell how long the other stood still, and how long after the fault's end we help again."""
    fault = Fault(client, other)
    yield fault.over
    print(f"\n{what}: {fault.cost()}")


def helping(
    group: PeerGroup, organiser: Peer, home: str = "volunteer", network: str = "client"
) -> LineProcess[AnyEvent]:
    """A volunteer as people have one, and that already helps."""
    client = group.client(organiser.posted, home, network)  # type: ignore[arg-type]
    client.wait_for(RoundFinished, averaged)
    return client


@pytest.mark.parametrize("part", ["p2pd", "averager", "dht"])
def test_a_worker_that_has_lost_a_part_of_itself_begins_anew(group: PeerGroup, part: str) -> None:
    organiser = group.organiser()
    client = helping(group, organiser)
    with told(f"kill -9 of {part}", client, organiser) as over:
        here, killed = len(client.said), time.monotonic()
        members_of(client)[part].kill()
        over()
        failed = client.wait_for(Failed, since=here)
        print(f"\n{part} was missed after {time.monotonic() - killed:.1f} s: {failed.detail}")
        assert ErrorKind.from_key(failed.problem) is ErrorKind.WORKER_CRASHED
        client.wait_for(Restarting, since=here)


@pytest.mark.networks
@pytest.mark.parametrize(
    ("seconds", "network"),
    [
        (CUT_SECONDS, "client"),
        pytest.param(CUT_SECONDS, "direct", marks=seldom),
        pytest.param(LONG_CUT_SECONDS, "client", marks=seldom),
        pytest.param(LONG_CUT_SECONDS, "direct", marks=seldom),
    ],
)
def test_a_volunteer_whose_line_was_cut_helps_again(
    group: PeerGroup, net: Internet, seconds: float, network: str
) -> None:
    here, there = net.host(), net.host()
    organiser = group.at(there).organiser()
    client = helping(group.at(here), organiser, network=network)
    with told(f"a cut of {seconds:.0f} s, {network}", client, organiser) as over:
        since = len(client.said)
        here.unplug()
        began = time.monotonic()
        contribution_status = client.wait_for(ContributionStatus, lambda event: event.state == "alone", since=since)
        print(f"\nsaid after {time.monotonic() - began:.1f} s: {contribution_status.reason}")
        last(seconds - (time.monotonic() - began))
        here.plug_in()
        over()
    assert client.wait_for(ContributionStatus, lambda event: event.state == "helping", since=since)
    goes_on_helping(client)


def goes_on_helping(client: LineProcess[AnyEvent]) -> None:
    """Round after round, and not as another worker again."""
    here = since = len(client.said)
    for _ in range(STEADY_ROUNDS):
        client.wait_for(RoundFinished, gave, since=here)
        here = len(client.said)
    assert client.all(Restarting, since) == []


@seldom
@pytest.mark.networks
def test_after_a_cut_between_them_the_smaller_part_of_a_swarm_follows_the_larger(
    group: PeerGroup, net: Internet
) -> None:
    there = net.host()
    organiser = group.at(there).organiser()
    volunteers = [group.at(net.host()).volunteer(organiser.posted, f"volunteer {n}", "direct") for n in (1, 2)]
    everybody = [organiser, *volunteers]
    for peer in everybody:
        peer.wait_for(RoundFinished, lambda event: event.peers == len(everybody))
    cut(there, PARTED_SECONDS)
    plugged_in, since = time.monotonic(), {peer: len(peer.said) for peer in everybody}
    reached = {peer: peer.epoch for peer in everybody}
    for peer, here in since.items():
        peer.wait_for(RoundFinished, lambda event: event.peers == len(everybody), since=here)
    again = time.monotonic() - plugged_in
    print(f"\nparted at epochs {[*reached.values()]}, all averaged again {again:.1f} s after the end")
    larger = min(reached[peer] for peer in volunteers)
    assert larger > reached[organiser]
    assert organiser.epoch >= larger
    for peer in volunteers:
        assert peer.all(StateLoading, since[peer]) == []


@seldom
def test_a_computer_that_has_slept_helps_again(group: PeerGroup) -> None:
    organiser = group.organiser()
    client = helping(group, organiser)
    with told("a sleep of 60 s", client, organiser) as over:
        freeze(client.family, 60.0)
        over()


def test_volunteers_come_back_to_an_organiser_that_was_killed(group: PeerGroup) -> None:
    organiser = group.organiser(listen=())
    client = helping(group, organiser)
    organiser.reaches(2)
    since = len(client.said)
    kill(organiser.family)
    organiser.ended()
    client.wait_for(ContributionStatus, lambda event: event.state == "alone", since=since)
    again = group.organiser(listen=())
    with told("the organiser was killed and came back", client, again) as over:
        over()


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_a_volunteer_whose_only_known_address_is_dead_comes_back_through_others(group: PeerGroup) -> None:
    organiser = group.organiser()
    other = group.volunteer(organiser.posted, "other", "direct")
    client = helping(group, organiser)
    client.wait_for(PeersSeen, lambda seen: len(seen.peers) == 3)
    notes = Folders.below(group.folder / "volunteer").contents.peer_cache_file
    client.until(lambda _: other.peer_id in _read(notes))
    kill(organiser.family)
    organiser.ended()
    with told("the first peer is dead, and then our worker was killed", client, other) as over:
        since = len(client.said)
        worker_of(client).kill()
        over()
        client.wait_for(TrainingStarted, since=since)


def test_of_two_addresses_one_may_be_dead(group: PeerGroup) -> None:
    dead = "/ip4/127.0.0.1/tcp/1/p2p/12D3KooWA2U9XoiDR8sSDxSPfce1D5EzymcqDb7nuiVLzET6YWjG"
    organiser = group.organiser()
    client = group.client(f"{dead} {organiser.posted}", "volunteer", "client")
    client.wait_for(RoundFinished, averaged)
