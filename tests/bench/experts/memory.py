"""Whether the memory of an expert host grows while a trainer asks it for an hour."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median

import psutil

from tests.bench.experts.rows import LIMIT_SECONDS, SEEDS, ExpertsMeasured, starter
from tests.bench.setup import Ground, told_as_not_measured
from tests.bench.table import Row, figure_row
from tests.support.computer.memory_use import memory_use_of_all
from tests.support.real_peers import peer_group

LOOKS = 60
FEW = LOOKS // 6  # looks, whose median is compared
MAX_GROWTH = 1.02
STEPS_BEFORE = 20  # until the trainer tells of each step


def host_memory_deeds(ground: Ground, seconds: float, measured: ExpertsMeasured) -> Mapping[str, Callable[[], object]]:
    """How it is watched for so long; it gives the growth, and notes it down."""
    return {"expert host, memory": partial(_watched, ground, seconds, measured)}


def host_memory_row(measured: ExpertsMeasured) -> Row:
    """The last ten minutes of the hour against the second ten, in which everything has been there once."""
    return figure_row(
        "experts elsewhere: memory (USS) of a host in the last sixth of an hour of requests ÷ in the second",
        measured.host_growth,
        "{:.3f}",
        f"≤ {MAX_GROWTH}",
        lambda it: it <= MAX_GROWTH,
    )


def _watched(ground: Ground, seconds: float, measured: ExpertsMeasured) -> list[int]:
    with told_as_not_measured(), peer_group(ground.folder / "expert-host-memory") as group:
        start = starter(group, STEPS_BEFORE)
        host = start(SEEDS[0], "host")
        address = host.until(lambda said: "address" in said, seconds=LIMIT_SECONDS)["address"]
        trainer = start(SEEDS[0], "remote", address)
        trainer.until(lambda said: "present" in said, seconds=LIMIT_SECONDS)
        process, looks, began = psutil.Process(host.process.pid), list[int](), time.monotonic()
        while len(looks) < LOOKS:
            time.sleep(max(0.0, began + seconds * (len(looks) + 1) / LOOKS - time.monotonic()))
            since = len(trainer.said)
            trainer.until(lambda said: "present" in said, since, LIMIT_SECONDS)  # it still trains
            looks.append(memory_use_of_all([process, *process.children(recursive=True)]).uss_bytes)
        measured.host_growth = growth(looks)
        print(f"{looks[FEW] / 2**20:.1f} → {looks[-1] / 2**20:.1f} MiB in {len(trainer.said):,} steps", flush=True)
        return looks


def growth(looks: list[int]) -> float:
    """The median of the last looks ÷ that of the second ones."""
    return median(looks[-FEW:]) / median(looks[FEW : 2 * FEW])
