"""What others send may be no number at all: our parameters survive it, and the run goes on."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from core.errors import ErrorKind
from core.protocol.events import AnyEvent, Evaluated, Progress, RoundFinished, TrainingStarted, Warned
from core.protocol.peers import PeersSeen
from core.worker.swarm.state_parts.minimum_rate import PERIOD_SECONDS
from tests.support.fault_injection import gave, stop
from tests.support.real_peers import LineProcess, Peer, PeerGroup, averaged

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

UNTRAINED_LOSS = 3.5
EPOCHS = 2
ALL_THREE = 3
LONGEST_STALL_SECONDS = 40.0  # twice the run's averaging_timeout


def liar(group: PeerGroup, kind: str, organiser: Peer) -> LineProcess[dict[str, Any]]:
    """A peer of the organiser's run that lies, and is at it."""
    folder = group.script_folder(kind)
    return group.script(kind, "tests.support.peers.malicious_peer", kind, str(folder), organiser.posted)


def is_sane(loss: float | None) -> bool:
    return loss is not None and math.isfinite(loss) and loss < UNTRAINED_LOSS


def goes_on(peer: LineProcess[AnyEvent]) -> None:
    """Wait until it is some epochs further."""
    epoch = peer.all(Progress)[-1].epoch
    peer.wait_for(Progress, lambda progress: progress.epoch >= epoch + EPOCHS)


def refusal(peer: Peer) -> Warned:
    """That it has refused a state."""
    return peer.wait_for(Warned, lambda event: ErrorKind.from_key(event.problem) is ErrorKind.STATE_REFUSED)


@pytest.mark.faults
@pytest.mark.parametrize("kind", ["nan", "huge"])
def test_nonsense_that_a_peer_averages_with_us_changes_nothing(group: PeerGroup, kind: str) -> None:
    organiser = group.organiser()
    volunteer = group.client(organiser.posted, "volunteer", "client")
    organiser.wait_for(RoundFinished, averaged)
    script = liar(group, kind, organiser)
    peer_id = script.until(lambda said: "peer_id" in said)["peer_id"]
    organiser.wait_for(PeersSeen, lambda seen: any(peer.peer_id == peer_id for peer in seen.peers))
    everybody: tuple[LineProcess[AnyEvent], ...] = (organiser, volunteer)
    since = {peer: len(peer.said) for peer in everybody}
    for peer, here in since.items():
        peer.wait_for(RoundFinished, lambda event: "cannot be right" in str(event.reason), since=here)
        peer.wait_for(RoundFinished, averaged, since=here)
        goes_on(peer)
        assert all(is_sane(event.loss) for event in peer.all(Evaluated, here)), peer.all(Evaluated, here)


@pytest.mark.faults
def test_who_has_promised_to_average_and_hangs_holds_nobody_up_for_long(group: PeerGroup) -> None:
    organiser = group.organiser()
    volunteer = group.volunteer(organiser.posted, "volunteer", "client")
    script = liar(group, "promising", organiser)
    script.until(lambda said: said.get("round", 0) >= ALL_THREE)
    since = {peer: len(peer.said) for peer in (organiser, volunteer)}
    script.until(lambda said: "is_expected" in said, since=len(script.said))
    stop(script.family)
    for name, (peer, here) in zip(("organiser", "volunteer"), since.items(), strict=True):
        goes_on(peer)
        after = len(peer.said)
        for _ in range(EPOCHS):
            peer.wait_for(RoundFinished, gave, since=after)
            after = len(peer.said)
        stall = max(event.stalled_seconds or 0.0 for event in peer.all(Progress, here))
        print(f"\na peer hangs in the middle of a round: the {name}'s longest stall is {stall:.1f} s")
        assert stall <= LONGEST_STALL_SECONDS


def test_who_claims_to_be_ahead_and_has_nothing_is_passed_over(group: PeerGroup, tmp_path: Path) -> None:
    organiser = group.organiser()
    organiser.reaches(1)
    script = liar(group, "donor", organiser)
    claimed = script.until(lambda said: "claims" in said)["claims"]
    here = len(organiser.said)
    refusal(organiser)
    volunteer = group.volunteer(organiser.posted, "volunteer", "client")
    refusal(volunteer)  # for its epoch; or for its numbers, where no signature has told yet how far the run has come
    volunteer.wait_for(RoundFinished, averaged)
    organiser.wait_for(RoundFinished, averaged, since=here)
    assert volunteer.epoch < claimed
    assert all(is_sane(event.loss) for event in volunteer.all(Evaluated))


def test_who_joins_has_the_runs_state_before_it_trains_although_the_donors_line_breaks(group: PeerGroup) -> None:
    organiser = group.organiser()
    organiser.reaches(1)
    script = liar(group, "cut", organiser)
    claimed = script.until(lambda said: "claims" in said)["claims"]
    organiser.reaches(claimed)
    volunteer = group.volunteer(organiser.posted, "volunteer", "client")
    assert volunteer.wait_for(TrainingStarted).epoch >= claimed
    volunteer.wait_for(RoundFinished, averaged)
    assert "sent a state of" in (volunteer.home / "logs" / "worker.log").read_text()
    for peer in (organiser, volunteer):
        assert not [event for event in peer.all(Warned) if event.problem == ErrorKind.STATE_REFUSED.key]


@pytest.mark.faults
def test_who_joins_is_not_held_up_for_ever_by_a_donor_that_sends_a_byte_a_second(group: PeerGroup) -> None:
    organiser = group.organiser()
    organiser.reaches(1)
    liar(group, "dripping", organiser).until(lambda said: "claims" in said)
    volunteer = group.volunteer(organiser.posted, "volunteer", "client")
    volunteer.wait_for(TrainingStarted, seconds=4 * PERIOD_SECONDS)
    volunteer.wait_for(RoundFinished, averaged)
    assert "SlowDonorError" in (volunteer.home / "logs" / "worker.log").read_text()
