"""How a member of a small swarm lies in its exchanges of local SGD; nothing else of it is different.

``flip`` sends what it has changed with the opposite sign. ``flipped`` does so too, claims a billion samples and reports
none; ``huge`` sends a thousand times the opposite, and claims a billion samples; ``zero`` sends nothing but zeros and
claims as much, and ``replayed`` sends its first changes again and again; by ``drift`` it moves the weights in one
direction by 2 % of their size a round. A ``reducer`` returns averages with the opposite sign, and a ``bent`` one adds
as much as they are in one direction, which looks like an average. ``nan`` parts are no numbers, and ``short`` ones have
another length. A ``silent`` reducer answers nothing. A liar takes every average that it gets: one that compared it with
what it has sent would refuse honest reducers and leave by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from core.worker.swarm import LocalSgdOptimizer
from core.worker.swarm.local_sgd import reduction
from core.worker.swarm.local_sgd.answer_checks import ReducerAnswers
from core.worker.swarm.local_sgd.codecs.wire import EncodedParts
from tests.support.learning.gradient_lies import (
    DRIFT,
    FACTORS,
    answer_nobody,
    direction,
    lies_instead,
    send_changed,
)
from tests.support.peers.learning_rows import Lie


def lie_in_messages(lie: Lie) -> None:
    """Send parts that are no numbers, or too short, or averages that are none; before the averagers are forked."""
    ReducerAnswers.liars = lambda *_: frozenset[int]()  # type: ignore[method-assign]
    if lie in ("nan", "short"):
        _send_nonsense(lie)
    elif lie == "reducer":
        _change_averages(torch.neg)
    elif lie == "bent":
        _change_averages(_bent)
    elif lie == "silent":
        answer_nobody()


def _change_averages(change: Callable[[Tensor], Tensor]) -> None:
    aggregate = reduction.counted_aggregate  # type: ignore[attr-defined]

    def lied(*args: Any) -> tuple[Tensor, list[float]]:
        average, counted = aggregate(*args)
        return change(average), counted

    reduction.counted_aggregate = lied  # type: ignore[attr-defined, assignment]


def _bent(average: Tensor) -> Tensor:
    bent: Tensor = average + average.norm() * direction(average)
    return bent


def _send_nonsense(lie: Lie) -> None:
    compress = EncodedParts.compress

    def send_nonsense(self: EncodedParts, tensor: Tensor, *args: Any, **options: Any) -> Any:
        nonsense = torch.full_like(tensor, 0xFF) if lie == "nan" else tensor[:-1].clone()
        return compress(self, nonsense, *args, **options)

    EncodedParts.compress = send_nonsense


def lie_about_changes(optimizer: LocalSgdOptimizer, lie: Lie) -> None:
    """From now on, send what no steps have changed."""
    told: Callable[[Sequence[Tensor]], list[Tensor]]
    if lie == "drift":
        told = partial(_drifted, optimizer)
    elif lie in FACTORS or lie == "replayed":
        told = lies_instead(lie)
    else:
        return
    changes = optimizer.grad_averager.changes

    def change() -> None:
        truth = [changes.decoded(index) for index in range(len(optimizer.base_weights()))]
        for index, lied in enumerate(told(truth)):
            changes.encode(index, lied)

    send_changed(optimizer.grad_averager, lie, change)


def _drifted(optimizer: LocalSgdOptimizer, truth: Sequence[Tensor]) -> list[Tensor]:
    pairs = zip(truth, optimizer.base_weights(), strict=True)
    return [each - DRIFT * base.detach().norm() * direction(base) for each, base in pairs]
