"""What a peer has changed while it missed rounds: kept for few, without what others may have already."""

from __future__ import annotations

import logging
import math
from concurrent.futures import Future
from typing import Any

import pytest
import torch
from hivemind.averaging.matchmaking import MatchmakingException
from torch import Tensor

from core.worker.swarm.averaging.allreduce import ExchangeFailedError
from core.worker.swarm.local_sgd.codecs.encoded_tensors import PART_NUMBERS, EncodedTensors
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov
from core.worker.swarm.local_sgd.own_progress import OwnProgress, Rebase, has_broken, may_have_missed
from core.worker.swarm.patches.matchmaking import StaleRoundError

CODEC = codec("int8")
BASE = [torch.zeros(3, 4), torch.ones(5)]
CHANGED = [-torch.full((3, 4), 0.5), torch.full((5,), 0.75)]
"""The model's weights: half a step down in the first tensor, a quarter in the second."""


def kept(progress: OwnProgress, rounds: int = 1, *, is_led_on: bool = True) -> list[Tensor] | None:
    """What is left of it, so many rounds later."""
    changes = progress.take(rounds, is_led_on=is_led_on)
    return None if changes is None else [changes.decoded(index) for index in range(len(BASE))]


def test_who_has_sent_nothing_keeps_all_that_it_has_changed() -> None:
    progress = OwnProgress(CODEC, max_rounds=2)
    progress.keep(BASE, CHANGED, sent=EncodedTensors.of(CHANGED, CODEC))
    torch.testing.assert_close(kept(progress, 2), [torch.full((3, 4), 0.5), torch.full((5,), 0.25)], rtol=0.01, atol=0)


def test_what_was_kept_is_forgotten_where_nobody_had_newer_base_weights() -> None:
    progress = OwnProgress(CODEC, max_rounds=2)
    progress.keep(BASE, CHANGED, sent=None)
    progress.forget()
    assert kept(progress) is None


def test_who_was_in_an_exchange_keeps_what_it_has_changed_since() -> None:
    progress = OwnProgress(CODEC, max_rounds=2)
    progress.may_be_sent = True
    progress.keep(BASE, CHANGED, sent=EncodedTensors.of([torch.full((3, 4), 0.4), torch.full((5,), 0.25)], CODEC))
    torch.testing.assert_close(kept(progress), [torch.full((3, 4), 0.1), torch.zeros(5)], rtol=0, atol=0.01)


def test_who_does_not_know_what_others_have_of_it_keeps_nothing() -> None:
    progress = OwnProgress(CODEC, max_rounds=2)
    progress.may_be_sent = True
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress) is None


def test_what_is_too_old_or_led_on_from_other_weights_is_void_in_words_and_nothing_is_used_twice(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard = list[tuple[int, bool]]()
    progress = OwnProgress(CODEC, 2, lambda *told: heard.append(told))
    caplog.set_level(logging.WARNING)
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress, 3) is None
    assert kept(progress, 1) is None
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress, is_led_on=False) is None
    assert heard == [(3, False), (1, False)]
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress, 2) is not None and heard[-1] == (2, True)
    assert [record.message.endswith("is dropped") for record in caplog.records] == [True, True]


def test_what_was_carried_over_is_too_old_after_as_many_rounds_as_if_it_had_been_behind_all_of_them_at_once() -> None:
    progress = OwnProgress(CODEC, max_rounds=2)
    for _ in range(2):
        progress.keep(BASE, CHANGED, sent=None)
        assert kept(progress) is not None
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress) is None
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress) is not None


def test_what_went_into_an_average_is_no_longer_old() -> None:
    progress = OwnProgress(CODEC, max_rounds=2)
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress, 2) is not None
    assert kept(progress) is None  # our own outer step, for which nothing has to be kept
    progress.keep(BASE, CHANGED, sent=None)
    assert kept(progress, 2) is not None


def test_what_is_no_number_is_not_kept() -> None:
    progress = OwnProgress(CODEC, max_rounds=2)
    progress.keep(BASE, [CHANGED[0], CHANGED[1] * math.nan], sent=None)
    assert kept(progress) is None


def test_a_model_that_trains_on_is_carried_to_the_new_base_weights_some_numbers_at_a_time() -> None:
    shapes = (20, 30), (7,), (2, PART_NUMBERS)
    base = [torch.nn.Parameter(torch.randn(shape)) for shape in shapes]
    learned, later = ([0.01 * torch.randn(shape) for shape in shapes] for _ in range(2))
    weights = [each.detach() - change for each, change in zip(base, learned, strict=True)]
    outer = OuterNesterov(base, lr=0.7, momentum=0.9, outer_steps=torch.zeros(1))
    sent = EncodedTensors.of(learned, CODEC)
    outer.averages = EncodedTensors.of([0.01 * torch.randn(shape) for shape in shapes], CODEC)
    for place, change in zip(weights, later, strict=True):
        place.sub_(change)
    outer.step()
    rebase, before = Rebase(weights, sent, outer), [each.clone() for each in weights]
    assert not rebase.go_on(605)
    assert [torch.equal(*pair) for pair in zip(weights, before, strict=True)] == [False, False, True]
    assert rebase.go_on() and rebase.go_on()
    for index, (place, new) in enumerate(zip(weights, base, strict=True)):
        rounded_off = learned[index] - sent.decoded(index)
        torch.testing.assert_close(place, new - later[index] - rounded_off, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("error", "may_have_stepped"),
    [
        (StaleRoundError("whoever is there has begun a later epoch"), True),
        (ExchangeFailedError("lost in the middle"), True),
        (MatchmakingException("nobody is there"), False),
    ],
)
def test_others_may_have_stepped_without_who_found_a_later_round_or_lost_its_exchange(
    error: Exception, may_have_stepped: bool
) -> None:
    control: Any = Future()
    control.began_allreduce = False
    assert not may_have_missed(control)
    control.set_exception(error)
    assert may_have_missed(control) == may_have_stepped
    assert not may_have_missed(None)


def test_others_may_step_with_what_an_exchange_sends_that_lasts_longer_than_we_wait() -> None:
    control: Any = Future()
    control.began_allreduce = True
    assert has_broken(control) and may_have_missed(control)
    control.set_result(None)
    assert not has_broken(control) and not may_have_missed(control)
