"""A line, a process or a whole computer fails: the others hardly notice, and we help again by ourselves."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from core.errors import ErrorKind
from core.files.folders import Folders
from core.protocol.events import (
    AnyEvent,
    CheckpointSaved,
    ContributionStatus,
    Failed,
    Restarting,
    RoundFinished,
    StateLoading,
    TrainingStarted,
)
from core.protocol.peers import PeersSeen
from core.run.manifest import RunManifest
from core.run.spec.collaboration import Mode
from core.run.spec.data import SumsData
from core.worker.training.checkpoint_file import read_checkpoint
from tests.bench.local_sgd.recorded_peers import RecordedPeers
from tests.bench.local_sgd.root_counts import disputes, root_counts_of
from tests.integration.local_sgd.together import average_together
from tests.support.computer.loopback import free_port
from tests.support.environment.network_namespaces import Internet
from tests.support.fault_injection import Fault, cut, freeze, gave, kill, last
from tests.support.peers.slow_computer import SAMPLES_PER_SECOND
from tests.support.real_peers import RUN_ID, LineProcess, Peer, PeerGroup, averaged, survivors, tiny, worker_of
from tests.support.worker_processes import members_of

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]

seldom = pytest.mark.faults
in_each_mode = pytest.mark.parametrize("mode", get_args(Mode))
CUT_SECONDS = 30.0
LONG_CUT_SECONDS = 300.0
STEADY_ROUNDS = 3
PARTED_SECONDS = 60.0
REPLAYED = (2, 3)  # rounds; one more may be logged until the organiser is killed, and more than four are not kept


def sums(mode: Mode) -> RunManifest:
    """Sums of two digits; those of one are soon known by heart, and a state with such a loss on others is refused."""
    return msgspec.structs.replace(tiny(mode=mode), data=SumsData(digits=2))


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


@pytest.mark.parametrize(
    ("part", "mode"),
    [
        ("p2pd", "gradients"),
        ("averager", "local-sgd"),
        pytest.param("averager", "gradients", marks=seldom),
        pytest.param("dht", "gradients", marks=seldom),
    ],
)
def test_a_worker_that_has_lost_a_part_of_itself_begins_anew(group: PeerGroup, part: str, mode: Mode) -> None:
    organiser = group.organiser(manifest=sums(mode))
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
    ("mode", "seconds", "network"),
    [
        ("gradients", CUT_SECONDS, "client"),
        ("local-sgd", CUT_SECONDS, "client"),
        pytest.param("gradients", CUT_SECONDS, "direct", marks=seldom),
        pytest.param("gradients", LONG_CUT_SECONDS, "client", marks=seldom),
        pytest.param("gradients", LONG_CUT_SECONDS, "direct", marks=seldom),
        pytest.param("local-sgd", LONG_CUT_SECONDS, "direct", marks=seldom),
    ],
)
def test_a_volunteer_whose_line_was_cut_helps_again(
    group: PeerGroup, net: Internet, mode: Mode, seconds: float, network: str
) -> None:
    here, there = net.host(), net.host()
    organiser = group.at(there).organiser(manifest=sums(mode))
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


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[RecordedPeers]:
    """As fast as all other peers here."""
    with contextlib.closing(RecordedPeers(tmp_path)) as group:
        group.pace = SAMPLES_PER_SECOND
        yield group


@seldom
@pytest.mark.networks
@in_each_mode
def test_after_a_cut_between_them_the_smaller_part_of_a_swarm_follows_the_larger(
    recorded: RecordedPeers, net: Internet, mode: Mode
) -> None:
    group, there = recorded, net.host()
    organiser = group.at(there).organiser(manifest=sums(mode))
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
    if mode == "local-sgd":  # who is cut off steps alone once the others' reports have expired, and comes back
        average_together(*everybody, among=len(everybody))
        assert root_counts_of(recorded.started).astray == 0, disputes(recorded.started)


@pytest.mark.parametrize("mode", [pytest.param("gradients", marks=seldom), "local-sgd"])
def test_a_computer_that_has_slept_helps_again(group: PeerGroup, mode: Mode) -> None:
    organiser = group.organiser(manifest=sums(mode))
    client = helping(group, organiser)
    with told("a sleep of 60 s", client, organiser) as over:
        freeze(client.family, 60.0)
        over()


@pytest.fixture
def listen() -> tuple[str, ...]:
    """Where the organiser is found, also when it comes back; another test's peer may have taken the usual port."""
    return (f"/ip4/127.0.0.1/tcp/{free_port()}",)


