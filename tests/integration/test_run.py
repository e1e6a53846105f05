"""A run of real peers on loopback: they find each other, average, catch up, leave and come again."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import ErrorKind
from core.protocol.events import (
    AnyEvent,
    CheckpointSaved,
    ContributionStatus,
    Evaluated,
    Failed,
    Left,
    Progress,
    Published,
    RoundFinished,
    RunFound,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.protocol.limits import Traffic
from core.protocol.peers import PeersSeen
from core.records.published.checkpoint_header import read_header
from tests.support.computer.loopback import free_port
from tests.support.real_peers import (
    GHOST_SECONDS,
    PATIENCE_SECONDS,
    RUN_ID,
    Peer,
    PeerGroup,
    averaged,
    first_said,
    peer_group,
    survivors,
    tiny,
)

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

RECENT = 60  # reports of progress, of which there are two a second
MONITOR = "tests.integration.foreign.hivemind_scripts"


@dataclass(frozen=True)
class Three:
    """An organiser, a volunteer whom others can reach, and one who only connects outwards."""

    organiser: Peer
    direct: Peer
    client: Peer

    @property
    def everybody(self) -> tuple[Peer, Peer, Peer]:
        """All three."""
        return self.organiser, self.direct, self.client


@pytest.fixture(scope="class")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Three]:
    """Three peers of one run; the organiser only keeps the state, which leaves two cores to the others."""
    with peer_group(tmp_path_factory.mktemp("three")) as everybody:
        organiser = everybody.organiser(train=False)
        direct = everybody.volunteer(organiser.posted, "direct", name="Ada’s attic")
        yield Three(organiser, direct, everybody.volunteer(organiser.posted, "client", "client"))


class TestThreePeers:
    """The organiser and two volunteers, one of whom only connects outwards."""

    def test_three_peers_average_together_and_each_of_them_helps(self, three: Three) -> None:
        for peer in three.everybody:
            together = peer.wait_for(
                RoundFinished, lambda event: event.ok and event.peers == 3, seconds=PATIENCE_SECONDS
            )
            assert together.seconds > 0
            peer.wait_for(ContributionStatus, lambda event: event.state == "helping")

    def test_a_name_that_was_chosen_is_seen_by_the_others(self, three: Three) -> None:
        for peer in (three.organiser, three.client):
            seen = peer.wait_for(PeersSeen, lambda event: any(other.name for other in event.peers)).peers
            (named,) = (other for other in seen if other.name)
            assert (named.peer_id, named.name, named.device) == (three.direct.peer_id, "Ada’s attic", "CPU")

    def test_a_peer_in_client_mode_is_counted_as_one(self, three: Three) -> None:
        for peer in three.everybody:
            progress = peer.wait_for(Progress, lambda event: event.peers == 3)
            assert peer.wait_for(Progress, lambda event: event.peers == 3 and event.clients == 1)
            assert progress.target == tiny().collaboration.target_batch_size
        seen = three.organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 3)
        modes = {peer.peer_id: peer.client_mode for peer in seen.peers}
        assert modes == {
            three.organiser.peer_id: False,
            three.direct.peer_id: False,
            three.client.peer_id: True,
        }

    def test_epochs_advance_and_what_a_person_sees_arrives(self, three: Three) -> None:
        goal = three.organiser.epoch + 2
        for peer in three.everybody:
            progress = peer.reaches(goal)
            assert progress.loss is not None
            assert 0 < progress.loss < 20
            assert progress.sent_bytes > 0
            assert progress.received_bytes > 0
            assert progress.contributed_samples > 0
            assert peer.wait_for(Evaluated).examples
        assert three.organiser.wait_for(CheckpointSaved).epoch >= 1

    def test_a_volunteer_finds_the_run_vouched_for_by_the_pasted_address(self, three: Three) -> None:
        found = three.client.wait_for(RunFound)
        assert (found.organiser, found.vouched) == (three.organiser.peer_id, True)
        assert found.manifest == tiny()

    def test_hiveminds_training_monitor_sees_every_peer_and_the_runs_loss(self, three: Three, group: PeerGroup) -> None:
        monitor = group.cold.script("monitor", MONITOR, "monitor", RUN_ID, three.organiser.posted)
        seen = monitor.until(lambda fact: have_all_trained(fact["metrics"]))["metrics"]
        keeper, *volunteers = sorted(peer["samples_per_second"] for peer in seen)
        assert keeper == 0 and min(volunteers) > 0, "the organiser only keeps the state"
        loss = sum(peer["loss"] for peer in seen) / sum(peer["mini_steps"] for peer in seen)  # as the monitor does
        reports = [each for peer in (three.direct, three.client) for each in peer.all(Progress)[-RECENT:]]
        ours = [each.loss for each in reports if each.loss is not None]
        assert min(ours) / 3 < loss < max(ours) * 3


def have_all_trained(metrics: list[dict[str, Any]]) -> bool:
    """Whether the three have, in the epoch of which they tell; nobody has who came to it by another's state."""
    is_told = all(peer["mini_steps"] > 0 and peer["samples_accumulated"] > 0 for peer in metrics)
    return is_told and len(metrics) == 3 and sum(peer["samples_per_second"] > 0 for peer in metrics) == 2


