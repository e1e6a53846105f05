"""The run of a soak: the demo's, with epochs short enough that there are many, yet long for matchmaking."""

from __future__ import annotations

from pathlib import Path

from tests.bench.setup import write_run_file
from tests.support.peers.slow_computer import SAMPLES_PER_SECOND

EPOCH_SECONDS = 10.0  # four times the demo's matchmaking_time


def run_file_in(folder: Path, peers: int) -> Path:
    """For so many peers."""
    folder.mkdir(parents=True, exist_ok=True)
    write_run_file(folder / "run.toml", round(peers * SAMPLES_PER_SECOND * EPOCH_SECONDS))
    return folder / "run.toml"