def killed_with_an_old_checkpoint(
    group: PeerGroup, mode: Mode, listen: tuple[str, ...]
) -> tuple[LineProcess[AnyEvent], CheckpointSaved]:
    """A volunteer whose organiser was killed, and the checkpoint that is left of it, which is three epochs old."""
    organiser = group.organiser(manifest=sums(mode), listen=listen)
    client = helping(group, organiser)
    return client, killed_three_epochs_later(organiser, mode)


def killed_three_epochs_later(organiser: Peer, mode: Mode) -> CheckpointSaved:
    """The next checkpoint, which is all that an organiser leaves that is killed three epochs after it.

    With local SGD most of these epochs have ended with a round, which leads on from it: not each does on a busy
    computer.
    """
    while True:
        saved = organiser.wait_for(CheckpointSaved, since=len(organiser.said))
        kept = organiser.home / "old.safetensors"
        shutil.copy(saved.path, kept)
        epoch = read_checkpoint(kept, RUN_ID).epoch  # the next one may have taken its place meanwhile
        organiser.reaches(epoch + 3)
        if mode == "gradients" or logged_rounds(organiser.home, kept) in REPLAYED:
            break
    kill(organiser.family)
    organiser.ended()
    assert survivors(organiser) == [], "nobody listens on its port any more"
    shutil.copy(kept, saved.path)
    return CheckpointSaved(path=saved.path, epoch=epoch)


def logged_rounds(home: Path, checkpoint: Path) -> int:
    """How many rounds in the log of a peer with that folder lead on from that checkpoint of local SGD."""
    steps = int(read_checkpoint(checkpoint, RUN_ID, ("extra.",)).tensors["extra.0"])
    logged = {int(path.name.split("-")[0]) for path in home.rglob("*.round")}
    return next(rounds for rounds in itertools.count() if steps + rounds + 1 not in logged)


@in_each_mode
def test_volunteers_come_back_to_an_organiser_that_was_killed(
    group: PeerGroup, mode: Mode, listen: tuple[str, ...]
) -> None:
    """With local SGD its round log leads on from its checkpoint."""
    client, old = killed_with_an_old_checkpoint(group, mode, listen)
    client.until(lambda _: client.all(ContributionStatus)[-1].state == "alone", since=len(client.said) - 1)
    led_on = 0 if mode == "gradients" else logged_rounds(group.folder / "organiser", Path(old.path))
    again = group.organiser(manifest=sums(mode), listen=listen)
    with told("the organiser was killed and came back", client, again) as over:
        over()
    gained = again.wait_for(TrainingStarted).epoch - old.epoch
    assert gained == 0 if mode == "gradients" else gained >= led_on, (gained, led_on)


@seldom
def test_an_organiser_that_was_killed_while_it_was_alone_goes_on_and_who_joins_it_at_once_begins_there(
    group: PeerGroup, listen: tuple[str, ...]
) -> None:
    """It has its rounds in its log; the newcomer finds the run before anybody has told how far that is."""
    organiser = group.organiser(manifest=sums("local-sgd"), listen=listen)
    old = killed_three_epochs_later(organiser, "local-sgd")
    again = group.organiser(manifest=sums("local-sgd"), listen=listen)
    newcomer = group.volunteer(again.posted, "volunteer", "client")
    began = again.wait_for(TrainingStarted).epoch
    assert began >= old.epoch + 2
    assert newcomer.wait_for(TrainingStarted).epoch >= began


@seldom
@in_each_mode
def test_an_organiser_that_comes_back_at_once_with_an_old_checkpoint_goes_on(
    group: PeerGroup, mode: Mode, listen: tuple[str, ...]
) -> None:
    """Its volunteers are ahead and offer no state, because nobody can reach them: its old one is better than none."""
    client, old = killed_with_an_old_checkpoint(group, mode, listen)
    for rounds in (group.folder / "organiser").rglob("rounds"):
        shutil.rmtree(rounds)
    again = group.organiser(manifest=sums(mode), listen=listen)
    with told("the organiser came back at once with an old checkpoint", client, again) as over:
        over()
    assert again.wait_for(TrainingStarted).epoch == old.epoch


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@seldom
@in_each_mode
def test_a_volunteer_whose_only_known_address_is_dead_comes_back_through_others(group: PeerGroup, mode: Mode) -> None:
    organiser = group.organiser(manifest=sums(mode))
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


@in_each_mode
def test_of_two_addresses_one_may_be_dead(group: PeerGroup, mode: Mode) -> None:
    dead = "/ip4/127.0.0.1/tcp/1/p2p/12D3KooWA2U9XoiDR8sSDxSPfce1D5EzymcqDb7nuiVLzET6YWjG"
    organiser = group.organiser(manifest=sums(mode))
    client = group.client(f"{dead} {organiser.posted}", "volunteer", "client")
    client.wait_for(RoundFinished, averaged)
