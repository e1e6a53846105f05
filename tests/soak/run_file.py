"""The run of a soak: the demo's, with epochs short enough that there are many, yet long for matchmaking."""

from __future__ import annotations

import os
from pathlib import Path

from tests.bench.setup import write_run_file

SAMPLES_A_CORE = 20_000  # some ten seconds, which is four times the demo's matchmaking_time


def run_file_in(folder: Path, peers: int) -> Path:
    """For so many peers, of one thread each, on a machine that does nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    cores = min(peers, len(os.sched_getaffinity(0)))
    write_run_file(folder / "run.toml", cores * SAMPLES_A_CORE)
    return folder / "run.toml"
