"""PowerSGD: low-rank approximations of large gradients are averaged; what they miss is added to the next gradient.

The algorithm is Vogels, Karimireddy and Jaggi, arXiv:1905.13727, algorithm 1. A gradient of a tensor, as a matrix M of
shape (rows, columns), is averaged as P Q^T with P = orthonormal(mean of M Q0), (rows, rank), and Q = mean of M^T P,
(columns, rank): two all-reduces of ``rank * (rows + columns)`` numbers in place of one of ``rows * columns``. The error
M - P Q^T is kept on each peer and added to its next gradient (error feedback). One difference: the paper starts each
round from the Q of the round before, here Q0 is drawn anew.

WORKAROUND H18: hivemind's own averager of that name hands the compressions of all the model's tensors to
exchanges of fewer, which refuse them unless every tensor is large. It draws Q0 at random on every peer and carries it
from round to round: peers that begin together never have the same, nor do those who have lost one of them in the
middle; and a round that fails adds its gradient to the next one, too. Here every round draws its own Q0, the same for
the whole group, and only a round that has ended changes anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from hivemind.averaging.allreduce import AllreduceException
from hivemind.averaging.group_info import GroupInfo
from torch import Tensor

from core.worker.swarm.averaging.allreduce import are_finite
from core.worker.swarm.averaging.averagers import GradientAverager

MIN_SAVED = 0.5  # of a tensor's numbers, or it is averaged as it is
NEARLY_DEPENDENT = 0.01  # of a column's length that the columns before it do not span; less is rounding error
_FIRST, _LAST = b"directions", b"sizes"  # the two exchanges of a round, as suffixes of its group's id


def is_worth_it(shape: torch.Size, rank: int) -> bool:
    """Whether P and Q of that rank have much fewer numbers than a tensor of that shape."""
    if len(shape) < 2:
        return False
    rows, numbers = shape[0], shape.numel()
    return rank * (rows + numbers // rows) <= (1 - MIN_SAVED) * numbers


def draw_directions(group_id: bytes, index: int, length: int, rank: int) -> Tensor:
    """Q0 of the tensor of that index, (length, rank): the same for all of a group, and another in every round."""
    seed = hashlib.sha256(group_id + b":%d" % index).digest()[:8]
    generator = torch.Generator().manual_seed(int.from_bytes(seed, "big") >> 1)
    return torch.randn(length, rank, generator=generator)


def orthonormal(columns: Tensor) -> Tensor:
    """An orthonormal basis of the columns, by modified Gram-Schmidt in double precision; shape as given.

    A column that those before it nearly span becomes zero: normalised, it would be rounding errors, which are
    different on every peer.
    """
    basis = columns.double()
    lengths = basis.norm(dim=0).tolist()
    for number, original in enumerate(lengths):
        column, rest = basis[:, number], basis[:, number + 1 :]
        length = float(column.norm())
        if length <= NEARLY_DEPENDENT * original:
            column.zero_()
            continue
        column.div_(length)
        rest.sub_(torch.outer(column, column @ rest))
    return basis.to(columns.dtype)


class PowerSGDGradientAverager(GradientAverager):
    """Averages gradients as products P Q^T of that rank, in two exchanges; all of it runs in the averager's process.

    Who loses anybody in the first exchange has another P than the others: its round has failed.
    """

    def __init__(self, parameters: Iterable[torch.nn.Parameter], *, rank: int, **kwargs: Any) -> None:
        parameters = tuple(parameters)
        self._rank = rank
        # error feedback, by the tensor's index; after the fork only the averager's process reads and writes it
        self._errors = {
            index: torch.zeros(parameter.shape)
            for index, parameter in enumerate(parameters)
            if is_worth_it(parameter.shape, rank)
        }
        super().__init__(parameters, **kwargs)

    @contextlib.contextmanager
    def _register_allreduce_group(self, group_info: GroupInfo) -> Iterator[None]:
        """Expect each of the two exchanges under an id of its own, as groupmates may be at different ones."""
        with contextlib.ExitStack() as exchanges:
            for name in (_FIRST, _LAST) if self._errors else (_LAST,):
                part = replace(group_info, group_id=group_info.group_id + name)
                exchanges.enter_context(super()._register_allreduce_group(part))
            yield

    def _decisive_exchange(self, group_id: bytes) -> bytes:
        return group_id + _LAST

    def _bounds_answers(self, group_id: bytes) -> bool:
        """Of the last exchange only: all must have the same P, and any P gives a projection of the true average."""
        return group_id.endswith(_LAST)

    async def _run_allreduce_inplace_(
        self,
        tensors: Sequence[Tensor],
        group_info: GroupInfo,
        group_id: bytes | None = None,
        **kwargs: Any,
    ) -> None:
        """Two exchanges in place of one, each of fewer tensors than hivemind's ``tensor_infos`` tell about."""
        del kwargs["tensor_infos"]
        exchange = super()._run_allreduce_inplace_
        gradients = {index: tensors[index] + error for index, error in self._errors.items()}
        p_factors = await _in_thread(lambda: self._project(gradients, group_info.group_id))
        if p_factors:
            first = group_info.group_id + _FIRST
            await exchange(p_factors, group_info, first, **kwargs)
            if self._runner(first).has_lost_anybody:
                raise AllreduceException("a peer was lost in the first half")
        bases = await _in_thread(lambda: [orthonormal(each) for each in p_factors])
        q_factors = await _in_thread(
            lambda: [_matrix(each).T @ basis for each, basis in zip(gradients.values(), bases, strict=True)]
        )
        others = [tensor for index, tensor in enumerate(tensors) if index not in gradients]
        await exchange([*q_factors, *others], group_info, group_info.group_id + _LAST, **kwargs)
        averaged = await _in_thread(lambda: [basis @ each.T for basis, each in zip(bases, q_factors, strict=True)])
        if not are_finite(averaged):
            raise AllreduceException("what was averaged is not finite")
        for (index, gradient), mean in zip(gradients.items(), averaged, strict=True):
            tensors[index].copy_(mean.view_as(gradient))
            self._errors[index] = gradient - tensors[index]

    def _project(self, gradients: dict[int, Tensor], group_id: bytes) -> list[Tensor]:
        """M Q0 of our own gradients, (rows, rank) each."""
        matrices = {index: _matrix(gradient) for index, gradient in gradients.items()}
        return [
            matrix @ draw_directions(group_id, index, matrix.shape[1], self._rank) for index, matrix in matrices.items()
        ]


def _matrix(tensor: Tensor) -> Tensor:
    """The tensor as (rows, columns), where the rows are its first dimension."""
    return tensor.flatten(1)


async def _in_thread(work: Callable[[], list[Tensor]]) -> list[Tensor]:
    """The work's result, computed in a thread, so that the loop answers other peers meanwhile."""

    def single_threaded() -> list[Tensor]:
        torch.set_num_threads(1)  # a forked process has none of its parent's OpenMP threads, and would wait for them
        return work()

    return await asyncio.get_running_loop().run_in_executor(None, single_threaded)
