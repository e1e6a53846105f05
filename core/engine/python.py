"""Which Python has the training libraries: the installed engine's, or a checkout's own."""

from __future__ import annotations

import sys
from pathlib import Path

from core.engine.installed import EngineDirectory
from core.errors import ErrorKind, UserError
from core.files.resources import ROOT


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


def uses_gpus(data: Path) -> bool:
    """Whether the engine was made for GPUs; one that has not been made yet may still be."""
    engine = EngineDirectory(data).engine() if is_packaged() else None
    return engine is None or engine.metadata.build != "cpu"
