"""How a member of a small swarm lies in its exchanges of local SGD; nothing else of it is different."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from core.worker.swarm import LocalSgdOptimizer
from core.worker.swarm.local_sgd.codecs.wire import EncodedParts
from tests.support.peers.learning_rows import Lie

FACTOR = 1000.0


def lie_in_messages(lie: Lie) -> None:
    """Send parts that are no numbers, or too short; call it before the averagers are forked."""
    if lie not in ("nan", "short"):
        return
    compress = EncodedParts.compress

    def send_nonsense(self: EncodedParts, tensor: Tensor, *args: Any, **options: Any) -> Any:
        nonsense = torch.full_like(tensor, 0xFF) if lie == "nan" else tensor[:-1].clone()
        return compress(self, nonsense, *args, **options)

    EncodedParts.compress = send_nonsense


def begin_to_lie(optimizer: LocalSgdOptimizer) -> None:
    """From now on, send so many times what was changed, with the opposite sign, and claim a billion samples."""
    averager = optimizer.grad_averager
    begin, load = averager.step, averager.load_accumulators_into_averager_

    def load_lies() -> None:
        load()
        for index in range(len(averager.parameters)):
            averager.changes.encode(index, averager.changes.decoded(index).mul_(-FACTOR))

    averager.load_accumulators_into_averager_ = load_lies  # type: ignore[method-assign]
    averager.step = lambda *args, **options: begin(*args, **options | {"weight": FACTOR**3})  # type: ignore[method-assign]
