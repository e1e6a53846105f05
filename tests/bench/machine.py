"""What the figures were measured on: a figure without its machine is a rumour."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path

import psutil


def describe(threads: int) -> str:
    """One line: processor, cores, memory, load, versions, day."""
    cores = len(os.sched_getaffinity(0))
    memory_gib = psutil.virtual_memory().total / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in ("hivemind", "torch", "workerbee"))
    return (
        f"{_processor()}, {cores} cores ({threads} thread{'s' * (threads > 1)} for each peer), "
        f"{memory_gib:.0f} GiB; load {load()}; Python {platform.python_version()}, {versions}; "
        f"{time.strftime('%Y-%m-%d')}"
    )


def load() -> str:
    """How busy the machine was in the last minute, in processes that wanted to run."""
    return f"{os.getloadavg()[0]:.1f}"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
