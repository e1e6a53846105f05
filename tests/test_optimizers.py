"""The manifest's optimizer and schedule: they clip the averaged gradient and count epochs."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from core.manifest import OptimizerSpec, SchedulerSpec
from core.worker.optimizers import make_optimizer, make_scheduler

WITHOUT_MOMENTUM = OptimizerSpec(learning_rate=0.1, beta1=0.0, beta2=0.0, epsilon=1.0, max_grad_norm=1.0)


def weights() -> list[Tensor]:
    return [torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(2, 2))]


def rates(spec: SchedulerSpec, epochs: int) -> list[float]:
    """The learning rate that a step in each epoch takes, where the full rate is 1."""
    optimizer = make_optimizer(OptimizerSpec(learning_rate=1.0))(weights())
    factory = make_scheduler(spec)
    assert factory is not None
    scheduler = factory(optimizer)
    seen = []
    for _ in range(epochs):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return seen


def test_the_gradient_is_clipped_when_the_optimizer_steps() -> None:
    first, second = weights()
    optimizer = make_optimizer(WITHOUT_MOMENTUM)([first, second])
    first.grad, second.grad = torch.full((3,), 30.0), torch.full((2, 2), 40.0)
    optimizer.step()
    norm = torch.cat([first.grad, second.grad.flatten()]).norm()
    assert float(norm) == pytest.approx(1.0, abs=1e-4)
    assert float(first.grad[0] / second.grad[0, 0]) == pytest.approx(0.75)


def test_the_clipped_gradient_is_what_moves_the_weights() -> None:
    (weight, _), (twin, _) = weights(), weights()
    weight.grad, twin.grad = torch.tensor([0.0, 300.0, 400.0]), torch.tensor([0.0, 0.6, 0.8])
    make_optimizer(WITHOUT_MOMENTUM)([weight]).step()
    make_optimizer(WITHOUT_MOMENTUM)([twin]).step()
    torch.testing.assert_close(weight, twin)


def test_a_small_gradient_is_left_as_it_is() -> None:
    weight, _ = weights()
    weight.grad = torch.tensor([0.1, 0.2, 0.3])
    make_optimizer(WITHOUT_MOMENTUM)([weight]).step()
    torch.testing.assert_close(weight.grad, torch.tensor([0.1, 0.2, 0.3]))


def test_without_a_limit_nothing_is_clipped() -> None:
    weight, _ = weights()
    weight.grad = torch.full((3,), 1e6)
    make_optimizer(OptimizerSpec(max_grad_norm=None))([weight]).step()
    torch.testing.assert_close(weight.grad, torch.full((3,), 1e6))


def test_absent_and_zero_gradients_move_nothing() -> None:
    absent, zero = weights()
    zero.grad = torch.zeros(2, 2)
    make_optimizer(OptimizerSpec())([absent, zero]).step()
    make_optimizer(OptimizerSpec())(weights()).step()
    assert absent.grad is None
    torch.testing.assert_close(zero.data, torch.ones(2, 2))


def test_a_gradient_that_is_not_finite_is_not_used() -> None:
    first, second = weights()
    optimizer = make_optimizer(OptimizerSpec())([first, second])
    first.grad, second.grad = torch.tensor([1.0, float("nan"), 1.0]), torch.ones(2, 2)
    optimizer.step()
    torch.testing.assert_close(second.data, torch.ones(2, 2))
    first.grad = torch.ones(3)
    optimizer.step()
    assert bool((second < 1).all()) and bool(first.isfinite().all())


def test_its_state_has_the_shape_of_a_plain_adamw() -> None:
    """So that a plain hivemind script can load a volunteer's state, and a volunteer the script's."""
    ours, plain = make_optimizer(OptimizerSpec())(weights()), torch.optim.AdamW(weights())
    for optimizer in (ours, plain):
        for weight in optimizer.param_groups[0]["params"]:
            weight.grad = torch.zeros_like(weight)
        optimizer.step()
    assert ours.state_dict()["param_groups"][0].keys() == plain.state_dict()["param_groups"][0].keys()
    assert [each.keys() for each in ours.state.values()] == [each.keys() for each in plain.state.values()]


def test_parameter_groups_and_closures_work_as_in_torch() -> None:
    first, second = weights()
    optimizer = make_optimizer(OptimizerSpec())([{"params": [first]}, {"params": [second], "lr": 0.5}])

    def closure() -> float:
        loss = (first.sum() + second.sum()) ** 2
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.item()

    assert optimizer.step(closure) == 49.0
    assert second[0, 0].item() == pytest.approx(0.5, abs=1e-3)


def test_the_factories_can_be_pickled() -> None:
    for factory in (make_optimizer(OptimizerSpec()), make_scheduler(SchedulerSpec(warmup_epochs=3))):
        assert callable(pickle.loads(pickle.dumps(factory)))


def test_a_constant_rate_without_warmup_needs_no_schedule() -> None:
    assert make_scheduler(SchedulerSpec()) is None


def test_the_rate_warms_up_over_the_epochs_and_stays() -> None:
    seen = rates(SchedulerSpec(warmup_epochs=3), 6)
    assert seen == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("linear", [1 / 3, 2 / 3, 1, 0.75, 0.5, 0.25, 0, 0]),
        ("cosine", [1 / 3, 2 / 3, 1, 0.853553, 0.5, 0.146447, 0, 0]),
    ],
)
def test_the_rate_falls_to_zero_at_the_last_epoch(kind: str, expected: list[float]) -> None:
    spec = SchedulerSpec(kind=kind, warmup_epochs=2, total_epochs=6)  # type: ignore[arg-type]
    assert rates(spec, 8) == pytest.approx(expected, abs=1e-6)


def test_a_warmup_longer_than_the_run_is_no_error() -> None:
    seen = rates(SchedulerSpec(kind="cosine", warmup_epochs=9, total_epochs=4), 6)
    assert all(earlier < later for earlier, later in pairwise(seen))
