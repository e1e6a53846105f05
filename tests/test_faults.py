"""A line, a process or a whole computer fails: the others hardly notice, and we help again by ourselves."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from core.messages import (
    AnyEvent,
    Failed,
    PeersSeen,
    Progress,
    Restarting,
    RoundFinished,
    TrainingStarted,
    Verdict,
)
from core.problems import Problem
from core.worker.acquaintances import FILE_NAME
from tests.members import members_of
from tests.networks import Internet
from tests.real import Crew, Peer, Speaker, averaged, worker_of

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

seldom = pytest.mark.faults
CUT_SECONDS = 30.0


def last(seconds: float) -> None:
    """A fault lasts so long; nothing is waited for."""
    threading.Event().wait(max(0.0, seconds))


def helps(client: Speaker[AnyEvent], others: Peer, since: int, here: int) -> None:
    """Until it has averaged gradients with the other, and each of them says so."""
    client.wait_for(RoundFinished, lambda event: averaged(event) and event.kind == "gradients", since=since)
    others.wait_for(RoundFinished, averaged, since=here)


@contextlib.contextmanager
def told(what: str, client: Speaker[AnyEvent], other: Peer) -> Iterator[Callable[[], None]]:
    """Tell how long the other stood still, and how long after the fault's end we help again."""
    before = len(other.said)
    ended: list[tuple[float, int, int]] = []
    yield lambda: ended.append((time.monotonic(), len(client.said), len(other.said)))
    over, since, here = ended[0]
    helps(client, other, since, here)
    again = time.monotonic() - over
    stall = max(event.stalled_seconds or 0.0 for event in other.all(Progress, before))
    print(f"\n{what}: helped again {again:.1f} s after its end; the other's longest stall {stall:.1f} s")


def helping(
    hands: Crew, organiser: Peer, home: str = "volunteer", network: str = "client"
) -> Speaker[AnyEvent]:
    """A volunteer as people have one, and that already helps."""
    client = hands.client(organiser.posted, home, network)  # type: ignore[arg-type]
    client.wait_for(RoundFinished, averaged)
    return client


@pytest.mark.parametrize(
    "part", ["p2pd", *(pytest.param(each, marks=seldom) for each in ("averager", "dht"))]
)
def test_a_worker_that_has_lost_a_part_of_itself_begins_anew(hands: Crew, part: str) -> None:
    organiser = hands.organiser()
    client = helping(hands, organiser)
    with told(f"kill -9 of {part}", client, organiser) as over:
        here, killed = len(client.said), time.monotonic()
        members_of(client)[part].kill()
        over()
        failed = client.wait_for(Failed, since=here)
        print(f"\n{part} was missed after {time.monotonic() - killed:.1f} s: {failed.detail}")
        assert Problem.from_key(failed.problem) is Problem.WORKER_CRASHED
        client.wait_for(Restarting, since=here)


@pytest.mark.networks
@pytest.mark.parametrize("network", ["client", pytest.param("direct", marks=seldom)])
def test_a_volunteer_whose_line_was_cut_helps_again(hands: Crew, net: Internet, network: str) -> None:
    here, there = net.host(), net.host()
    organiser = hands.at(there).organiser()
    client = helping(hands.at(here), organiser, network=network)
    with told(f"a cut of {CUT_SECONDS:.0f} s, {network}", client, organiser) as over:
        since = len(client.said)
        here.unplug()
        began = time.monotonic()
        verdict = client.wait_for(Verdict, lambda event: event.state == "alone", since=since)
        print(f"\nsaid after {time.monotonic() - began:.1f} s: {verdict.reason}")
        last(CUT_SECONDS - (time.monotonic() - began))
        here.plug_in()
        over()
    assert client.wait_for(Verdict, lambda event: event.state == "helping", since=since)


def freeze(client: Speaker[AnyEvent], seconds: float) -> None:
    """As a laptop that sleeps: nothing of the family runs."""
    family = client.family
    for process in family:
        process.send_signal(signal.SIGSTOP)
    last(seconds)
    for process in family:
        process.send_signal(signal.SIGCONT)


@seldom
def test_a_computer_that_has_slept_helps_again(hands: Crew) -> None:
    organiser = hands.organiser()
    client = helping(hands, organiser)
    with told("a sleep of 60 s", client, organiser) as over:
        freeze(client, 60.0)
        over()


@seldom
def test_volunteers_come_back_to_an_organiser_that_was_killed(hands: Crew) -> None:
    organiser = hands.organiser(listen=())
    client = helping(hands, organiser)
    organiser.reaches(2)
    since = len(client.said)
    for process in organiser.family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    organiser.ended()
    client.wait_for(Verdict, lambda event: event.state == "alone", since=since)
    again = hands.organiser(listen=())
    with told("the organiser was killed and came back", client, again) as over:
        over()


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@seldom
def test_a_volunteer_whose_only_known_address_is_dead_comes_back_through_others(hands: Crew) -> None:
    organiser = hands.organiser()
    other = hands.volunteer(organiser.posted, "other", "direct")
    client = helping(hands, organiser)
    client.wait_for(PeersSeen, lambda seen: len(seen.peers) == 3)
    notes = hands.folder / "volunteer" / "data" / FILE_NAME
    client.until(lambda _: other.peer_id in _read(notes))
    for process in organiser.family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    organiser.ended()
    with told("the first peer is dead, and then our worker was killed", client, other) as over:
        since = len(client.said)
        worker_of(client).kill()
        over()
        client.wait_for(TrainingStarted, since=since)


@seldom
def test_of_two_addresses_one_may_be_dead(hands: Crew) -> None:
    dead = "/ip4/127.0.0.1/tcp/1/p2p/12D3KooWA2U9XoiDR8sSDxSPfce1D5EzymcqDb7nuiVLzET6YWjG"
    organiser = hands.organiser()
    client = hands.client(f"{dead} {organiser.posted}", "volunteer", "client")
    client.wait_for(RoundFinished, averaged)
