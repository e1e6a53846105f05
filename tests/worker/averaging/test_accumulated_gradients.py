"""A peer's own gradient of an epoch is the mean over its samples, whatever micro-batches these came in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from core.worker.swarm.averaging.averagers import GradientAverager

SIZES = (8, 4, 4)  # memory ran out after the first one


class Unforked(GradientAverager):
    """The sums and the averaged numbers of one parameter; no process, and no swarm."""

    _parent_pid = 0

    def __init__(self, reuse_grad_buffers: bool) -> None:
        self.parameters = (torch.nn.Parameter(torch.zeros(3)),)
        self.parameters[0].grad = torch.zeros(3)
        self.reuse_grad_buffers, self.warn, self.averaged = reuse_grad_buffers, True, torch.zeros(3)
        self._local_accumulators: Any = None if reuse_grad_buffers else (torch.zeros(3),)
        self.reset_accumulated_grads_()

    @contextlib.contextmanager
    def get_tensors(self) -> Iterator[list[Tensor]]:
        """What is averaged."""
        yield [self.averaged]

    def compute(self, gradient: float, batch_size: int) -> None:
        """Take the gradient of a micro-batch, a mean over its samples."""
        buffer = self.parameters[0].grad
        assert buffer is not None
        buffer.add_(gradient)
        self.accumulate_grads_(batch_size)
        if not self.reuse_grad_buffers:
            buffer.zero_()


@pytest.mark.parametrize("reuse_grad_buffers", [False, True])
@pytest.mark.parametrize("sizes", [SIZES, (4, 8, 8), (4,)])
def test_the_same_gradient_of_every_micro_batch_is_the_gradient_of_the_epoch(
    reuse_grad_buffers: bool, sizes: tuple[int, ...]
) -> None:
    averager = Unforked(reuse_grad_buffers)
    for _ in range(2):
        for size in sizes:
            averager.compute(1.0, size)
        averager.accumulate_grads_(0)
        averager.load_accumulators_into_averager_()
        assert averager.averaged.tolist() == pytest.approx([1.0] * 3)
        averager.reset_accumulated_grads_()


def test_each_sample_counts_the_same() -> None:
    averager = Unforked(reuse_grad_buffers=False)
    for size, gradient in zip(SIZES, (1.0, 3.0, 5.0), strict=True):
        averager.compute(gradient, size)
    averager.load_accumulators_into_averager_()
    assert averager.averaged.tolist() == pytest.approx([(8 * 1 + 4 * 3 + 4 * 5) / 16] * 3)
