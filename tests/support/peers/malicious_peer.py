"""A hivemind peer of one run that lies: ``KIND FOLDER ADDRESS``; it says what it does in lines of JSON.

``nan`` and ``huge`` train with everybody, and their gradients are not numbers, or beyond all measure; what
they average and offer as the run's state is soon so, too. ``donor`` trains nothing: it claims to be far
ahead, and that its state is the one to have. ``promising`` is honest, and says when others count on it.
``cut`` is ahead as well, and has a state: only its line breaks in the middle of it, the first time that somebody
asks. To hivemind that looks as if the stream had come to its end. ``dripping`` claims what a ``donor`` does, and sends
a byte of its state each second.
"""

from __future__ import annotations

import asyncio
import math
import sys
from pathlib import Path
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import torch
from hivemind.averaging.control import AveragingStage
from hivemind.optim import optimizer as hivemind_optimizer
from hivemind.optim.state_averager import TrainingStateAverager
from hivemind.p2p import P2PContext, PeerID
from hivemind.proto import averaging_pb2, runtime_pb2

from tests.integration.foreign.hivemind_scripts import Life, claim_epochs_ahead, living, say, steps

POISON = {"nan": math.nan, "huge": 1e30}
EPOCHS_AHEAD = {"donor": 1000, "cut": 5, "dripping": 1000}  # what others may be ahead by is ten; no test trains for 990


def main(kind: str, folder: Path, address: str) -> None:
    """Until SIGTERM."""
    if kind in AVERAGERS:
        hivemind_optimizer.TrainingStateAverager = AVERAGERS[kind]
    with living(folder, address) as life:
        match kind:
            case "donor" | "cut" | "dripping":
                claim_epochs_ahead(life, EPOCHS_AHEAD[kind])
            case "promising":
                promise(life)
            case _:
                average_nonsense(life, POISON[kind])


class LyingAverager(TrainingStateAverager):  # type: ignore[misc]  # hivemind publishes no types
    """Whoever asks for its state gets no numbers."""

    def get_current_state(self) -> Any:
        metadata, tensors, infos = super().get_current_state()
        return metadata, [torch.full_like(tensor, math.nan) for tensor in tensors], infos


class CutAverager(TrainingStateAverager):  # type: ignore[misc]  # hivemind publishes no types
    """The first message of a state is all that anybody gets who asks for the first time."""

    _asked: frozenset[PeerID] = frozenset()

    async def rpc_download_state(
        self, request: averaging_pb2.DownloadRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        is_first = context.remote_id not in self._asked
        self._asked |= {context.remote_id}
        async for message in super().rpc_download_state(request, context):
            yield message
            if is_first:
                return


class DrippingAverager(TrainingStateAverager):  # type: ignore[misc]  # hivemind publishes no types
    """Whoever asks for its state gets a byte a second."""

    async def rpc_download_state(
        self, request: averaging_pb2.DownloadRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """The state, as slowly as can be."""
        async for message in super().rpc_download_state(request, context):
            data = message.tensor_part.buffer
            message.tensor_part.buffer = data[:1]
            yield message
            for place in range(1, len(data)):
                await asyncio.sleep(1.0)
                yield averaging_pb2.DownloadData(tensor_part=runtime_pb2.Tensor(buffer=data[place : place + 1]))


AVERAGERS = {"donor": LyingAverager, "cut": CutAverager, "dripping": DrippingAverager}
for averager in AVERAGERS.values():
    averager.__name__ = "TrainingStateAverager"  # under which others call it


def average_nonsense(life: Life, poison: float) -> None:
    """Train like any other, but for what is computed."""

    def spoil(model: torch.nn.Module) -> None:
        for parameter in model.parameters():
            assert parameter.grad is not None, "it was just computed"
            parameter.grad.fill_(poison)

    for _ in steps(life, spoil):
        pass


def promise(life: Life) -> None:
    """Train like any other; say when a group is there that waits for our gradients."""
    told = None
    for _ in steps(life):
        scheduled = life.optimizer.scheduled_grads
        if scheduled is not told and scheduled.stage == AveragingStage.AWAITING_TRIGGER:
            told = scheduled
            say(is_expected=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
