"""A rollback names one swarm of its run, which no other rollback and no other run has, and voids what begins later."""

from __future__ import annotations

import msgspec

from core.run.signed_scores import EvaluationHistory, Score
from core.run.steering.control_value import ControlValue, Order, control_in, newer_of, sign_control
from core.run.steering.edit import Edit, numbers_of
from core.run.steering.rollback import is_same, least_epoch, swarm_id
from core.security.identity import Identity
from tests.support.real_peers import tiny

ORGANISER = Identity.create()
NOW = 2_000_000_000.0
HASH = 64 * "a"
BEFORE = ControlValue(run_id="sums")
BACK = BEFORE.rolled_back(20, HASH, NOW)


def test_each_rollback_begins_a_swarm_of_its_own_in_which_all_stay_whatever_else_is_asked() -> None:
    again = BACK.rolled_back(20, HASH, NOW)
    paused = BACK.ordered(Order(state="paused"), NOW + 9)
    names = [swarm_id("sums", "gradients", each.rollback) for each in (BEFORE, BACK, again, paused)]
    assert names == ["sums", f"sums~{BACK.number}", f"sums~{again.number}", f"sums~{BACK.number}"]
    assert swarm_id("sums", "local-sgd", BACK.rollback) not in names
    assert len({*names}) == 3 and is_same(paused.rollback, BACK.rollback) and not is_same(again.rollback, BACK.rollback)
    assert least_epoch(BACK.rollback) == 20 and least_epoch(None) == 0


def test_a_rollback_is_signed_and_an_older_value_without_it_takes_nobody_forward_again() -> None:
    signed = sign_control(BACK, ORGANISER)
    assert control_in(signed, ORGANISER.peer_id, "sums") == BACK
    assert newer_of(BACK, BEFORE.noticed("Older.", NOW - 60)) is BACK


def test_a_workerbee_that_knows_of_no_rollbacks_reads_values_without_one() -> None:
    assert "rollback" not in msgspec.json.decode(msgspec.json.encode(BEFORE.noticed("Back at noon.", NOW)))


def test_a_change_of_numbers_that_begins_later_is_void() -> None:
    base = numbers_of(tiny())
    edits = tuple(Edit(numbers=base, base=base, from_epoch=epoch) for epoch in (20, 21, None))
    control = msgspec.structs.replace(BEFORE, edits=edits)
    assert control.rolled_back(20, HASH, NOW).edits == edits[:1]


def test_what_was_measured_after_the_checkpoint_and_before_the_rollback_is_left_out() -> None:
    given_up, kept, since = (Score(epoch=epoch, loss=1.0, at=at) for epoch, at in ((25, 50.0), (20, 40.0), (21, 70.0)))
    assert EvaluationHistory("sums", (kept, given_up)).gone_back_to(20, 60.0).scores == (kept,)
    assert EvaluationHistory("sums", (kept, since)).gone_back_to(20, 60.0).scores == (kept, since), "after a restart"
