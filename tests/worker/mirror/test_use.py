"""A state of the mirror becomes ours only where a donor's round log knows its version and leads on from there."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from torch import Tensor

from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.local_sgd.catch_up import MIRROR
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS
from core.worker.swarm.local_sgd.state_file import MirrorUse, write_state_file
from tests.worker.local_sgd.members import Donor, Newcomer


@pytest.fixture
def donor(tmp_path: Path) -> Donor:
    """A member with a full log."""
    donor = Donor(tmp_path / "rounds")
    donor.take_rounds(MAX_ROUNDS + 3)
    return donor


@pytest.fixture
def newcomer(donor: Donor, tmp_path: Path) -> Newcomer:
    return Newcomer(Donor(tmp_path / "untrained").state(), donor)


def mirrored(tmp_path: Path, state: list[Tensor]) -> Path:
    """A file of the mirror with that state."""
    write_state_file(tmp_path / "state", state, {})
    return tmp_path / "state"


def use_of_mirror(state: State) -> MirrorUse:
    return MirrorUse(state[0].get(MIRROR, MirrorUse.REFUTED))


@pytest.mark.parametrize("rounds", range(MAX_ROUNDS + 1))
def test_a_state_of_the_last_rounds_is_led_to_the_present(
    donor: Donor, newcomer: Newcomer, tmp_path: Path, rounds: int
) -> None:
    path = mirrored(tmp_path, donor.state())
    donor.take_rounds(rounds)
    assert use_of_mirror(newcomer.download(path)) is MirrorUse.USED


def test_a_stale_state_is_not_used(donor: Donor, newcomer: Newcomer, tmp_path: Path) -> None:
    path = mirrored(tmp_path, donor.state())
    donor.take_rounds(MAX_ROUNDS + 1)
    assert use_of_mirror(newcomer.download(path)) is MirrorUse.REFUTED


@pytest.mark.parametrize("place", range(5))
def test_wrong_weights_momentum_or_steps_are_not_used(
    donor: Donor, newcomer: Newcomer, tmp_path: Path, place: int
) -> None:
    state = donor.state()
    state[place].view(-1)[0] += 1
    donor.take_rounds(1)
    assert use_of_mirror(newcomer.download(mirrored(tmp_path, state))) is MirrorUse.REFUTED


def test_a_file_that_has_changed_meanwhile_is_not_used(
    donor: Donor, newcomer: Newcomer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = mirrored(tmp_path, donor.state())
    path.write_bytes(path.read_bytes()[:-1])
    with caplog.at_level(logging.WARNING):
        assert use_of_mirror(newcomer.download(path)) is MirrorUse.REFUTED
    assert "the mirror's state cannot be read" in caplog.text


def test_without_a_mirror_a_donor_cannot_claim_one(newcomer: Newcomer) -> None:
    assert use_of_mirror(newcomer.download()) is MirrorUse.REFUTED


def test_who_can_replay_the_rounds_from_its_own_weights_needs_no_mirror(donor: Donor, tmp_path: Path) -> None:
    newcomer = Newcomer(donor.state(), donor)
    path = mirrored(tmp_path, donor.state())
    donor.take_rounds(2)
    assert use_of_mirror(newcomer.download(path)) is MirrorUse.NOT_NEEDED
