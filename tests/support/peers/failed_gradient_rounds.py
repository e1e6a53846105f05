"""A peer whose groupmate reports progress and never averages: what its optimizer makes of rounds that all fail.

Its one argument is "at once" or "delayed". The model is one number, SGD's learning rate is 1, and the gradient of each
micro-batch is a random number, so an epoch's step is the mean of its gradients. It says in a line of JSON where the
number is after some epochs, where those means lead, and how many rounds of gradients have failed.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import hivemind
import torch
from hivemind.optim.progress_tracker import ProgressTracker

from core.protocol.events import RoundFinished
from core.run.spec.collaboration import Collaboration
from core.security.identity import Identity
from core.worker.process.process_tree import setup_fork_handling
from core.worker.swarm import Listeners, Swarm, SwarmOptimizer, enter_swarm
from tests.support.peers.stale_round_peers import OPTIONS, say

RUN_ID = "lonely"
EPOCHS = 3
TARGET = 40
MICRO_BATCH_SECONDS = 0.05


def main() -> None:
    """Some epochs, each of whose rounds fails because nobody comes."""
    setup_fork_handling()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "identity"
        swarm = enter_swarm(
            [],
            Path(folder) / "progress",
            identity=Identity.load_or_create(path),
            identity_path=path,
            mode="direct",
            listen=["/ip4/127.0.0.1/tcp/0"],
        )
        parameter = torch.nn.Parameter(torch.zeros(1))
        ended = list[RoundFinished]()
        optimizer = averaging(swarm, parameter, ended.append, is_delayed=sys.argv[1] == "delayed")
        silent = hivemind.DHT(initial_peers=swarm.addresses(), client_mode=True, **OPTIONS)
        tracker = ProgressTracker(silent, prefix=RUN_ID, target_batch_size=TARGET, client_mode=True, start=True)
        tracker.report_local_progress(local_epoch=0, samples_accumulated=1)
        means = epochs(optimizer, parameter)
        failures = sum(each.kind == "gradients" and not each.ok for each in ended)
        say(reached=parameter.item(), expected=-sum(means), failed=failures)
    sys.stdout.flush()
    os._exit(0)


def averaging(
    swarm: Swarm, parameter: torch.nn.Parameter, on_round: Callable[[RoundFinished], None], *, is_delayed: bool
) -> SwarmOptimizer:
    """As a volunteer makes it."""
    return SwarmOptimizer(
        swarm,
        RUN_ID,
        Collaboration(
            target_batch_size=TARGET,
            batch_size_per_step=1,
            matchmaking_time=0.5,
            averaging_timeout=1.0,
            delay_grad_averaging=is_delayed,
            delay_optimizer_step=is_delayed,
            delay_state_averaging=is_delayed,
        ),
        params=[parameter],
        optimizer=lambda groups: torch.optim.SGD(groups, lr=1.0),
        scheduler=None,
        leaving=threading.Event(),
        listeners=Listeners(on_round, lambda *_: None, lambda peer, why: None, lambda is_agreed, epoch: ""),
    )


def epochs(optimizer: SwarmOptimizer, parameter: torch.nn.Parameter) -> list[float]:
    """Train for some epochs, and wait for all steps; the mean gradient of each."""
    while not optimizer.tracker.others:
        time.sleep(MICRO_BATCH_SECONDS)
    means, gradients = list[float](), list[float]()
    while len(means) < EPOCHS:
        gradients.append(random.random())
        parameter.grad = torch.tensor([gradients[-1]])
        epoch = optimizer.local_epoch
        optimizer.step(batch_size=1)
        optimizer.zero_grad()
        if optimizer.local_epoch != epoch:
            means.append(sum(gradients) / len(gradients))
            gradients.clear()
        time.sleep(MICRO_BATCH_SECONDS)
    optimizer.state_averager.step(wait_for_delayed_updates=True)
    return means


if __name__ == "__main__":
    main()
