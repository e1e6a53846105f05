"""Which Python has the training libraries: the installed engine's, or a checkout's own."""

from __future__ import annotations

import sys
from pathlib import Path

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


def gpu_vendor(data: Path) -> Vendor | None:
    """Whose GPUs the engine was made for, ``None`` for the CPU alone; NVIDIA's where none has been made yet."""
    engine = EngineDirectory(data).engine() if is_packaged() else None
    return "NVIDIA" if engine is None else _VENDORS.get(engine.metadata.build, "NVIDIA")


def least_capability(data: Path) -> tuple[int, int]:
    """The least compute capability of the NVIDIA GPUs that the engine has code for; (0, 0) where it is not known."""
    engine = EngineDirectory(data).engine() if is_packaged() else None
    builds = (build for build in CUDA_BUILDS if engine is not None and build.name == engine.metadata.build)
    return next((build.least_capability for build in builds), (0, 0))
