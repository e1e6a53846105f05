"""A run's numbers change in one epoch for all peers, within what was agreed to, and never for another run file."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from core.errors import UserError
from core.run.manifest import RunManifest, SteeringSpec
from core.run.steering.control_value import ControlValue, is_edited
from core.run.steering.edit import (
    LEAD_EPOCHS,
    MOST_EDITS,
    Edit,
    Numbers,
    edit_error,
    edits_of,
    latest_numbers,
    lead_epochs,
    numbers_at,
    numbers_of,
    samples_before,
    with_epochs,
    with_numbers,
)
from tests.support.real_peers import tiny

NOW = 2_000_000_000.0
MANIFEST = msgspec.structs.replace(
    tiny(mode="local-sgd", max_round_seconds=20.0), steering=SteeringSpec(max_change=4.0)
)
BASE = numbers_of(MANIFEST)
CONTROL = ControlValue(run_id=MANIFEST.run.id)


def numbers(**changed: Any) -> Numbers:
    """The manifest's, but for these."""
    return msgspec.structs.replace(BASE, **changed)


SLOWER, SLOWEST = numbers(learning_rate=BASE.learning_rate / 2), numbers(learning_rate=BASE.learning_rate / 4)


def edited_twice() -> ControlValue:
    """Slower from epoch 5 on, slowest from epoch 9 on."""
    first = CONTROL.edited(SLOWER, BASE, NOW)
    first = msgspec.structs.replace(first, edits=with_epochs(first.edits, 5))
    second = first.edited(SLOWEST, BASE, NOW)
    return msgspec.structs.replace(second, edits=with_epochs(second.edits, 9))


def test_each_epoch_has_its_own_numbers_and_who_is_behind_has_the_earlier_ones() -> None:
    edits = edited_twice().edits
    held = [numbers_at(MANIFEST, edits, epoch) for epoch in (0, 4, 5, 8, 9, 100)]
    assert held == [BASE, BASE, SLOWER, SLOWER, SLOWEST, SLOWEST]
    assert latest_numbers(MANIFEST, edits) == SLOWEST


def test_the_samples_of_a_run_are_counted_with_the_epochs_length_of_each_time() -> None:
    """Epochs are twice as long from the second on, and four times from the fourth on."""
    whole = BASE.target_batch_size
    longer = [
        Edit(numbers=numbers(target_batch_size=by * whole), base=BASE, from_epoch=at) for by, at in ((2, 2), (4, 4))
    ]
    counted = [samples_before(MANIFEST, longer, epoch) / whole for epoch in (0, 1, 2, 3, 4, 5)]
    assert counted == [0, 1, 2, 4, 6, 10]
    assert samples_before(MANIFEST, [], 7) == 7 * whole


def test_an_epoch_once_signed_stays_and_a_change_that_waits_for_one_is_replaced() -> None:
    waiting = edited_twice().edited(SLOWER, BASE, NOW).edited(BASE, BASE, NOW)
    assert [each.from_epoch for each in waiting.edits] == [5, 9, None]
    assert [each.from_epoch for each in with_epochs(waiting.edits, 7)] == [5, 9, 9], "not before the one before"


def test_the_last_changes_are_kept_and_none_that_still_holds_gives_way_to_another() -> None:
    control = CONTROL
    for epoch in range(2 * MOST_EDITS):
        control = signed(control, epoch, come_to=epoch)
    assert [each.from_epoch for each in control.edits] == list(range(MOST_EDITS, 2 * MOST_EDITS))
    at = control.edits[0].from_epoch or 0
    with pytest.raises(UserError, match=f"again when epoch {2 * MOST_EDITS - 1} has begun"):
        signed(control, 100, come_to=at)
    assert signed(control, 100, come_to=at + 1).edits[0].from_epoch == at + 1


def signed(control: ControlValue, epoch: int, come_to: int) -> ControlValue:
    """The next value, with an edit from that epoch on, asked for when the run has ``come_to`` another."""
    control = control.edited(SLOWER, BASE, NOW, come_to)
    return msgspec.structs.replace(control, edits=with_epochs(control.edits, epoch))


def test_an_edit_means_nothing_for_a_manifest_with_other_numbers() -> None:
    edits = edited_twice().edits
    other = with_numbers(MANIFEST, numbers(learning_rate=0.01))
    assert edits_of(other, edits) == () and numbers_at(other, edits, 100) == numbers_of(other)
    renamed = msgspec.structs.replace(MANIFEST, run=msgspec.structs.replace(MANIFEST.run, notice="Thank you."))
    assert numbers_at(renamed, edits, 100) == SLOWEST


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({}, ""),
        ({"learning_rate": BASE.learning_rate * 4, "target_batch_size": BASE.target_batch_size // 4}, ""),
        ({"max_round_seconds": 80.0}, ""),
        ({"learning_rate": BASE.learning_rate * 4.01}, "learning_rate may become 4 times higher or lower"),
        ({"target_batch_size": BASE.target_batch_size // 5}, "target_batch_size may become 4 times higher or lower"),
        ({"max_round_seconds": None}, "max_round_seconds cannot be set or left out"),
    ],
)
def test_nobody_changes_more_than_volunteers_have_agreed_to(changed: dict[str, Any], error: str) -> None:
    found = edit_error(MANIFEST, numbers(**changed))
    assert str(found).startswith(error) if error else not found


def test_what_does_not_fit_the_rest_of_the_run_is_refused() -> None:
    patient = tiny(mode="local-sgd", max_round_seconds=20.0, matchmaking_time=6.0)
    patient = msgspec.structs.replace(patient, steering=SteeringSpec(max_change=4.0))
    assert "matchmaking_time" in str(edit_error(patient, numbers(max_round_seconds=5.0)))
    fixed = msgspec.structs.replace(MANIFEST, steering=SteeringSpec())
    assert "may not be changed" in str(edit_error(fixed, SLOWER)), "nothing by default"


def test_all_hear_of_a_change_before_it_begins() -> None:
    assert [lead_epochs(seconds) for seconds in (None, 0.0, 600.0, 3.0)] == [LEAD_EPOCHS, LEAD_EPOCHS, LEAD_EPOCHS, 10]


@pytest.mark.parametrize(
    ("manifest", "is_the_same"),
    [
        (with_numbers(MANIFEST, SLOWEST), True),
        (with_numbers(MANIFEST, SLOWER), False),
        (MANIFEST, False),
        (msgspec.structs.replace(with_numbers(MANIFEST, SLOWEST), steering=SteeringSpec()), False),
        (with_numbers(tiny(mode="local-sgd", max_round_seconds=20.0, matchmaking_time=2.0), SLOWEST), False),
    ],
    ids=["its last edit", "an earlier one", "none", "another bound", "another run"],
)
def test_a_run_file_with_the_numbers_of_the_last_edit_is_no_other_run(manifest: RunManifest, is_the_same: bool) -> None:
    newer = msgspec.structs.replace(manifest, revision=7)
    assert is_edited(newer, MANIFEST, edited_twice()) is is_the_same
