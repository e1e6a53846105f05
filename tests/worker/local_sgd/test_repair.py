"""A repair is tried until the weights are right, with longer and longer waits, and not for ever."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core.worker.swarm.local_sgd import repair
from core.worker.swarm.local_sgd.repair import (
    DOUBTFUL_TRIES,
    MAX_TRIES,
    STANDSTILL_TRIES,
    WAIT_SECONDS,
    Repair,
)
from tests.support.computer.fake_clock import FakeClock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    here = FakeClock()
    monkeypatch.setattr(repair, "time", SimpleNamespace(monotonic=here))
    return here


def test_without_a_request_nothing_is_due(clock: FakeClock) -> None:
    assert not Repair().is_due()


def test_others_have_a_moment_for_their_outer_step(clock: FakeClock) -> None:
    due = Repair()
    due.request(5)
    assert not due.is_due()
    clock.now += WAIT_SECONDS
    assert due.is_due() and due.min_outer_steps == 5


def test_it_is_over_once_the_weights_have_as_many_steps_behind_them(clock: FakeClock) -> None:
    due = Repair()
    due.request(5)
    clock.now += WAIT_SECONDS
    due.tried(4)
    assert not due.is_due()
    clock.now += 2 * WAIT_SECONDS
    assert due.is_due()
    due.tried(5)
    clock.now += 1000
    assert not due.is_due() and due.min_outer_steps == 0


def test_a_group_that_knows_of_fewer_steps_does_not_end_the_search_for_more(clock: FakeClock) -> None:
    due = Repair()
    due.request(6)
    due.request(5)
    assert due.min_outer_steps == 6
    clock.now += WAIT_SECONDS
    due.tried(5)
    assert due.min_outer_steps == 6


def test_after_some_tries_it_waits_for_the_next_group(clock: FakeClock) -> None:
    due = Repair()
    due.request(5)
    for tries in range(1, MAX_TRIES + 1):
        clock.now += 1000
        assert due.is_due()
        due.tried(4)
        assert due.is_sure(4) == (tries >= DOUBTFUL_TRIES), "it does not stand still for ever"
    clock.now += 1000
    assert not due.is_due()
    due.request(6)
    clock.now += WAIT_SECONDS
    assert due.is_due()


def test_whose_donors_stand_still_as_well_trains_on_and_asks_until_an_exchange_of_theirs_must_be_over(
    clock: FakeClock,
) -> None:
    """They may be in the middle of the exchange that it has missed, and have stepped a minute later."""
    due, began = Repair(), clock.now
    due.request(5)
    for tries in range(1, MAX_TRIES + 1):
        clock.now += WAIT_SECONDS * 2 ** (tries - 1)
        assert due.is_due()
        assert due.is_sure(4) == (tries > STANDSTILL_TRIES)
        assert not due.poll(Weights(), Search(None), 4, is_idle=True)
        assert not due.brings_on(4, 4, is_like_ours=True, is_ahead=False)
        due.tried(4)
    assert 300 < clock.now - began < 600
    clock.now += 1000
    assert not due.is_due() and due.min_outer_steps == 0


def test_who_has_begun_anew_is_sure_of_its_weights_once_it_has_asked_the_others(clock: FakeClock) -> None:
    due = Repair()
    due.loaded(0)
    assert due.is_sure(0), "no state has come"
    due.loaded(4)
    assert not due.is_sure(4) and due.min_outer_steps == 5
    for _ in range(STANDSTILL_TRIES):
        clock.now += 1000
        assert not due.poll(Weights(), Search(None), 4, is_idle=True)
        assert not due.brings_on(4, 4, is_like_ours=True, is_ahead=False)
        due.tried(4)
    assert due.is_sure(4)
    due.loaded(7)
    assert due.is_sure(7), "it has begun long ago"


def test_who_has_stepped_before_it_takes_a_state_has_forgotten_nothing(clock: FakeClock) -> None:
    due = Repair()
    due.stepped(1)
    due.loaded(4)
    assert due.is_sure(4)


def test_what_was_only_asked_for_is_forgotten_once_a_group_tells_what_is_right(clock: FakeClock) -> None:
    due = Repair()
    due.request(8, is_doubtful=False)
    due.request(6)
    assert due.min_outer_steps == 6
    due.request(7, is_doubtful=False)
    assert due.min_outer_steps == 7, "what others may have beyond that is still asked for"


def test_who_only_asks_and_is_epochs_behind_takes_what_there_is(clock: FakeClock) -> None:
    due, search = Repair(), Search(None)
    due.request(5, is_doubtful=False)
    assert due.brings_on(3, 4, is_like_ours=False, is_ahead=True)
    clock.now += WAIT_SECONDS
    due.poll(Weights(), search, 4, is_idle=True)
    assert not due.brings_on(3, 4, is_like_ours=False, is_ahead=True), "its own search is for later ones"


def test_who_takes_the_step_that_it_has_asked_for_asks_no_more(clock: FakeClock) -> None:
    due = Repair()
    due.request(5, is_doubtful=False)
    due.stepped(5)
    clock.now += 1000
    assert not due.is_due() and due.min_outer_steps == 0


def test_a_donor_with_other_weights_shows_that_the_round_has_not_failed_for_all(clock: FakeClock) -> None:
    due = Repair()
    due.request(5)
    for _ in range(STANDSTILL_TRIES):
        clock.now += 1000
        assert not due.brings_on(4, 4, is_like_ours=True, is_ahead=False)
        assert not due.brings_on(3, 4, is_like_ours=False, is_ahead=True)
        due.tried(4)
    assert due.min_outer_steps == 5


def test_who_is_several_rounds_behind_takes_what_brings_it_nearer_and_still_looks_for_the_rest(
    clock: FakeClock,
) -> None:
    due = Repair()
    due.request(5)
    assert due.brings_on(4, 2, is_like_ours=False, is_ahead=False)
    due.tried(4)
    assert due.min_outer_steps == 5
    assert due.brings_on(5, 4, is_like_ours=False, is_ahead=False)


@pytest.mark.parametrize("is_like_ours", [True, False])
def test_who_is_epochs_behind_follows_a_run_in_which_nobody_has_stepped_since(is_like_ours: bool) -> None:
    due = Repair()
    due.request(5)
    assert due.brings_on(4, 4, is_like_ours=is_like_ours, is_ahead=True)
    assert not due.brings_on(3, 4, is_like_ours=False, is_ahead=True)


class Weights:
    """As much of an averager as a repair sees: the epoch."""

    local_epoch = 7


class Search:
    """A search for a state that answers as it is told, one answer a call."""

    def __init__(self, *answers: bool | None) -> None:
        self._answers = list(answers)

    def go_on(self, averager: object, min_epoch: int) -> bool | None:
        return self._answers.pop(0)


def test_what_is_missing_comes_while_training_goes_on(clock: FakeClock) -> None:
    due, weights, search = Repair(), Weights(), Search(None, None, True)
    due.request(5)
    assert not due.poll(weights, search, 4, is_idle=True)
    clock.now += WAIT_SECONDS
    assert [due.poll(weights, search, 4, is_idle=True) for _ in range(3)] == [False, False, True]
    assert not due.must_stand_still


def test_who_steps_while_it_looks_for_the_outcome_of_an_earlier_step_is_not_led_back(clock: FakeClock) -> None:
    due, weights, search = Repair(), Weights(), Search(None, False)
    due.stepped(4)
    assert due.min_outer_steps == 0
    due.request(5)
    clock.now += WAIT_SECONDS
    assert not due.poll(weights, search, 4, is_idle=True)
    due.stepped(6)
    assert not due.brings_on(5, 6, is_like_ours=False, is_ahead=True)
    assert not due.poll(weights, search, 6, is_idle=True) and due.min_outer_steps == 0


def test_nothing_takes_the_place_of_our_weights_in_the_middle_of_an_exchange(clock: FakeClock) -> None:
    due, search = Repair(), Search(None, True)
    due.request(5)
    clock.now += WAIT_SECONDS
    assert [due.poll(Weights(), search, 4, is_idle=idle) for idle in (False, False, True)] == [False, False, True]


def test_who_takes_part_in_a_step_again_does_not_stand_still_for_the_next_search(clock: FakeClock) -> None:
    due, weights, search = Repair(), Weights(), Search(None, False)
    due.request(5)
    clock.now += WAIT_SECONDS
    due.poll(weights, search, 4, is_idle=True)
    weights.local_epoch += 1
    assert not due.poll(weights, search, 4, is_idle=True)
    due.stepped(5)
    due.request(6)
    clock.now += WAIT_SECONDS
    assert due.is_due() and not due.must_stand_still


def test_where_one_exchange_follows_on_another_training_stands_still_for_the_right_weights(clock: FakeClock) -> None:
    due, weights, search = Repair(), Weights(), Search(None)
    due.request(5)
    clock.now += WAIT_SECONDS
    for _ in range(2):
        assert not due.poll(weights, search, 4, is_idle=False) and not due.must_stand_still
        weights.local_epoch += 1
    assert not due.poll(weights, search, 4, is_idle=False) and due.must_stand_still
    due.tried(5)
    assert due.must_stand_still, "the others have stepped in the exchange that it has waited for"
    due.tried(6)
    assert not due.must_stand_still


def test_who_steps_in_the_exchange_during_which_it_searches_does_not_stand_still_for_the_search(
    clock: FakeClock,
) -> None:
    due, weights, search = Repair(), Weights(), Search(None)
    due.request(5)
    clock.now += WAIT_SECONDS
    assert not due.poll(weights, search, 4, is_idle=False)
    due.stepped(5)
    for _ in range(3):
        weights.local_epoch += 1
        assert not due.poll(weights, search, 5, is_idle=False)
        assert due.is_sure(5) and not due.must_stand_still


def test_what_has_waited_for_the_end_of_an_exchange_leads_on_to_a_search_that_training_waits_for(
    clock: FakeClock,
) -> None:
    """The others have stepped in that exchange; without it, what was found is all that is wanted."""
    due, weights, search = Repair(), Weights(), Search(None, True, None, True)
    due.request(5)
    clock.now += WAIT_SECONDS
    assert [due.poll(weights, search, 4, is_idle=idle) for idle in (False, False, True)] == [False, False, True]
    due.tried(5)
    assert due.must_stand_still and not due.is_sure(5) and due.is_sure(6)
    assert due.seconds_until_due() == WAIT_SECONDS, "they need a moment for their outer step"
    due.tried(6)
    assert not due.must_stand_still and not due.is_due()
    due.request(7)
    clock.now += WAIT_SECONDS
    assert [due.poll(weights, search, 6, is_idle=True) for _ in range(2)] == [False, True]
    due.tried(7)
    assert not due.must_stand_still and not due.is_due()


def test_who_has_stepped_in_that_exchange_itself_needs_no_second_search(clock: FakeClock) -> None:
    due, weights, search = Repair(), Weights(), Search(None, True)
    due.request(5)
    clock.now += WAIT_SECONDS
    assert [due.poll(weights, search, 4, is_idle=False) for _ in range(2)] == [False, False]
    due.stepped(6)
    assert due.poll(weights, search, 6, is_idle=True)
    due.tried(6)
    assert not due.must_stand_still and not due.is_due()


def test_who_steps_while_training_waits_for_a_second_search_trains_on_at_once(clock: FakeClock) -> None:
    """Its exchange has outlived the load of what the first search had found."""
    due, weights, search = Repair(), Weights(), Search(None, True)
    due.request(5)
    clock.now += WAIT_SECONDS
    assert [due.poll(weights, search, 4, is_idle=idle) for idle in (False, False, True)] == [False, False, True]
    due.tried(5)
    assert due.must_stand_still
    due.stepped(6)
    assert not due.must_stand_still, "nothing is due any more, and nobody could wait for it"
    assert not due.is_due() and due.min_outer_steps == 0
    assert due.seconds_until_due() == WAIT_SECONDS, "who has just asked whether it must stand still can wait for it"


def test_a_search_that_finds_nothing_is_repeated_beside_training(clock: FakeClock) -> None:
    due, weights, search = Repair(), Weights(), Search(None, False, None, True)
    due.request(5)
    clock.now += WAIT_SECONDS
    assert [due.poll(weights, search, 4, is_idle=True) for _ in range(3)] == [False, False, False]
    clock.now += 2 * WAIT_SECONDS
    assert [due.poll(weights, search, 4, is_idle=True) for _ in range(2)] == [False, True]


def test_a_line_on_which_an_epoch_is_too_short_for_a_repair_stands_still_until_it_is_done(clock: FakeClock) -> None:
    due, weights, search = Repair(), Weights(), Search(None, False)
    due.request(5)
    clock.now += WAIT_SECONDS
    assert not due.poll(weights, search, 4, is_idle=True)
    weights.local_epoch += 1
    assert not due.poll(weights, search, 4, is_idle=True) and not due.must_stand_still
    clock.now += 2 * WAIT_SECONDS
    assert due.must_stand_still and not due.poll(weights, search, 4, is_idle=True)
    due.tried(5)
    due.request(6)
    clock.now += WAIT_SECONDS
    assert due.is_due() and not due.must_stand_still


def test_whose_round_has_failed_asks_what_the_others_have_and_trains_on_however_long_that_takes(
    clock: FakeClock,
) -> None:
    """Most such rounds have failed for the others as well."""
    due, weights, search = Repair(), Weights(), Search(None, False)
    due.request(5, is_doubtful=False)
    clock.now += WAIT_SECONDS
    assert due.is_sure(4) and not due.poll(weights, search, 4, is_idle=True)
    weights.local_epoch += 1
    assert not due.poll(weights, search, 4, is_idle=True)
    clock.now += 2 * WAIT_SECONDS
    assert due.is_due() and not due.must_stand_still
    due.request(5)
    clock.now += WAIT_SECONDS
    assert due.must_stand_still and not due.is_sure(4) and due.is_sure(5)
