"""Where the engine is: the one place that knows which Python runs the worker, and in what surroundings."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from core.engine.installed import EngineDirectory
from core.errors import ErrorKind, UserError
from core.files.resources import ROOT


def is_packaged() -> bool:
    """Whether an installer put us here; a checkout's own environment is its engine."""
    return (ROOT / "bin" / "uv").is_file()


def needs_engine(data: Path) -> bool:
    """Whether there is nothing yet that could train."""
    return is_packaged() and EngineDirectory(data).engine() is None


def engine_python(data: Path) -> Path:
    """The one that has all libraries; raises ClientError where its engine has not been made."""
    if not is_packaged():
        return Path(sys.executable)
    engine = EngineDirectory(data).engine()
    if engine is None:
        raise UserError(ErrorKind.ENGINE_NOT_MADE)
    return engine.python


def worker_command(data: Path) -> list[str]:
    """What starts a worker; raises ClientError where its engine has not been made."""
    return command_of(engine_python(data))


def uses_gpus(data: Path) -> bool:
    """Whether the engine was made for GPUs; one that has not been made yet may still be."""
    engine = EngineDirectory(data).engine() if is_packaged() else None
    return engine is None or engine.stamp.build != "cpu"


def command_of(python: Path) -> list[str]:
    """What starts a worker with it; a remote engine (``wsl.exe … --``) gets its prefix here.

    ``-P`` keeps the folder in which a person happens to stand out of this, and a ``core`` in it.
    """
    return [str(python), "-P", "-m", "core.worker"]


def worker_environment() -> dict[str, str]:
    """Our own, so that what a person set for torch's threads or devices counts.

    CUDA numbers the GPUs as NVML does, so that ``cuda:1`` is the one that a person chose.
    A ``core`` that is not installed in the engine is named in it: the worker's shall be the same as ours.
    """
    environment = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"} | os.environ
    if ROOT.name not in ("site-packages", "dist-packages"):
        inherited = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *([inherited] if inherited else [])])
    return environment
