"""The run of a soak: a small model, with epochs short enough that there are many, yet long for matchmaking."""

from __future__ import annotations

import tomllib
from pathlib import Path

import tomli_w

from core.run.run_file import template
from core.run.spec.collaboration import Mode
from tests.support.peers.slow_computer import SAMPLES_PER_SECOND

EPOCH_SECONDS = 10.0  # four times the demo's matchmaking_time
LEARNING_RATES: dict[Mode, float] = {"gradients": 5e-3, "local-sgd": 5e-4}  # one step an epoch, or some tens


def run_file_in(folder: Path, peers: int, mode: Mode) -> Path:
    """For so many peers; with local SGD they train on during an exchange."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = tomllib.loads(template())
    tables["recipe"] |= {"layers": 1, "width": 32, "heads": 2}
    tables["optimizer"] |= {"learning_rate": LEARNING_RATES[mode]}
    target = round(peers * SAMPLES_PER_SECOND * EPOCH_SECONDS)
    tables["collaboration"] |= {"mode": mode, "target_batch_size": target, "batch_size_per_step": 60}
    if mode == "local-sgd":
        tables["collaboration"] |= {"overlap": "delayed"}
    (folder / "run.toml").write_text(tomli_w.dumps(tables), encoding="utf-8")
    return folder / "run.toml"
