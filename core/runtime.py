"""Where the engine is: the one place that knows which Python runs the worker, and in what surroundings."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def worker_command() -> list[str]:
    """What starts a worker; a packaged or remote engine (``wsl.exe … --``) gets its prefix here.

    ``-P`` keeps the folder in which a person happens to stand out of this, and a ``core`` in it.
    """
    return [sys.executable, "-P", "-m", "core.worker"]


def worker_environment() -> dict[str, str]:
    """Our own, so that what a person set for torch's threads or devices counts.

    CUDA numbers the GPUs as NVML does, so that ``cuda:1`` is the one that a person chose.
    A checkout that is not installed is named in it: the worker shall be of the same ``core`` as we are.
    """
    environment = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"} | os.environ
    if _ROOT.name not in ("site-packages", "dist-packages"):
        inherited = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *([inherited] if inherited else [])])
    return environment
