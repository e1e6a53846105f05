"""An expert as its host trains it: several trainers have one vote each, and what is wrong changes nothing."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from core.run.spec.experts import ExpertsSpec, expert_parameters
from core.worker.experts.block import ExpertId, ExpertShape, build_expert
from core.worker.experts.hosted_expert import HostedExpert, NotFiniteError, clipping_scales
from tests.support.computer.fake_clock import FakeClock

HIDDEN = 8
EXPERT = ExpertId(1, 3)
SHAPE = ExpertShape(HIDDEN, 2)


def hosted(clock: Any = lambda: 0.0, **numbers: Any) -> HostedExpert:
    """One whose batches have so many tokens, if nothing else is said, that it takes no step by itself."""
    return HostedExpert(EXPERT, HIDDEN, ExpertsSpec(expansion=2, **{"batch_tokens": 1000, **numbers}), clock=clock)


def some(seed: int, tokens: int = 10) -> Tensor:
    """Random tokens, or gradients."""
    return torch.randn(tokens, HIDDEN, generator=torch.Generator().manual_seed(seed))


def gradients(tokens: Tensor, gradient: Tensor) -> list[Tensor]:
    """Those of the weights of that expert before any training."""
    block = build_expert(EXPERT, SHAPE)
    return list(torch.autograd.grad(block(tokens), list(block.parameters()), gradient))


def is_unchanged(expert: HostedExpert) -> bool:
    """Whether it has the weights that it has before any training."""
    initial = build_expert(EXPERT, SHAPE).state_dict()
    return all(torch.equal(value, initial[name]) for name, value in expert.state().items())


def test_an_expert_has_the_same_weights_on_every_computer_and_others_have_other_ones() -> None:
    assert is_unchanged(hosted())
    other = build_expert(ExpertId(3, 1), SHAPE)
    assert not torch.equal(other.expand.weight, build_expert(EXPERT, SHAPE).expand.weight)
    assert sum(each.numel() for each in other.parameters()) == expert_parameters(HIDDEN, 2)


def test_a_trainer_gets_the_gradient_that_autograd_computes() -> None:
    tokens, gradient = some(1).requires_grad_(), some(2)
    block = build_expert(EXPERT, SHAPE)
    (wanted,) = torch.autograd.grad(block(tokens), [tokens], gradient)
    expert = hosted()
    torch.testing.assert_close(expert.forward(tokens.detach(), None), block(tokens).detach())
    torch.testing.assert_close(expert.backward("a", tokens.detach(), gradient, None), wanted)


def test_one_step_is_made_of_the_mean_of_all_trainers_however_much_each_has_sent() -> None:
    expert = hosted(batch_tokens=40, max_grad_norm=1e6)
    expert.backward("a", some(1), some(2), None)
    expert.backward("a", some(1), some(2), None)
    expert.backward("a", some(1), some(2), None)
    assert is_unchanged(expert)
    expert.backward("b", some(1), -some(3), None)
    assert expert.steps == 1
    found = [gradients(some(1), each) for each in (some(2), -some(3))]
    norms = [math.sqrt(sum(float(part.square().sum()) for part in each)) for each in found]
    scales = clipping_scales(norms, 1e6)
    block = build_expert(EXPERT, SHAPE)
    for parameter, first, second in zip(block.parameters(), *found, strict=True):
        parameter.grad = (first * scales[0] + second * scales[1]) / 2
    torch.optim.AdamW(block.parameters(), lr=1e-3, weight_decay=0.0).step()
    torch.testing.assert_close(expert.state(), dict(block.state_dict()))


def test_the_step_has_the_learning_rate_and_the_weight_decay_that_the_run_names() -> None:
    numbers: dict[str, float] = {"learning_rate": 0.02, "weight_decay": 0.3}
    expert, block = hosted(batch_tokens=10, max_grad_norm=1e6, **numbers), build_expert(EXPERT, SHAPE)
    expert.backward("a", some(1), some(2), None)
    for parameter, gradient in zip(block.parameters(), gradients(some(1), some(2)), strict=True):
        parameter.grad = gradient
    torch.optim.AdamW(block.parameters(), lr=0.02, weight_decay=0.3).step()
    assert expert.steps == 1
    torch.testing.assert_close(expert.state(), dict(block.state_dict()))


def test_a_gradient_is_no_longer_than_that_of_the_trainer_in_the_middle() -> None:
    assert clipping_scales([0.1, 0.2, 1000.0], 1.0) == pytest.approx([1.0, 1.0, 0.0002])
    assert clipping_scales([4.0], 1.0) == [0.25]
    assert clipping_scales([0.0, 0.5], 1.0) == [0.0, 1.0]
    assert clipping_scales([0.0], 1.0) == [0.0]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 3e38])  # float32 ends at 3.4e38
def test_numbers_that_are_not_finite_or_lead_to_such_change_nothing(wrong: float) -> None:
    expert = hosted(batch_tokens=1)
    bad = torch.full((10, HIDDEN), wrong)
    with pytest.raises(NotFiniteError):
        expert.backward("a", some(1) * 1e10, bad, None)
    with pytest.raises(NotFiniteError):
        expert.forward(bad, None)
    assert is_unchanged(expert) and expert.steps == 0


def overflowing() -> Tensor:
    """A gradient that is finite, and twice which is not."""
    return torch.full((10, HIDDEN), 2e37)


def test_gradients_whose_sum_overflows_are_left_out_of_the_step() -> None:
    expert, other = hosted(batch_tokens=30), hosted(batch_tokens=10)
    for _ in range(2):
        expert.backward("a", some(1), overflowing(), None)
    for each in (expert, other):
        each.backward("b", some(1), some(2), None)
    assert expert.steps == other.steps == 1
    torch.testing.assert_close(expert.whole_state(), other.whole_state())


def test_where_all_gradients_overflow_no_step_is_taken() -> None:
    expert = hosted(batch_tokens=20)
    for _ in range(2):
        expert.backward("a", some(1), overflowing(), None)
    assert is_unchanged(expert) and expert.steps == 0
    expert.backward("a", some(1, 20), some(2, 20), None)
    assert expert.steps == 1 and all(each.isfinite().all() for each in expert.whole_state().values())


def test_gradients_do_not_wait_for_ever_for_others() -> None:
    clock = FakeClock()
    expert = hosted(clock, max_wait_seconds=5.0)
    expert.step_if_due()
    expert.backward("a", some(1), some(2), None)
    clock.now = 4.9
    expert.step_if_due()
    assert is_unchanged(expert)
    clock.now = 5.0
    expert.step_if_due()
    assert expert.steps == 1 and not is_unchanged(expert)


def test_so_many_trainers_have_their_gradients_kept_that_memory_is_bounded() -> None:
    expert = hosted(batch_tokens=1_000_000)
    for trainer in range(9):
        expert.backward(trainer, some(1), some(2), None)
    assert expert.steps == 1


def test_backward_drops_the_activations_that_forward_has_dropped() -> None:
    expert = hosted(expert_dropout=0.5)
    ones, tokens = torch.ones(1, HIDDEN), some(1, 1)
    assert not torch.equal(expert.forward(tokens, 1), expert.forward(tokens, 2))
    assert not torch.equal(expert.forward(tokens, 1), expert.forward(tokens, None))
    step = 1e-3
    moved = expert.backward("a", tokens, ones, 1)[0, 0]
    nudge = torch.zeros_like(tokens)
    nudge[0, 0] = step
    slope = (expert.forward(tokens + nudge, 1) - expert.forward(tokens - nudge, 1)).sum() / (2 * step)
    assert float(moved) == pytest.approx(float(slope), abs=1e-2)
