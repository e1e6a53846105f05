"""Which build of torch suits this computer, and why; asked of the drivers' own commands."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.engine.builds import CUDA_BUILDS, BuildName
from core.engine.file_lists import EngineFiles, load_files
from core.engine.pythons import this_python
from core.errors import ErrorKind, UserError
from core.hardware.pci_gpus import Vendor
from core.hardware.unused_gpus import UnusedGpu, find_unused_gpus
from core.localizable import localized

Reason = Literal[
    "driver", "gpu_old", "gpu_too_old", "driver_too_old", "python_too_new", "amd", "intel", "unused_gpu", "no_gpu"
]
"""The NVIDIA driver; an NVIDIA GPU too old for the newest build that its driver could run. Then what leaves the CPU
alone: a GPU or a driver too old for any build, a Python too new for the build that the GPU needs. An AMD or an Intel
GPU; an NVIDIA GPU without a working driver; none."""
_OF_OTHER_VENDORS: Mapping[Vendor, tuple[BuildName, Reason]] = {"AMD": ("rocm", "amd"), "Intel": ("xpu", "intel")}

_ANSWER_SECONDS = 10.0
_VERSION = re.compile(r"^[0-9]{2,4}(\.[0-9]{1,4}){0,3}$")
_CAPABILITY = re.compile(r"^[0-9]{1,2}\.[0-9]$")
_AMD_GPU = re.compile(r"^gfx[0-9a-f]{3,5}$")


@dataclass(frozen=True)
class Suited:
    """The build that the drivers ask for; ``capability`` is the newest NVIDIA GPU's, where it is the reason.

    ``unused`` is the GPU that is the reason, where no driver of NVIDIA's or of ROCm told of any.
    """

    build: BuildName
    reason: Reason
    driver: str = ""
    capability: str = ""
    unused: UnusedGpu | None = None


@dataclass(frozen=True)
class Choice:
    """The engine that will be made; ``is_second_best`` where this Workerbee has no list of files for a better one."""

    suited: Suited
    files: EngineFiles

    @property
    def is_second_best(self) -> bool:
        """Whether the GPU, if there is one, stays idle although a driver for it is there."""
        return self.suited.build not in ("cpu", self.files.build)


def suited_build(root: Path = Path("/")) -> Suited:
    """Ask the drivers; an NVIDIA GPU is preferred, and a driver that does not answer is as good as none.

    Where none answers, Linux tells of the GPUs, below ``root``.
    """
    driver = next(iter(_of_nvidia("driver_version", _VERSION)), "")
    on_nvidia = _suited_to_nvidia(driver) if driver else None
    if on_nvidia is not None and on_nvidia.build != "cpu":
        return on_nvidia
    if _has_amd_gpu():
        return Suited("rocm", "amd")
    return on_nvidia or _without_driver(root)


def _without_driver(root: Path) -> Suited:
    """A driver of NVIDIA's that came without ``nvidia-smi`` was not asked, so it is not said to be silent."""
    is_nvidia_asked = shutil.which("nvidia-smi") is not None
    for gpu in find_unused_gpus((), root):
        if gpu.obstacle != "driver silent" or is_nvidia_asked:
            return Suited(*_OF_OTHER_VENDORS.get(gpu.vendor, ("cpu", "unused_gpu")), unused=gpu)
    return Suited("cpu", "no_gpu")


def _suited_to_nvidia(driver: str) -> Suited:
    """The newest build for that driver and the newest GPU; a driver that tells no capability has a usual GPU."""
    runnable = [build for build in CUDA_BUILDS if _numbers(driver) >= _numbers(build.least_driver)]
    if not runnable:
        return Suited("cpu", "driver_too_old", driver)
    capability = max(_of_nvidia("compute_cap", _CAPABILITY), key=_numbers, default="")
    known = [build for build in runnable if not capability or _numbers(capability) >= build.least_capability]
    if not known:
        return Suited("cpu", "gpu_too_old", driver, capability)
    build = next((build for build in known if this_python() in build.pythons), None)
    if build is None:
        return Suited("cpu", "python_too_new", driver, capability)
    return (
        Suited(build.name, "driver", driver)
        if build is runnable[0]
        else Suited(build.name, "gpu_old", driver, capability)
    )


def choose_files(suited: Suited, load: Callable[[BuildName], EngineFiles | None] = load_files) -> Choice:
    """The files for it, or for the next best; raises UserError where there are none for this Python.

    torch for CUDA computes on the CPU, too: it is only much larger.
    """
    builds: tuple[BuildName, ...] = (suited.build, "cpu", "cuda13")
    for build in builds:
        files = load(build)
        if files is not None:
            return Choice(suited, files)
    raise UserError(ErrorKind.ENGINE_NOT_OFFERED, localized("This is Python %1.", this_python()))


def _of_nvidia(field: str, form: re.Pattern[str]) -> list[str]:
    """What the driver says of every GPU, such as ``580.95.05``; nothing where there is none."""
    lines = _answer("nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader")
    return [line for line in lines if form.match(line)]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _has_amd_gpu() -> bool:
    """gfx000 is how the enumerator calls the CPU."""
    return any(_AMD_GPU.match(line) and line != "gfx000" for line in _answer("rocm_agent_enumerator"))


def _answer(program: str, *words: str) -> list[str]:
    """What it prints, line by line; nothing if it is not there, fails, or does not answer in time."""
    path = shutil.which(program)
    if path is None:
        return []
    try:
        command = [path, *words]
        done = subprocess.run(command, capture_output=True, timeout=_ANSWER_SECONDS, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return []
    text = done.stdout[:10_000].decode("utf-8", "replace") if done.returncode == 0 else ""
    return [line.strip() for line in text.splitlines()]
