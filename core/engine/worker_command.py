"""How a worker process is started: its command line and its environment variables."""

from __future__ import annotations

import os
from pathlib import Path

from core.engine.environment import passed_on
from core.engine.python import engine_python
from core.files.resources import ROOT
from core.hardware.visible_gpus import VARIABLE, is_for_cuda


def worker_command(data: Path) -> list[str]:
    """The command line that starts a worker; raises UserError where its engine has not been made."""
    return command_of(engine_python(data))


def command_of(python: Path) -> list[str]:
    """The command line that starts a worker with that Python; a remote engine (``wsl.exe … --``) gets its prefix here.

    ``-P`` keeps the folder in which a person happens to stand out of this, and a ``core`` in it.
    """
    return [str(python), "-P", "-m", "core.worker"]


def worker_environment() -> dict[str, str]:
    """The environment variables of a worker: those of our own that its libraries know, such as for torch and CUDA.

    CUDA numbers the GPUs as NVML does, all of them, so that ``cuda:1`` is the one that a person chose; those that the
    person hides are not offered (`core.hardware.visible_gpus`).
    A ``core`` that is not installed in the engine is named in it: the worker's shall be the same as ours.
    """
    environment = passed_on(os.environ) | {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    if not is_for_cuda(environment.get(VARIABLE, "")):
        environment.pop(VARIABLE, None)
    if ROOT.name not in ("site-packages", "dist-packages"):
        inherited = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *([inherited] if inherited else [])])
    return environment
