"""The yardstick: the same model and micro-batches in a plain PyTorch loop, without hivemind.

`python -m tests.bench.peers.plain_loop RUN_FILE THREADS` goes on until it is killed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch

from core.run.run_file import load_run_file
from core.worker.compute.optimizers import make_optimizer
from core.worker.recipes import build
from tests.bench.peers.reports import Reporter


def main() -> None:
    """One of two peers: it steps when it has computed half of ``target_batch_size``."""
    manifest = load_run_file(Path(sys.argv[1]))
    torch.set_num_threads(int(sys.argv[2]))
    recipe = build(manifest, seed=1, device=torch.device("cpu"))
    optimizer = make_optimizer(manifest.optimizer)(recipe.model.parameters())
    micro_batch, target = manifest.collaboration.sure_batch_size, manifest.collaboration.target_batch_size
    reporter = Reporter(target)
    accumulated = epoch = 0
    while True:
        recipe.loss(recipe.draw(micro_batch)).backward()  # type: ignore[no-untyped-call]
        began = time.monotonic()
        accumulated += micro_batch
        if accumulated >= target / 2:
            optimizer.step()
            optimizer.zero_grad()
            accumulated, epoch = 0, epoch + 1
        reporter.note(micro_batch, time.monotonic() - began)
        reporter.tell_if_due(epoch, accumulated, 2 * accumulated, peers=2)


if __name__ == "__main__":
    main()
