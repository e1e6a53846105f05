"""The experiments: one question each, and the runs that answer it, which differ in one thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.experiments.run_files import Ground, fine_tuning, sums

_IN_STEP = {
    "delay_grad_averaging": False,
    "delay_optimizer_step": False,
    "delay_state_averaging": False,
}
_ADAPTERS: dict[str, dict[str, Any]] = {
    "recipe": {"lora": {"rank": 8, "alpha": 16.0, "target_modules": []}},
    "optimizer": {"learning_rate": 5e-3},  # few numbers take larger steps
}


@dataclass(frozen=True)
class Trial:
    """So many peers of one core each, and what is added to the tables of the experiment's run file."""

    name: str
    peers: int = 2
    added: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """``epochs`` are watched in each trial, once all peers have settled."""

    question: str
    epochs: int
    trials: tuple[Trial, ...]
    ground: Ground = sums


def _sizes(target: int, micro_batch: int, **more: Any) -> dict[str, dict[str, Any]]:
    return {"collaboration": {"target_batch_size": target, "batch_size_per_step": micro_batch, **more}}


EXPERIMENTS = {
    "peers": Experiment(
        "Do two peers get there sooner than one, at the same target batch?",
        15,
        (
            Trial("one peer", 1, _sizes(64_000, 64)),
            Trial("two peers", 2, _sizes(64_000, 64)),
        ),
    ),
    "micro-batch": Experiment(
        "Does the size of the micro-batch change what an epoch teaches?",
        12,
        tuple(Trial(f"micro-batch {size}", 2, _sizes(32_000, size)) for size in (1, 4, 8)),
    ),
    "overlap": Experiment(
        "What does it bring to go on computing while others are averaged with?",
        12,
        (
            Trial("overlap", 2, _sizes(64_000, 64)),
            Trial("in step", 2, _sizes(64_000, 64, **_IN_STEP)),
        ),
    ),
    "compression": Experiment(
        "What does it cost to send less?",
        12,
        tuple(
            Trial(name, 2, _sizes(64_000, 64, grad_compression=gradients, state_averaging_compression=state))
            for name, gradients, state in (
                ("exact", "none", "none"),
                ("halves", "float16", "float16"),
                ("gradients in 8 bits", "uniform_8bit", "float16"),
            )
        ),
    ),
    "adapters": Experiment(
        "What does it cost to train adapters only?",
        12,
        (
            Trial("the whole model", 2, _sizes(4_000, 4)),
            Trial("adapters (LoRA, rank 8)", 2, _sizes(4_000, 4) | _ADAPTERS),
        ),
        fine_tuning,
    ),
}
