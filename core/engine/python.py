"""Which Python has the training libraries: the installed engine's, or a checkout's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from core.engine.builds import CUDA_BUILDS, BuildName
from core.engine.installed import EngineDirectory
from core.errors import ErrorKind, UserError
from core.files.resources import ROOT
from core.hardware.pci_gpus import Vendor

_VENDORS: dict[BuildName, Vendor | None] = {"rocm": "AMD", "xpu": "Intel", "cpu": None}


def is_packaged() -> bool:
    """Whether Workerbee was installed as a package; a checkout's own environment is its engine."""
    return (ROOT / "bin" / "uv").is_file()


def needs_engine(data: Path) -> bool:
    """Whether an engine must be installed before this computer can train."""
    return is_packaged() and EngineDirectory(data).engine() is None


def engine_python(data: Path) -> Path:
    """The Python that has all training libraries; raises UserError, ENGINE_NOT_MADE, where there is none yet."""
    if not is_packaged():
        return Path(sys.executable)
    engine = EngineDirectory(data).engine()
    if engine is None:
        raise UserError(ErrorKind.ENGINE_NOT_MADE)
    return engine.python


class SupportedGpus(NamedTuple):
    """Whose GPUs an engine has code for, ``None`` for the CPU alone, and of NVIDIA's the least compute capability."""

    vendor: Vendor | None
    least_capability: tuple[int, int]


def supported_gpus(data: Path) -> SupportedGpus:
    """The GPUs that the engine was made for; all of NVIDIA's where none has been made yet."""
    engine = EngineDirectory(data).engine() if is_packaged() else None
    if engine is None:
        return SupportedGpus("NVIDIA", (0, 0))
    build = engine.metadata.build
    least = next((each.least_capability for each in CUDA_BUILDS if each.name == build), (0, 0))
    return SupportedGpus(_VENDORS.get(build, "NVIDIA"), least)
