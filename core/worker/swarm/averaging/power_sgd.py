"""PowerSGD: of large gradients only a few directions are averaged; what they miss is added to the next one.

WORKAROUND: hivemind's own averager of that name hands the compressions of all the model's tensors to
exchanges of fewer, which refuse them unless every tensor is large. It draws its directions by chance on
every peer and carries them from round to round: peers that begin together never have the same, nor do those
who have lost one of them in the middle; and a round that fails adds its gradient to the next one, too. Here
every round draws its own directions, the same for the whole group, and only a round that has ended changes
anything.
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

LEAST_SAVED = 0.5  # of a tensor, or it is averaged as it is
NEARLY = 0.01  # of a column that is not made up of the columns before it; less is rounding, and every peer's own
_FIRST, _LAST = b"directions", b"sizes"


def is_worth_it(shape: torch.Size, rank: int) -> bool:
    """Whether so many directions of such a tensor are much less than the tensor."""
    if len(shape) < 2:
        return False
    rows, numbers = shape[0], shape.numel()
    return rank * (rows + numbers // rows) <= (1 - LEAST_SAVED) * numbers


def drawn_for(group_id: bytes, index: int, length: int, rank: int) -> Tensor:
    """Directions to look in, (length, rank): the same for all of a group, and others in every round."""
    seed = hashlib.sha256(group_id + b":%d" % index).digest()[:8]
    generator = torch.Generator().manual_seed(int.from_bytes(seed, "big") >> 1)
    return torch.randn(length, rank, generator=generator)


def orthonormal(columns: Tensor) -> Tensor:
    """The same directions at right angles; a column that those before it nearly make up becomes zero.

    Normalised, such a column would be rounding errors, which are different on every peer.
    """
    found = columns.double()
    sizes = found.norm(dim=0).tolist()
    for number, size in enumerate(sizes):
        column, rest = found[:, number], found[:, number + 1 :]
        length = float(column.norm())
        if length <= NEARLY * size:
            column.zero_()
            continue
        column.div_(length)
        rest.sub_(torch.outer(column, column @ rest))
    return found.to(columns.dtype)


class PowerSGDGradientAverager(GradientAverager):
    """Averages gradients in two exchanges of ``rank`` directions each: where to look, and how much is there.

    Who loses anybody in the first one has other directions than the others: its round has failed.
    """

    def __init__(self, parameters: Iterable[torch.nn.Parameter], *, rank: int, **kwargs: Any) -> None:
        parameters = tuple(parameters)
        self.rank = rank
        # read and written in the averager's process only
        self._missed = {
            index: torch.zeros(parameter.shape)
            for index, parameter in enumerate(parameters)
            if is_worth_it(parameter.shape, rank)
        }
        super().__init__(parameters, **kwargs)

    @contextlib.contextmanager
    def _register_allreduce_group(self, group_info: GroupInfo) -> Iterator[None]:
        with contextlib.ExitStack() as exchanges:
            for name in (_FIRST, _LAST) if self._missed else (_LAST,):
                part = replace(group_info, group_id=group_info.group_id + name)
                exchanges.enter_context(super()._register_allreduce_group(part))
            yield

    def _exchange_that_counts(self, group_id: bytes) -> bytes:
        return group_id + _LAST

    async def _run_allreduce_inplace_(
        self,
        tensors: Sequence[Tensor],
        group_info: GroupInfo,
        group_id: bytes | None = None,
        *,
        tensor_infos: object,
        **kwargs: Any,
    ) -> None:
        """Two exchanges in place of one; hivemind's ``tensor_infos`` are of the whole tensors."""
        exchange = super()._run_allreduce_inplace_
        whole = {index: tensors[index] + missed for index, missed in self._missed.items()}
        columns = await _beside(lambda: self._columns(whole, group_info.group_id))
        if columns:
            await exchange(columns, group_info, group_info.group_id + _FIRST, **kwargs)
            self._require_everybody(group_info.group_id + _FIRST)
        directions = await _beside(lambda: [orthonormal(each) for each in columns])
        rows = await _beside(
            lambda: [_flat(each).T @ found for each, found in zip(whole.values(), directions, strict=True)]
        )
        others = [tensor for index, tensor in enumerate(tensors) if index not in whole]
        await exchange([*rows, *others], group_info, group_info.group_id + _LAST, **kwargs)
        averaged = await _beside(lambda: [found @ each.T for found, each in zip(directions, rows, strict=True)])
        if not are_finite(averaged):
            raise AllreduceException("what was averaged is no number")
        for (index, mine), found in zip(whole.items(), averaged, strict=True):
            tensors[index].copy_(found.view_as(mine))
            self._missed[index] = mine - tensors[index]

    def _columns(self, whole: dict[int, Tensor], group_id: bytes) -> list[Tensor]:
        """What our own gradients have in the round's directions, (rows, rank) each."""
        return [
            _flat(each) @ drawn_for(group_id, index, _flat(each).shape[1], self.rank) for index, each in whole.items()
        ]

    def _require_everybody(self, group_id: bytes) -> None:
        if self._running_groups[group_id].result().outcome({}).lost:
            raise AllreduceException("a peer was lost in the first half")


def _flat(tensor: Tensor) -> Tensor:
    return tensor.flatten(1)


async def _beside(work: Callable[[], list[Tensor]]) -> list[Tensor]:
    """The work's result, in a thread of its own: meanwhile others are answered."""

    def alone() -> list[Tensor]:
        torch.set_num_threads(1)  # a forked process has none of its parent's helpers, and would wait for them
        return work()

    return await asyncio.get_running_loop().run_in_executor(None, alone)
