"""Put an environment together from files that are all here; no index is asked any more."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from core.engine.file_lists import EngineFiles
from core.engine.install.uv import run_uv
from core.files.resources import ROOT

SHIPPED = ROOT / "wheels"


def assemble(files: EngineFiles, uv: Path, folder: Path, work: Path, wheels: Path, stop: threading.Event) -> None:
    """An environment in ``folder``; raises UvFailedError, StoppedError, OSError.

    Links instead of copies where the file system can: what was downloaded is unpacked once.
    """
    listed = work / "engine.txt"
    listed.write_text("".join(f"{each.requirement}\n" for each in files.files), "utf-8")
    run_uv(uv, "venv", "--no-config", "--python", sys.executable, str(folder), work=work, stop=stop)
    words = ["pip", "install", "--no-config", "--offline", "--no-index", "--no-deps", "--no-build"]
    words += ["--find-links", str(wheels), "--require-hashes"]
    words += ["--find-links", str(SHIPPED)] if any(each.is_shipped for each in files.files) else []
    words += ["--python", str(folder / "bin" / "python"), "-r", str(listed)]
    run_uv(uv, *words, work=work, stop=stop)
