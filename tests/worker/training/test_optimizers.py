"""The manifest's optimizer and schedule: they clip the averaged gradient and count epochs."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from itertools import pairwise
from typing import get_args

import msgspec
import pytest
import torch
from hivemind.compression import deserialize_torch_tensor, serialize_torch_tensor
from hivemind.optim.state_averager import (
    dump_optimizer_state,
    initialize_optimizer_state_,
    load_optimizer_state,
)
from hivemind.proto.runtime_pb2 import CompressionType
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.run.manifest import SchedulerSpec
from core.run.spec.optimizer import SGD, Adafactor, AdamW, AdamW8bit, Lamb, Lars, Lion, Muon, OptimizerSpec
from core.worker.compute.learning_rate import make_scheduler
from core.worker.compute.optimizers import count_steps, fuse_on_cpu, make_optimizer

EVERY: list[OptimizerSpec] = [kind() for kind in get_args(OptimizerSpec) if not kind.needs_gpu]
WITHOUT_MOMENTUM = AdamW(learning_rate=0.1, beta1=0.0, beta2=0.0, epsilon=1.0, max_grad_norm=1.0)


def type_name(value: object) -> str:
    return type(value).__name__


def weights() -> list[Tensor]:
    return [torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(2, 2))]


def rates(spec: SchedulerSpec, epochs: int) -> list[float]:
    """The learning rate that a step in each epoch takes, where the full rate is 1."""
    optimizer = make_optimizer(AdamW(learning_rate=1.0))(weights())
    factory = make_scheduler(spec)
    assert factory is not None
    scheduler = factory(optimizer)
    seen = []
    for _ in range(epochs):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return seen


@pytest.mark.parametrize("spec", EVERY, ids=type_name)
def test_a_fused_step_on_the_cpu_is_the_same_step(spec: OptimizerSpec) -> None:
    plain, fused = weights(), weights()
    optimizers = [make_optimizer(spec)(each) for each in (plain, fused)]
    fuse_on_cpu(optimizers[1])
    for number in range(1, 4):
        for mine, others in zip(plain, fused, strict=True):
            mine.grad, others.grad = (torch.full_like(mine, 0.3 * number) for _ in range(2))
        for optimizer in optimizers:
            optimizer.step()
    torch.testing.assert_close(plain, fused)
    is_fused = any(group.get("fused") for group in optimizers[1].param_groups)
    assert is_fused == isinstance(optimizers[1], torch.optim.Adam | torch.optim.SGD)


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
    make_optimizer(AdamW(max_grad_norm=None))([weight]).step()
    torch.testing.assert_close(weight.grad, torch.full((3,), 1e6))


def test_absent_and_zero_gradients_move_nothing() -> None:
    absent, zero = weights()
    zero.grad = torch.zeros(2, 2)
    make_optimizer(AdamW())([absent, zero]).step()
    make_optimizer(AdamW())(weights()).step()
    assert absent.grad is None
    torch.testing.assert_close(zero.data, torch.ones(2, 2))


def test_a_gradient_that_is_not_finite_is_not_used() -> None:
    first, second = weights()
    optimizer = make_optimizer(AdamW())([first, second])
    first.grad, second.grad = torch.tensor([1.0, float("nan"), 1.0]), torch.ones(2, 2)
    optimizer.step()
    torch.testing.assert_close(second.data, torch.ones(2, 2))
    first.grad = torch.ones(3)
    optimizer.step()
    assert bool((second < 1).all()) and bool(first.isfinite().all())


def test_its_state_has_the_shape_of_a_plain_adamw() -> None:
    """So that a plain hivemind script can load a volunteer's state, and a volunteer the script's."""
    ours, plain = make_optimizer(AdamW())(weights()), torch.optim.AdamW(weights())
    for optimizer in (ours, plain):
        for weight in optimizer.param_groups[0]["params"]:
            weight.grad = torch.zeros_like(weight)
        optimizer.step()
    assert ours.state_dict()["param_groups"][0].keys() == plain.state_dict()["param_groups"][0].keys()
    assert [each.keys() for each in ours.state.values()] == [each.keys() for each in plain.state.values()]


@pytest.mark.parametrize("spec", EVERY, ids=type_name)
def test_every_optimizer_learns_clips_and_refuses_what_is_not_finite(spec: OptimizerSpec) -> None:
    weight = torch.nn.Parameter(torch.ones(4, 4))
    optimizer = make_optimizer(spec)([weight])
    weight.grad = torch.full((4, 4), float("nan"))
    optimizer.step()
    torch.testing.assert_close(weight.data, torch.ones(4, 4))
    for _ in range(3):
        weight.grad = torch.full((4, 4), 1e6)
        optimizer.step()
    assert bool((weight < 1).all()) and bool(weight.isfinite().all())


@pytest.mark.parametrize("spec", EVERY, ids=type_name)
def test_every_optimizer_keeps_what_its_name_says(spec: OptimizerSpec) -> None:
    side = 100
    optimizer = make_optimizer(spec)([torch.nn.Parameter(torch.ones(side, side))])
    initialize_optimizer_state_(optimizer)
    (kept,) = optimizer.state.values()
    names = ("momentum_buffer",) if isinstance(spec, Muon) else spec.statistics
    assert {name for name, each in kept.items() if each.numel() == side**2} == {*names}
    assert sum(each.numel() for each in kept.values()) < (len(names) + 0.05) * side**2
    assert len(names) <= spec.kept_bytes / 4


@pytest.mark.parametrize("spec", EVERY, ids=type_name)
def test_a_newcomer_goes_on_with_the_state_that_it_has_downloaded(spec: OptimizerSpec) -> None:
    """As hivemind passes it on: metadata and tensors."""
    weight, twin = torch.nn.Parameter(torch.ones(4, 4)), torch.nn.Parameter(torch.ones(4, 4))
    ours, newcomers = make_optimizer(spec)([weight]), make_optimizer(spec)([twin])
    gradients = [torch.randn(4, 4) for _ in range(6)]
    step(ours, gradients[:3])
    initialize_optimizer_state_(newcomers)
    twin.data.copy_(weight.data)
    own, _ = dump_optimizer_state(newcomers)  # whose plain numbers are kept, the count of steps among them
    _, tensors = dump_optimizer_state(ours)
    load_optimizer_state(newcomers, own, [each.clone() for each in tensors])
    count_steps(newcomers, epoch=2)
    step(ours, gradients[3:])
    step(newcomers, gradients[3:])
    torch.testing.assert_close(twin, weight)


def test_8_bits_are_refused_where_the_device_cannot() -> None:
    with pytest.raises(UserError, match="8 bits needs an NVIDIA GPU") as refused:
        make_optimizer(AdamW8bit(), torch.device("cpu"))
    assert refused.value.problem is ErrorKind.DEVICE_UNSUITED


@pytest.mark.skipif(find_spec("bitsandbytes") is not None, reason="bitsandbytes is installed")
def test_8_bits_are_refused_without_the_library() -> None:
    with pytest.raises(UserError, match="8 bits needs bitsandbytes, which the engine for NVIDIA GPUs has") as refused:
        make_optimizer(AdamW8bit(), torch.device("cuda"))
    assert refused.value.problem is ErrorKind.DEVICE_UNSUITED


def test_bytes_arrive_as_they_were_sent() -> None:
    """An optimizer's state in 8 bits is downloaded like any other."""
    for kept in (torch.arange(256, dtype=torch.uint8), torch.tensor(3.0), torch.rand(7)):
        encoded = serialize_torch_tensor(kept, CompressionType.NONE)
        found = deserialize_torch_tensor(encoded)
        assert found.dtype == kept.dtype and torch.equal(found, kept)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
