"""The run of a soak: the demo's model, with epochs short on this machine, yet long for matchmaking."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.bench.ground import Ground, halves, write_run_file
from tests.bench.plain_pair import plain_samples_per_second

EPOCH_SECONDS = 6.0  # of computing alone; in truth they last two or three times as long as that
MEASURING_SECONDS = 3.0
LIMIT_SECONDS = 120.0


def run_file_in(folder: Path) -> Path:
    """For a swarm that uses every core of this machine, and nothing else does."""
    folder.mkdir(parents=True, exist_ok=True)
    write_run_file(folder / "demo.toml")
    cores = halves(os.sched_getaffinity(0))
    deadline = time.monotonic() + LIMIT_SECONDS
    ground = Ground(folder, folder / "demo.toml", cores, len(cores[1]), EPOCH_SECONDS, deadline)
    return ground.with_target(plain_samples_per_second(ground, MEASURING_SECONDS)).run_file
