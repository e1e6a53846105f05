"""The bundled uv: it knows the indexes, and it puts environments together."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from core.engine.file_lists import EngineFiles
from core.engine.install.wheel_download import StoppedError
from core.files.resources import ROOT

SHIPPED = ROOT / "wheels"
_POLL_SECONDS = 0.2
_KEPT_OUTPUT = 100_000


class UvFailedError(Exception):
    """The uv process ended with an error; carries what it printed."""


def find_uv() -> Path | None:
    """The uv that came with Workerbee, or else that of this environment or of the PATH."""
    bundled = ROOT / "bin" / "uv"
    beside = Path(sys.executable).with_name("uv")
    on_path = shutil.which("uv")
    if bundled.is_file() or beside.is_file():
        return bundled if bundled.is_file() else beside
    return Path(on_path) if on_path else None


def run_uv(uv: Path, *words: str, work: Path, stop: threading.Event) -> None:
    """Run uv in the folder ``work``, and end it within a moment when ``stop`` is set.

    Raises UvFailedError, StoppedError, OSError. It takes the system's Python and never fetches another.
    """
    environment = os.environ | {
        "UV_CACHE_DIR": str(work / "cache"),
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        "TMPDIR": str(work),
    }
    log = work / "uv.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [uv, *words], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
        try:
            while process.poll() is None:
                if stop.wait(_POLL_SECONDS):
                    raise StoppedError
        finally:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise UvFailedError(log.read_text("utf-8", "replace")[-_KEPT_OUTPUT:].strip())


def make_environment(uv: Path, folder: Path, work: Path, stop: threading.Event) -> None:
    """Make a virtual environment without libraries in ``folder``; raises UvFailedError, StoppedError, OSError."""
    run_uv(uv, "venv", "--no-config", "--python", sys.executable, str(folder), work=work, stop=stop)


def assemble(files: EngineFiles, uv: Path, folder: Path, work: Path, wheels: Path, stop: threading.Event) -> None:
    """Install those wheels in the environment in ``folder``; raises UvFailedError, StoppedError, OSError.

    Links instead of copies where the file system can: what was downloaded is unpacked once.
    """
    if not files.files:
        return
    listed = work / "engine.txt"
    listed.write_text("".join(f"{each.requirement}\n" for each in files.files), "utf-8")
    words = ["pip", "install", "--no-config", "--offline", "--no-index", "--no-deps", "--no-build"]
    words += ["--find-links", str(wheels), "--require-hashes"]
    words += ["--find-links", str(SHIPPED)] if any(each.is_shipped for each in files.files) else []
    words += ["--python", str(folder / "bin" / "python"), "-r", str(listed)]
    run_uv(uv, *words, work=work, stop=stop)