@pytest.mark.skipif(find_spec("bitsandbytes") is None, reason="needs bitsandbytes")
def test_8_bits_learn_on_a_gpu_and_a_newcomer_goes_on_with_them() -> None:
    gpu = torch.device("cuda")
    weight, twin = (torch.nn.Parameter(torch.ones(256, 256, device=gpu)) for _ in range(2))
    ours, newcomers = (make_optimizer(AdamW8bit(), gpu)([each]) for each in (weight, twin))
    gradients = [torch.randn(256, 256, device=gpu) for _ in range(4)]
    step(ours, gradients[:2])
    assert {each.dtype for each in ours.state[weight].values() if isinstance(each, Tensor)} == {
        torch.uint8,
        torch.float32,
    }
    initialize_optimizer_state_(newcomers)
    twin.data.copy_(weight.data)
    own, _ = dump_optimizer_state(newcomers)
    _, tensors = dump_optimizer_state(ours)
    assert sum(each.numel() * each.element_size() for each in tensors) < 2.2 * weight.numel()
    load_optimizer_state(newcomers, own, [each.clone() for each in tensors])
    count_steps(newcomers, epoch=1)
    step(ours, gradients[2:])
    step(newcomers, gradients[2:])
    torch.testing.assert_close(twin, weight)
    assert bool((weight != 1).any())


