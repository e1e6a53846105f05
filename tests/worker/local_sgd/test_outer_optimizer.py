"""The outer step: Nesterov momentum as PyTorch's, in operations that are rounded one by one."""

from __future__ import annotations

import pytest
import torch

from core.worker.compute.optimizers import parameters_of
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov, nearest_bfloat16

LR, MOMENTUM = 0.7, 0.9


def outer_of(weights: torch.Tensor) -> OuterNesterov:
    return OuterNesterov([weights], lr=LR, momentum=MOMENTUM, outer_steps=torch.zeros(1))


def test_it_is_nesterovs_momentum() -> None:
    mine, torchs = torch.randn(50).requires_grad_(), torch.zeros(50)
    torchs = mine.detach().clone().requires_grad_()
    expected = torch.optim.SGD([torchs], lr=LR, momentum=MOMENTUM, nesterov=True)
    outer = outer_of(mine)
    for _ in range(5):
        mine.grad = torch.randn(50)
        torchs.grad = mine.grad.clone()
        outer.step()
        expected.step()
    torch.testing.assert_close(mine, torchs, rtol=0.0, atol=0.1)  # bfloat16 keeps 8 bits of the momentum


@pytest.mark.parametrize("exponent", [0, -20, 30, -126, -140])
def test_the_nearest_bfloat16_is_found_with_integers_alone(exponent: int) -> None:
    numbers = torch.randn(10_000) * 2.0**exponent
    numbers[:4] = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8), 0.0])  # in the middle of two
    assert torch.equal(nearest_bfloat16(numbers), numbers.to(torch.bfloat16))


def test_momentum_does_not_stand_still_though_it_is_rounded() -> None:
    weights = torch.zeros(100).requires_grad_()
    outer = outer_of(weights)
    for _ in range(200):
        weights.grad = torch.full((100,), 1e-3)
        outer.step()
    reached = 1e-3 / (1 - MOMENTUM)  # of a gradient that stays the same
    torch.testing.assert_close(
        outer.state[weights]["momentum_buffer"].float(), torch.full((100,), reached), rtol=0.05, atol=0.0
    )


def test_a_state_is_loaded_in_place_and_keeps_its_bits() -> None:
    ours, theirs = outer_of(torch.zeros(100).requires_grad_()), outer_of(torch.zeros(100).requires_grad_())
    (weights,) = parameters_of(theirs)
    weights.grad = torch.randn(100)
    theirs.step()
    ours.load_state_dict(theirs.state_dict())
    (mine,) = parameters_of(ours)
    loaded = ours.state[mine]["momentum_buffer"]
    assert loaded.dtype is torch.bfloat16
    assert torch.equal(loaded, theirs.state[weights]["momentum_buffer"])


def test_a_step_is_rounded_after_every_operation() -> None:
    averages, weights = EncodedTensors.of([torch.randn(1000)], codec("int8")), torch.randn(1000)
    mine, gradient = weights.clone().requires_grad_(), averages.decoded(0)
    outer = outer_of(mine)
    outer.averages = averages
    outer.step()
    g, w = gradient.numpy(), weights.numpy()
    import numpy as np

    lr, momentum = np.float32(LR), np.float32(MOMENTUM)
    kept = nearest_bfloat16(gradient).float().numpy()
    update = np.multiply(np.add(np.multiply(kept, momentum), g), lr)
    assert (np.subtract(w, update) == mine.detach().numpy()).all()
    assert (torch.cat([*outer.last_updates(0)]).numpy() == update).all()


def test_a_step_that_is_left_out_moves_nothing_and_is_not_counted() -> None:
    weights = torch.randn(10).requires_grad_()
    outer = outer_of(weights)
    weights.grad = torch.ones(10)
    outer.step()
    version, before = outer.version(), weights.detach().clone()
    outer.skip_next()
    outer.step()
    assert outer.version() == version
    assert torch.equal(weights, before)
    outer.step()
    assert outer.version()[0] == version[0] + 1


def test_the_version_tells_weights_and_momentum_apart() -> None:
    weights = torch.randn(10).requires_grad_()
    outer = outer_of(weights)
    weights.grad = torch.ones(10)
    outer.step()
    version = outer.version()
    with torch.no_grad():
        weights[3].add_(1e-6)
    outer.forget_version()
    assert outer.version() != version
    with torch.no_grad():
        weights[3].sub_(1e-6)
        outer.state[weights]["momentum_buffer"][0] *= 1.01
    outer.forget_version()
    assert outer.version() != version