def test_a_late_volunteer_gets_the_state_from_a_keeper_when_all_others_only_connect_outwards(
    group: PeerGroup,
) -> None:
    keeper = group.organiser(train=False)
    first = group.volunteer(keeper.posted, "first", "client")
    keeper.wait_for(RoundFinished, averaged)
    keeper.reaches(2)
    late = group.volunteer(keeper.posted, "late", "client")
    late.wait_for(StateLoading, lambda event: event.received_bytes > 0)
    assert late.wait_for(TrainingStarted).epoch >= 2
    assert late.wait_for(Progress).epoch >= 2
    late.wait_for(RoundFinished, averaged)
    given = keeper.all(Progress)[-1].contributed_samples
    assert given < first.all(Progress)[-1].contributed_samples / 2


@dataclass(frozen=True)
class Farewell:
    """The organiser of a run has left; a volunteer remained. ``here`` is what it had said until then."""

    organiser: Peer
    family: list[str]
    code: int
    seconds: float
    volunteer: Peer
    here: int


@pytest.fixture(scope="class")
def farewell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farewell]:
    """Two peers who have averaged; then the first of them leaves."""
    with peer_group(tmp_path_factory.mktemp("farewell")) as everybody:
        organiser = everybody.organiser()
        volunteer = everybody.volunteer(organiser.posted, "volunteer")
        volunteer.wait_for(RoundFinished, averaged)
        volunteer.wait_for(Progress, lambda event: event.peers == 2)
        family, here, began = organiser.family, len(volunteer.said), time.monotonic()
        code = organiser.leave()
        seconds = time.monotonic() - began
        left = survivors(organiser, family)
        yield Farewell(organiser, left, code, seconds, volunteer, here)


class TestLeaving:
    """Somebody goes, the others stay."""

    def test_a_peer_that_leaves_says_so_and_nothing_of_it_remains(self, farewell: Farewell) -> None:
        said: AnyEvent = farewell.organiser.said[-1]
        assert isinstance(said, Left)
        assert farewell.organiser.all(Traffic)[-1].sent_bytes > 0, "what its line has carried, to the last"
        assert farewell.code == 0
        assert farewell.seconds < GHOST_SECONDS / 2
        assert farewell.family == []

    def test_a_peer_that_leaves_is_missed_at_once_and_the_others_go_on(self, farewell: Farewell) -> None:
        volunteer, began = farewell.volunteer, time.monotonic()
        volunteer.wait_for(Progress, lambda event: event.peers == 1, since=farewell.here)
        assert time.monotonic() - began < GHOST_SECONDS / 2
        epoch = volunteer.epoch
        volunteer.reaches(epoch + 2)
        volunteer.wait_for(ContributionStatus, lambda event: event.state == "alone", since=farewell.here)

    def test_a_run_is_still_found_through_a_volunteer_when_its_organiser_is_gone(
        self, farewell: Farewell, group: PeerGroup
    ) -> None:
        address = farewell.volunteer.address
        seekers = (group.seeker(address, f"seeker {number}") for number in range(3))  # a busy one may tell too late
        found = next(run for run in (seeker.wait_for(RunFound) for seeker in seekers) if run.peers)
        assert found.organiser == farewell.organiser.peer_id
        assert not found.vouched
        assert found.manifest == tiny()
        assert found.peers == 1


def test_a_run_that_its_organiser_closes_sends_the_volunteers_home(group: PeerGroup) -> None:
    listen = (f"/ip4/127.0.0.1/tcp/{free_port()}",)
    organiser = group.organiser(listen=listen)
    volunteer = group.volunteer(organiser.posted, "volunteer")
    here = len(volunteer.said)
    assert organiser.leave() == 0
    assert survivors(organiser) == [], "nobody listens on its port any more"
    run = tiny()
    closed = msgspec.structs.replace(run.run, state="finished", notice="Thank you all.")
    group.organiser(manifest=msgspec.structs.replace(run, run=closed), listen=listen)
    volunteer.wait_for(RunFound, lambda found: found.manifest.run.notice == "Thank you all.", since=here)
    told = volunteer.wait_for(Failed, since=here)
    assert (told.problem, str(told.detail)) == (ErrorKind.RUN_NOT_OPEN.key, "Thank you all.")
    assert volunteer.ended() == 0
    assert volunteer.all(Left, since=here)


