"""What is not a number is noticed before anybody gets it, and a state that cannot be right before it is used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from hivemind.optim.state_averager import dump_optimizer_state

from core.run.signed_scores import Score
from core.run.spec.data import SumsData
from core.run.spec.recipe import ArithmeticGPT
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.swarm.averaging.state_validation import State, format_error, is_truncated, trial_error
from core.worker.swarm.trust.part_checks import is_plausible, root_mean_square
from core.worker.training.numeric_checks import MOST_REFUSALS, NumericChecks


@pytest.fixture
def recipe() -> ArithmeticRecipe:
    """The smallest model."""
    numbers, data = ArithmeticGPT(layers=1, width=16, heads=1), SumsData(digits=1)
    return ArithmeticRecipe(numbers, data, seed=1, device=torch.device("cpu"))


def check_step(checks: NumericChecks, recipe: ArithmeticRecipe, factor: float) -> bool:
    """Whether a micro-batch is usable whose gradient is as many times too large."""
    recipe.model.zero_grad()
    loss = recipe.loss(recipe.draw(4))
    torch.autograd.backward(loss * factor)
    return checks.check_step(loss)


def test_a_micro_batch_without_a_finite_gradient_is_of_no_use(recipe: ArithmeticRecipe) -> None:
    checks = NumericChecks.of_untrained(recipe)
    assert check_step(checks, recipe, 1.0)
    assert not check_step(checks, recipe, math.nan)
    assert not check_step(checks, recipe, math.inf)
    assert checks.consecutive_bad_steps == 2
    assert check_step(checks, recipe, 1.0)
    assert checks.consecutive_bad_steps == 0
    assert not checks.check_step(torch.tensor(math.nan))


@pytest.mark.parametrize(("factor", "flaw"), [(1.0, ""), (1e4, "far beyond"), (math.nan, "not a number")])
def test_a_model_that_does_worse_than_knowing_nothing_is_absurd(
    recipe: ArithmeticRecipe, factor: float, flaw: str
) -> None:
    checks = NumericChecks.of_untrained(recipe)
    with torch.no_grad():
        for parameter in recipe.model.parameters():
            parameter.mul_(factor)
    assert flaw in str(checks.model_error())
    assert bool(flaw) == bool(checks.model_error())


def test_a_model_that_is_worse_than_ours_has_been_is_not_the_runs(recipe: ArithmeticRecipe) -> None:
    untrained = recipe.evaluate().loss
    checks = NumericChecks.of_untrained(recipe)
    assert checks.model_error() == ""
    for share in (0.9, 0.85, 0.83, 0.82, 0.81, 0.8):
        checks.observe(share * untrained)
    assert "our own were no more than" in str(checks.model_error())


def test_the_runs_own_noise_is_no_reason_to_refuse_a_model(recipe: ArithmeticRecipe) -> None:
    untrained = recipe.evaluate().loss
    checks = NumericChecks.of_untrained(recipe)
    for share in (0.95, 1.1, 0.96, 1.12, 0.97, 1.1):
        checks.observe(share * untrained)
    assert checks.model_error() == ""


def know_losses(checks: NumericChecks, losses: Sequence[float]) -> None:
    """As the organiser has signed them, epoch after epoch."""
    checks.know_scores([Score(epoch=epoch, loss=loss, at=60.0 * epoch) for epoch, loss in enumerate(losses)])


def test_who_has_just_come_takes_no_model_that_is_worse_than_what_the_organiser_has_signed(
    recipe: ArithmeticRecipe,
) -> None:
    untrained = recipe.evaluate().loss
    checks = NumericChecks.of_untrained(recipe)
    know_losses(checks, [0.9 * untrained, 0.8 * untrained])
    assert checks.model_error() == ""  # of two nobody knows how noisy the run is
    know_losses(checks, [share * untrained for share in (1.0, 0.9, 0.8, *[0.6] * 10)])
    assert "the organiser has signed" in str(checks.model_error())
    know_losses(checks, [share * untrained for share in (0.9, 0.85, 0.99, 0.9)])
    assert checks.model_error() == ""  # the run's own noise


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e30, 1e4])
def test_one_part_from_somebody_else_may_be_implausible(number: float) -> None:
    mine = torch.randn(100)
    assert is_plausible(mine + 1, root_mean_square(mine))
    assert not is_plausible(torch.full((100,), number), root_mean_square(mine))


class Averager:
    """As much of hivemind's as the check of a state looks at."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.main_parameters = tuple(model.parameters())
        self.optimizer = torch.optim.AdamW(self.main_parameters, lr=0.5)
        self.local_epoch = 0
        self.extra_tensors: tuple[torch.Tensor, ...] = ()
        self.lock_averaged_tensors = torch.multiprocessing.Lock()
        for parameter in self.main_parameters:
            parameter.grad = torch.zeros_like(parameter)
        self.optimizer.step()

    def state(self, **said: Any) -> State:
        """What it would give to another."""
        metadata, tensors = dump_optimizer_state(self.optimizer)
        parameters = [parameter.detach().clone() for parameter in self.main_parameters]
        return {"epoch": 3, "optimizer_metadata": metadata} | said, [*parameters, *tensors]


def of_any_epoch(_epoch: int) -> str:
    """Nothing is wrong with whichever epoch a state is of."""
    return ""


