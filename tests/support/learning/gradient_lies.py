"""How a member of a small swarm lies where gradients and states are averaged; nothing else of it is different.

``flip`` sends its gradient with the opposite sign. ``flipped`` does so too, claims a billion samples and reports none;
``huge`` sends a thousand times the opposite, and claims a billion samples; ``zero`` sends nothing but zeros and claims
as much, and ``replayed`` sends its first gradients again and again. ``initial`` and ``noise`` are what the liar puts
into the average of the parameters, with a weight of a billion; by ``drift`` it moves them in one direction by 2 % of
their size a round. ``shape`` sends parts of another length. A ``reducer`` returns averages of gradients with the
opposite sign, and zeros for those of parameters.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partialmethod
from typing import Any

import torch
from hivemind.compression import Float16Compression, NoCompression
from torch import Tensor

from core.worker.swarm import SwarmOptimizer
from core.worker.swarm.aggregation.aggregators import GradientAggregator, Sent, StateAggregator
from core.worker.swarm.averaging.allreduce import RobustContainer, RobustRunner
from core.worker.swarm.averaging.averager_process import AveragerProcess
from tests.support.peers.learning_rows import Lie

BILLION = 1e9
DRIFT = 0.02
CLAIMS_A_BILLION = ("huge", "flipped", "zero")
FACTORS = {"flip": -1.0, "flipped": -1.0, "huge": -1000.0, "zero": 0.0}


def lie_in_exchanges(lie: Lie) -> None:
    """Return what was not averaged, or send other parameters; call it before the averagers are forked."""
    if lie == "reducer":
        _lie_as_reducer()
    elif lie in ("initial", "noise", "drift"):
        _lie_about_states(lie)
    elif lie == "shape":
        _shorten_parts()
    elif lie == "silent":
        answer_nobody()


def _lie_as_reducer() -> None:
    """The liar keeps the true averages for itself, and so stays as good as the others."""
    average, average_states, validate = (
        GradientAggregator.aggregated,
        StateAggregator.aggregated,
        RobustContainer._validated,
    )
    truths = dict[int, Tensor]()  # by the address of its own part

    def opposite(self: GradientAggregator, sent: Sequence[Sent], mine: Tensor, movement: float) -> Tensor:
        truths[mine.data_ptr()] = average(self, sent, mine, movement)
        return -truths[mine.data_ptr()]

    def nothing(self: StateAggregator, sent: Sequence[Sent], mine: Tensor, movement: float) -> Tensor:
        truths[mine.data_ptr()] = average_states(self, sent, mine, movement)
        return torch.zeros_like(mine)

    def validated(self: RobustContainer, peer_index: int, part_index: int, part: Tensor) -> Tensor:
        mine = self._input_parts_by_peer[peer_index][part_index][0]
        is_own = peer_index == self._own_index
        return validate(self, peer_index, part_index, truths.pop(mine.data_ptr()) - mine if is_own else part)

    GradientAggregator.aggregated = opposite  # type: ignore[method-assign]
    StateAggregator.aggregated = nothing  # type: ignore[method-assign]
    RobustContainer._validated = validated  # type: ignore[method-assign]


def _lie_about_states(lie: Lie) -> None:
    make, first = RobustRunner._make_container, list[Tensor]()

    def make_lies(self: RobustRunner, tensors: Sequence[Tensor], *args: Any, **options: Any) -> RobustContainer:
        if isinstance(self._aggregator, StateAggregator):
            first.extend(tensor.clone() for tensor in (() if first else tensors))
            if lie == "drift":
                tensors = [each + DRIFT * each.norm() * direction(each) for each in tensors]
            else:
                tensors = [torch.randn_like(each) if lie == "noise" else each for each in first]
                self.weight = BILLION
        return make(self, tensors, *args, **options)

    RobustRunner._make_container = make_lies  # type: ignore[method-assign]


def direction(tensor: Tensor) -> Tensor:
    """The same one for each tensor of that shape, of norm 1."""
    towards: Tensor = torch.randn(tensor.shape, generator=torch.Generator().manual_seed(tensor.numel()))
    return towards.div_(towards.norm())


def _shorten_parts() -> None:
    for codec in (NoCompression, Float16Compression):
        codec.compress = partialmethod(_compress_less, codec.compress)


def _compress_less(codec: Any, compress: Callable[..., Any], tensor: Tensor, *args: Any, **options: Any) -> Any:
    return compress(codec, tensor.flatten()[:-1], *args, **options)


def answer_nobody() -> None:
    """Take the parts that others send to be averaged, and answer nothing, from now on; call it before the fork."""

    async def silent(_self: AveragerProcess, _parts: Any, _context: Any) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield

    AveragerProcess._averages = silent  # type: ignore[assignment]


def lie_about_gradients(optimizer: SwarmOptimizer, lie: Lie) -> None:
    """From now on, send what was not computed."""
    if lie in FACTORS or lie == "replayed":
        averager, told = optimizer.grad_averager, lies_instead(lie)

        def change() -> None:
            with averager.get_tensors() as gradients:
                torch._foreach_copy_(gradients, told(gradients))

        send_changed(averager, lie, change)


def lies_instead(lie: Lie) -> Callable[[Sequence[Tensor]], list[Tensor]]:
    """What makes of the truth what is told: a multiple of it, or the first again and again."""
    first = list[Tensor]()

    def told(truth: Sequence[Tensor]) -> list[Tensor]:
        if lie != "replayed":
            return [FACTORS[lie] * each for each in truth]
        first.extend(each.clone() for each in (() if first else truth))
        return first

    return told


def send_changed(averager: Any, lie: Lie, change: Callable[[], None]) -> None:
    """Have what is loaded changed before it is sent; who lies grossly claims a billion samples, too."""
    weight = {"weight": BILLION} if lie in CLAIMS_A_BILLION else {}
    begin, load = averager.step, averager.load_accumulators_into_averager_

    def load_changed() -> None:
        load()
        change()

    averager.load_accumulators_into_averager_ = load_changed
    averager.step = lambda *args, **options: begin(*args, **options | weight)
