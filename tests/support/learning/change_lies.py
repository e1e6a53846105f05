"""How a member of a small swarm lies in its exchanges of local SGD; nothing else of it is different.

``flip`` sends what it has changed with the opposite sign, and ``huge`` a thousand times that, and claims a billion
samples; ``zero`` sends nothing but zeros and claims as much, and ``replayed`` sends its first changes again and again;
by ``drift`` it moves the weights in one direction by 2 % of their size a round. A ``reducer`` returns averages with the
opposite sign. ``nan`` parts are no numbers, and ``short`` ones have another length.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from core.worker.swarm import LocalSgdOptimizer
from core.worker.swarm.aggregation.rules import aggregate
from core.worker.swarm.local_sgd import exchange
from core.worker.swarm.local_sgd.codecs.wire import EncodedParts
from tests.support.learning.gradient_lies import BILLION, DRIFT, FACTORS, direction
from tests.support.peers.learning_rows import Lie


def lie_in_messages(lie: Lie) -> None:
    """Send parts that are no numbers, or too short, or averages that are none; before the averagers are forked."""
    if lie in ("nan", "short"):
        _send_nonsense(lie)
    elif lie == "reducer":
        exchange.aggregate = lambda *args: -aggregate(*args)  # type: ignore[attr-defined]


def _send_nonsense(lie: Lie) -> None:
    compress = EncodedParts.compress

    def send_nonsense(self: EncodedParts, tensor: Tensor, *args: Any, **options: Any) -> Any:
        nonsense = torch.full_like(tensor, 0xFF) if lie == "nan" else tensor[:-1].clone()
        return compress(self, nonsense, *args, **options)

    EncodedParts.compress = send_nonsense


def lie_about_changes(optimizer: LocalSgdOptimizer, lie: Lie) -> None:
    """From now on, send what no steps have changed."""
    if lie not in (*FACTORS, "replayed", "drift"):
        return
    averager, weight = optimizer.grad_averager, {"weight": BILLION} if lie in ("huge", "zero") else {}
    begin, load = averager.step, averager.load_accumulators_into_averager_
    first = list[Tensor]()

    def load_lies() -> None:
        load()
        truth = [averager.changes.decoded(index) for index in range(len(averager.parameters))]
        first.extend(() if first else truth)
        for index, base in enumerate(optimizer.base_weights()):
            if lie == "replayed":
                told = first[index]
            elif lie == "drift":
                told = truth[index] - DRIFT * base.detach().norm() * direction(base)
            else:
                told = FACTORS[lie] * truth[index]
            averager.changes.encode(index, told)

    averager.load_accumulators_into_averager_ = load_lies  # type: ignore[method-assign]
    averager.step = lambda *args, **options: begin(*args, **options | weight)  # type: ignore[method-assign]