def step(optimizer: torch.optim.Optimizer, gradients: list[Tensor]) -> None:
    """One step for each."""
    (weight,) = optimizer.param_groups[0]["params"]
    for gradient in gradients:
        weight.grad = gradient.clone()
        optimizer.step()


def test_parameter_groups_and_closures_work_as_in_torch() -> None:
    first, second = weights()
    optimizer = make_optimizer(AdamW())([{"params": [first]}, {"params": [second], "lr": 0.5}])

    def closure() -> float:
        loss = (first.sum() + second.sum()) ** 2
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.item()

    assert optimizer.step(closure) == 49.0
    assert second[0, 0].item() == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (AdamW(beta1=0.7, beta2=0.8, epsilon=1e-3), {"betas": (0.7, 0.8), "eps": 1e-3}),
        (SGD(momentum=0.6, nesterov=True), {"momentum": 0.6, "nesterov": True}),
        (Adafactor(beta2_decay=-0.5), {"beta2_decay": -0.5}),
        (Lamb(beta1=0.7, beta2=0.8, epsilon=1e-3), {"betas": (0.7, 0.8), "eps": 1e-3}),
        (Lars(momentum=0.6, trust_coefficient=0.02), {"momentum": 0.6, "trust_coefficient": 0.02}),
        (Lion(beta1=0.7, beta2=0.8), {"betas": (0.7, 0.8)}),
        (Muon(momentum=0.6, beta1=0.7, beta2=0.8, epsilon=1e-3), {"_momentum": 0.6, "betas": (0.7, 0.8), "eps": 1e-3}),
    ],
    ids=type_name,
)
def test_every_number_of_the_run_file_is_the_optimizers(spec: OptimizerSpec, expected: dict[str, object]) -> None:
    told = msgspec.structs.replace(spec, learning_rate=0.05, weight_decay=0.2)
    optimizer = make_optimizer(told)(weights())
    (group,) = optimizer.param_groups
    seen = vars(optimizer) | group
    expected |= {"lr": 0.05, "weight_decay": 0.2}
    assert {name: seen[name] for name in expected} == expected


def test_the_factories_can_be_pickled() -> None:
    for factory in (make_optimizer(AdamW()), make_scheduler(SchedulerSpec(warmup_epochs=3))):
        assert callable(pickle.loads(pickle.dumps(factory)))


def test_the_exponential_rate_is_that_of_torch() -> None:
    optimizer = make_optimizer(AdamW(learning_rate=1.0))(weights())
    theirs = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    expected = []
    for _ in range(4):
        expected += theirs.get_last_lr()
        optimizer.step()
        theirs.step()
    assert rates(SchedulerSpec(kind="exponential", gamma=0.9), 4) == pytest.approx(expected)


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
