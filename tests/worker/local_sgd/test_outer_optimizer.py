"""The outer step: Nesterov momentum as PyTorch's, in operations that are rounded one by one."""

from __future__ import annotations

import torch

from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov

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
    torch.testing.assert_close(mine, torchs)


def test_a_step_is_rounded_after_every_operation() -> None:
    gradient, weights = torch.randn(1000), torch.randn(1000)
    mine = weights.clone().requires_grad_()
    mine.grad = gradient.clone()
    outer = outer_of(mine)
    outer.step()
    g, w = gradient.numpy(), weights.numpy()
    import numpy as np

    lr, momentum = np.float32(LR), np.float32(MOMENTUM)
    looked_ahead = np.add(np.multiply(g, momentum), g)
    assert (np.subtract(w, np.multiply(looked_ahead, lr)) == mine.detach().numpy()).all()
    assert torch.equal(outer.before_step(mine), weights)


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
        outer.state[weights]["momentum_buffer"][0] += 1e-6
    outer.forget_version()
    assert outer.version() != version