def test_a_state_of_the_right_shape_is_tried_and_the_model_is_as_before(recipe: ArithmeticRecipe) -> None:
    averager, checks = Averager(recipe.model), NumericChecks.of_untrained(recipe)
    before = [parameter.detach().clone() for parameter in recipe.model.parameters()]
    assert trial_error(averager.state(), averager, checks.model_error) == ""
    metadata, tensors = averager.state()
    huge = [tensor * 1e6 for tensor in tensors]
    assert "far beyond" in str(trial_error((metadata, huge), averager, checks.model_error))
    for parameter, old in zip(recipe.model.parameters(), before, strict=True):
        assert torch.equal(parameter, old)


def test_a_state_of_another_shape_or_without_numbers_or_epoch_is_refused(recipe: ArithmeticRecipe) -> None:
    averager = Averager(recipe.model)
    metadata, tensors = averager.state()

    def error(*state_tensors: torch.Tensor) -> str:
        return str(format_error((metadata, list(state_tensors)), averager, of_any_epoch))

    assert "tensors" in error(*tensors[:-1])
    assert "tensors" in error(tensors[0][:1], *tensors[1:])
    assert "number" in error(*tensors[:-1], tensors[-1] * math.nan)
    assert "tensors" in error(*tensors[:-1], tensors[-1].to(torch.uint8))
    assert error(tensors[0].double(), *tensors[1:]) == ""
    for epoch in (None, "3", 3.0, True):
        assert "epoch" in str(format_error(averager.state(epoch=epoch), averager, of_any_epoch))


def refusals(checks: NumericChecks, averager: Averager, *states: State) -> list[bool]:
    """Whether each of these states is refused for its loss, one after the other."""
    said = [trial_error(state, averager, checks.model_error) for state in states]
    assert all("its loss is" in str(why) for why in said if why)
    return list(map(bool, said))


def worse(averager: Averager, factor: float, **said: Any) -> State:
    """A state whose parameters are so many times too large."""
    metadata, tensors = averager.state(**said)
    weights = len(averager.main_parameters)
    return metadata, [*(each * factor for each in tensors[:weights]), *tensors[weights:]]


@pytest.fixture
def left_behind(recipe: ArithmeticRecipe) -> tuple[Averager, NumericChecks]:
    """Who was away while the run got worse: its own model was better, and is four epochs behind."""
    averager = Averager(recipe.model)
    checks = NumericChecks.of_untrained(recipe)
    for _ in range(5):
        checks.observe(0.5 * recipe.evaluate().loss)
    return averager, checks


def test_who_was_away_while_the_run_got_worse_refuses_its_state_some_times_and_not_for_ever(
    left_behind: tuple[Averager, NumericChecks],
) -> None:
    averager, checks = left_behind
    state = averager.state(epoch=4)
    assert refusals(checks, averager, *[state] * (MOST_REFUSALS + 2)) == [True] * MOST_REFUSALS + [False] * 2


def test_a_state_of_an_epoch_that_nobody_else_need_have_is_refused_for_ever(
    left_behind: tuple[Averager, NumericChecks],
) -> None:
    averager, checks = left_behind
    averager.local_epoch = 3
    assert all(refusals(checks, averager, *[averager.state(epoch=4)] * (MOST_REFUSALS + 5)))


def test_where_nothing_is_signed_what_most_donors_have_is_the_runs_state(
    left_behind: tuple[Averager, NumericChecks],
) -> None:
    averager, checks = left_behind
    state, bad = averager.state(epoch=4), worse(averager, 1.4, epoch=4)
    assert all(refusals(checks, averager, bad, state, state, bad, state, bad))
    assert refusals(checks, averager, state) == [False]


def test_how_much_worse_the_run_has_become_is_what_is_signed(
    left_behind: tuple[Averager, NumericChecks], recipe: ArithmeticRecipe
) -> None:
    averager, checks = left_behind
    untrained, state, bad = recipe.evaluate().loss, averager.state(epoch=4), worse(averager, 1.4, epoch=4)
    know_losses(checks, [share * untrained for share in (0.5, 0.5, 0.6, 0.6)])
    assert all(refusals(checks, averager, *[state] * (MOST_REFUSALS + 5)))
    know_losses(checks, [share * untrained for share in (0.5, 0.5, 0.6, 0.6, 1.0)])
    assert refusals(checks, averager, bad, state, bad, state) == [True, False, True, False]


@pytest.mark.parametrize("missing", [1, 2, -1])
def test_a_state_whose_end_is_missing_is_told_from_one_of_another_model(recipe: ArithmeticRecipe, missing: int) -> None:
    averager = Averager(recipe.model)
    metadata, tensors = averager.state()
    assert is_truncated((metadata, tensors[:-missing]), averager)
    assert not is_truncated((metadata, tensors), averager)
    assert not is_truncated((metadata, tensors[missing:]), averager)
    assert not is_truncated((metadata, [*tensors, tensors[0]]), averager)


def test_the_learning_rate_is_never_a_donors(recipe: ArithmeticRecipe) -> None:
    averager = Averager(recipe.model)
    state = averager.state()
    for entry in state[0]["optimizer_metadata"]:
        if entry.get("value") == 0.5:
            entry["value"] = 1e9
    assert format_error(state, averager, of_any_epoch) == ""
    assert {"type": "value", "value": 0.5} in state[0]["optimizer_metadata"]
