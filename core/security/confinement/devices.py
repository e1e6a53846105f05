"""NVIDIA's device files, which CUDA makes at its first use by a setuid program: a confined process runs none."""

from __future__ import annotations

import logging
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

_DRIVER, _UNIFIED_MEMORY = Path("/proc/driver/nvidia/version"), Path("/dev/nvidia-uvm")
_LIMIT_SECONDS = 10.0

log = logging.getLogger(__name__)


def make_gpu_devices() -> None:
    """Have nvidia-modprobe load the module for unified memory and make its device files, if they are missing."""
    program = shutil.which("nvidia-modprobe")
    if program is None or not _DRIVER.exists() or _UNIFIED_MEMORY.exists():
        return
    log.info("%s is missing", _UNIFIED_MEMORY)
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run([program, "-u", "-c", "0"], stdin=subprocess.DEVNULL, timeout=_LIMIT_SECONDS, check=False)
