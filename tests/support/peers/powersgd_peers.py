"""Two averagers with PowerSGD, of which one is lost in the middle of their last round.

It says in lines of JSON what becomes of each round: how many peers were in it, or why it failed; how far both
are apart afterwards, and how much of the mean of all gradients so far they have not been given yet.
"""

from __future__ import annotations

import os
import signal
from typing import Any

import hivemind
import torch
from torch import Tensor

from core.worker.process.process_tree import setup_fork_handling
from core.worker.swarm import patches
from core.worker.swarm.averaging.power_sgd import PowerSGDGradientAverager
from core.worker.swarm.averaging.rounds import Rounds
from core.worker.swarm.averaging.timeouts import shared_seconds
from core.worker.swarm.dht.child_processes import ChildProcesses
from tests.support.peers.stale_round_peers import LIMIT_SECONDS, OPTIONS, outcome, say

ROWS, COLUMNS, RANK = 24, 20, 2
LAST_ROUND = 4


class Mortal(PowerSGDGradientAverager):
    """Its process ends when the first exchange of its last round would begin."""

    rounds_begun = 0

    async def _run_allreduce_inplace_(self, *args: Any, **kwargs: Any) -> None:
        self.rounds_begun += 1
        if self.rounds_begun == LAST_ROUND:
            os.kill(os.getpid(), signal.SIGKILL)
        await super()._run_allreduce_inplace_(*args, **kwargs)


Mortal.__name__ = PowerSGDGradientAverager.__name__  # its RPCs are called so


class Pair:
    """Both, and what they have computed and been given so far."""

    def __init__(self) -> None:
        first = hivemind.DHT(**OPTIONS)
        second = hivemind.DHT(initial_peers=first.get_visible_maddrs(), client_mode=True, **OPTIONS)
        self._members = (averager(PowerSGDGradientAverager, first), averager(Mortal, second))
        self._computed, self._given = torch.zeros(ROWS, COLUMNS), torch.zeros(ROWS, COLUMNS)

    def average(self, gradients: list[Tensor]) -> None:
        """One round of theirs."""
        for number, (each, gradient) in enumerate(zip(self._members, gradients, strict=True)):
            each.parameters[0].grad = gradient.clone()
            each.parameters[1].grad = torch.full((ROWS,), float(number))
            each.accumulate_grads_(batch_size=1)
        rounds = [
            each.step(weight=1.0, timeout=LIMIT_SECONDS, wait=False, reset_accumulators=True) for each in self._members
        ]
        became = [outcome(each) for each in rounds]  # of both: who reduces has its average before the other has it
        self._computed += (gradients[0] + gradients[1]) / 2
        found = [_in_buffers(each) for each in self._members]
        self._given += found[0][0]
        missing = (self._computed - self._given).norm() / self._computed.norm()
        apart = max(float((mine - theirs).abs().max()) for mine, theirs in zip(*found, strict=True))
        say(became=became, apart=apart, missing=float(missing), bias=float(found[0][1].mean()))

    def lose_one(self, gradients: list[Tensor]) -> None:
        """The last round."""
        for each, gradient in zip(self._members, gradients, strict=True):
            each.parameters[0].grad = gradient.clone()
            each.accumulate_grads_(batch_size=1)
        mine, _ = (each.step(weight=1.0, timeout=LIMIT_SECONDS, wait=False) for each in self._members)
        became = outcome(mine)
        kept = _in_buffers(self._members[0])[0]
        say(became=became, is_untouched=bool(torch.equal(kept, gradients[0])))


def averager(kind: type[PowerSGDGradientAverager], dht: hivemind.DHT) -> PowerSGDGradientAverager:
    """As a peer's optimizer makes it; the model has a matrix and a bias."""
    return kind(
        [torch.nn.Parameter(torch.zeros(ROWS, COLUMNS)), torch.nn.Parameter(torch.zeros(ROWS))],
        rank=RANK,
        dht=dht,
        prefix="powersgd",
        min_matchmaking_time=3.0,
        request_timeout=2.4,
        sender_timeout=15.0,
        reducer_timeout=30.0,
        children=ChildProcesses(),
        last_exchange=shared_seconds(),
        rounds=Rounds(search_seconds=30.0),
        start=True,
    )


def _in_buffers(each: PowerSGDGradientAverager) -> list[Tensor]:
    with each.get_tensors() as tensors:
        return [tensor.clone() for tensor in tensors]


def main() -> None:
    """Gradients that fit into the directions, some that do not, none, and a round without the other."""
    setup_fork_handling()
    patches.apply()
    torch.manual_seed(1)
    pair = Pair()
    pair.average([torch.outer(torch.randn(ROWS), torch.randn(COLUMNS)) for _ in range(2)])
    pair.average([torch.randn(ROWS, COLUMNS) for _ in range(2)])
    pair.average([torch.zeros(ROWS, COLUMNS)] * 2)
    pair.lose_one([torch.randn(ROWS, COLUMNS) for _ in range(2)])


if __name__ == "__main__":
    main()
