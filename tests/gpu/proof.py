"""One proof: the machine that it is made on, and the lines of its table."""

from __future__ import annotations

import platform
import time
from importlib.metadata import version
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.hardware.device import Device
from core.version import own_version
from tests.bench.setup import NotMeasured
from tests.gpu.ground import Ground, ground_for
from tests.gpu.rows import ROWS, measure
from tests.gpu.runs import full_size, toy_size, write_words
from tests.gpu.table import Line, Untried
from tests.support.environment.folder_server import serving_folder


def prove(folder: Path, device: Device, only: tuple[str, ...], deadline: float) -> tuple[str, list[Line]]:
    """The machine in one line, and the rows of those names, or all; raises UserError for a row that is not there."""
    if unknown := set(only) - set(ROWS):
        raise UserError(ErrorKind.USAGE, f"No row is called {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}.")
    size = toy_size() if device.kind == "cpu" else full_size(device.memory_total_bytes or 0)
    folder = folder.absolute()
    (folder / "web").mkdir(parents=True, exist_ok=True)
    write_words(folder / "web", size)
    with serving_folder(folder / "web") as server, ground_for(folder, device, size, server) as ground:
        machine = _machine(ground)
        lines = list(measure(tuple(name for name in ROWS if name in only or not only), ground, deadline))
    return machine, lines


def _machine(ground: Ground) -> str:
    """One line: device, memory, driver, torch and its CUDA, Python, day."""
    device = ground.device
    try:
        about = ground.ask("about")
    except (Untried, NotMeasured) as error:
        about = {"torch": f"{version('torch')} ({error})", "cuda": "", "capability": ""}
    gpu = [f"{(device.memory_total_bytes or 0) / 2**30:.0f} GiB", f"driver {device.driver or 'unknown'}"]
    capability = [f"compute capability {about['capability']}"] if about["capability"] else []
    cuda = f" (CUDA {about['cuda']})" if about["cuda"] else ""
    versions = [f"torch {about['torch']}{cuda}", f"Python {platform.python_version()}", f"Workerbee {own_version()}"]
    parts = [device.name or device.label, *(gpu + capability if device.kind == "cuda" else ["no GPU, toy size"])]
    return ", ".join([*parts, *versions, time.strftime("%Y-%m-%d")])
