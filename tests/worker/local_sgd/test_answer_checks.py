"""A reducer that does not return what it was to average is found out by those whose changes are in it."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from core.worker.swarm.local_sgd.answer_checks import MIN_NUMBERS, ReducerAnswers

PARTS = 4
SENDERS = 9


def changes(seed: int, numbers: int = MIN_NUMBERS) -> list[Tensor]:
    """Of a sender: the direction in which all learn, with ten times as much noise of its own."""
    learned = torch.Generator().manual_seed(0)
    noise = torch.Generator().manual_seed(seed + 1)
    return [torch.randn(numbers, generator=learned) + 10 * torch.randn(numbers, generator=noise) for _ in range(PARTS)]


def averages(numbers: int = MIN_NUMBERS) -> list[Tensor]:
    """The true ones of all senders, the first of whom is us."""
    sent = [changes(seed, numbers) for seed in range(SENDERS)]
    return [torch.stack(parts).mean(dim=0) for parts in zip(*sent, strict=True)]


def liars(told: dict[int, list[Tensor]], own: int | None = None, numbers: int = MIN_NUMBERS) -> set[int]:
    """Whom we find out, of reducers that have told us this."""
    answers = ReducerAnswers()
    for reducer, parts in told.items():
        for sent, average in zip(changes(0, numbers), parts, strict=True):
            answers.add(reducer, sent, average)
    return set(answers.liars(own))


def scaled(factor: float) -> list[Tensor]:
    """What a liar makes of the averages."""
    return [factor * each for each in averages()]


def test_true_averages_are_believed_however_much_noise_is_in_them() -> None:
    assert liars({1: averages(), 2: averages()}) == set()
    assert liars({0: averages(), 1: averages()}, own=0) == set()


@pytest.mark.parametrize("own", [None, 0], ids=["we reduce nothing", "we reduce"])
def test_the_opposite_and_nothing_at_all_are_lies(own: int | None) -> None:
    assert liars({0: averages(), 1: averages(), 2: scaled(-1.0)}, own) == {2}
    assert liars({0: averages(), 1: averages(), 2: scaled(0.0)}, own) == {2}


def test_of_two_reducers_the_one_that_returns_the_opposite_is_found_out() -> None:
    assert liars({1: averages(), 2: scaled(-1.0)}) == {2}


def test_where_everybody_else_seems_to_lie_it_is_we_who_differ() -> None:
    assert liars({1: scaled(-1.0), 2: scaled(-1.0)}) == set()


def test_few_numbers_prove_nothing_and_who_has_changed_nothing_cannot_tell() -> None:
    few = [-each for each in averages(10)]
    assert liars({0: averages(10), 1: few}, own=0, numbers=10) == set()
    answers = ReducerAnswers()
    for average in averages():
        answers.add(1, torch.zeros_like(average), average)
    assert answers.liars(None) == frozenset()