@dataclass(frozen=True)
class FirstLife:
    """What an organiser has left behind."""

    home: Path
    listen: tuple[str, ...]
    published: Published
    epoch: int  # of its checkpoint

    def born_again(self, everybody: PeerGroup, name: str) -> Peer:
        """In a copy of its folder, of which the group may make what it wants."""
        shutil.copytree(self.home, everybody.folder / "organiser")
        return everybody.organiser(manifest=tiny(name), listen=self.listen)


@pytest.fixture(scope="class")
def first_life(tmp_path_factory: pytest.TempPathFactory) -> FirstLife:
    """An organiser that has trained for a while and has left."""
    listen = (f"/ip4/127.0.0.1/tcp/{free_port()}",)
    with peer_group(tmp_path_factory.mktemp("first-life")) as everybody:
        organiser = everybody.organiser(listen=listen)
        organiser.wait_for(CheckpointSaved, lambda event: event.epoch >= 2)
        assert organiser.leave() == 0
        path = Path(organiser.all(CheckpointSaved)[-1].path)
        kept = read_header(path)  # perhaps of a later epoch: it may have ended before it told of that one
        assert kept is not None
        return FirstLife(organiser.home, listen, organiser.wait_for(Published), kept.epoch)


def test_a_run_moves_to_another_computer_in_a_copy_of_its_folder_and_its_volunteer_goes_on(group: PeerGroup) -> None:
    listen = (f"/ip4/127.0.0.1/tcp/{free_port()}",)
    first = group.organiser("old computer", listen=listen)
    volunteer = group.volunteer(first.posted, "volunteer")
    volunteer.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)
    first.wait_for(CheckpointSaved, lambda event: event.epoch >= 1)
    assert first.leave() == 0
    assert survivors(first) == [], "nobody listens on its port any more"
    saved = first.all(CheckpointSaved)[-1]
    moved = Path("data", "organiser", RUN_ID)
    shutil.copytree(first.home / moved, group.folder / "new computer" / moved)
    second = group.organiser("new computer", listen=listen)
    assert second.wait_for(Published) == first.wait_for(Published)
    assert second.peer_id == first.peer_id
    assert second.wait_for(TrainingStarted).epoch >= saved.epoch
    here = len(second.said)  # the last round with the first may be told late, but not by the second
    for peer, since in ((second, here), (volunteer, len(volunteer.said))):
        together = peer.wait_for(RoundFinished, averaged, since=since, seconds=PATIENCE_SECONDS)
        assert together.epoch >= saved.epoch
    assert not volunteer.all(Failed)


def test_two_computers_with_one_copied_folder_are_told(group: PeerGroup) -> None:
    organiser = group.organiser()
    first = group.volunteer(organiser.posted, "first", "client")
    first.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)
    shutil.copytree(first.home / "data", group.folder / "second" / "data")
    second = group.volunteer(organiser.posted, "second", "client")
    assert first_said((first, second), is_same_peer_id, (0, 0), PATIENCE_SECONDS)
    assert second.peer_id == first.peer_id
    assert not any(map(is_same_peer_id, organiser.said))


def is_same_peer_id(event: object) -> bool:
    """Whether it warns of somebody else under this computer's peer id."""
    return isinstance(event, Warned) and event.problem == ErrorKind.SAME_PEER_ID.key


class TestComingAgain:
    """An organiser that was away."""

    def test_an_organiser_that_is_started_again_is_the_same_peer_and_goes_on(
        self, first_life: FirstLife, group: PeerGroup
    ) -> None:
        organiser = first_life.born_again(group, "Tiny sums")
        assert organiser.wait_for(Published) == first_life.published
        assert organiser.wait_for(TrainingStarted).epoch == first_life.epoch
        organiser.reaches(first_life.epoch + 1)

    def test_a_truncated_checkpoint_is_kept_aside_and_named_the_one_before_is_taken_and_a_changed_run_is_a_new_revision(
        self, first_life: FirstLife, group: PeerGroup
    ) -> None:
        shutil.copytree(first_life.home, group.folder / "organiser")
        checkpoint = next((group.folder / "organiser").rglob("checkpoint.safetensors"))
        before = [int(each.stem.split("-")[1]) for each in checkpoint.parent.glob("checkpoint-*.safetensors")]
        whole = checkpoint.read_bytes()
        checkpoint.write_bytes(whole[: len(whole) // 2])
        organiser = group.organiser(manifest=tiny("Other sums"), listen=first_life.listen)
        warned = organiser.wait_for(Warned, lambda event: event.problem == ErrorKind.CHECKPOINT_DAMAGED.key)
        assert str(checkpoint) in str(warned.detail)
        aside = checkpoint.with_name("checkpoint.safetensors.broken-1")
        assert aside.name in str(warned.detail)
        assert aside.read_bytes() == whole[: len(whole) // 2]
        assert organiser.wait_for(TrainingStarted).epoch == max(before, default=0)
        assert organiser.wait_for(Published).revision == first_life.published.revision + 1
        assert organiser.peer_id in first_life.published.addresses[0]
