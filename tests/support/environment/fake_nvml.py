"""A GPU driver for tests: a small C library that the real pynvml loads in the place of NVIDIA's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("fake_nvml.c")


class FakeNvml:
    """A compiled ``libnvidia-ml.so.1`` and the file that says what it answers, read again at every call.

    Use: ``fake.says("gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070")``, then start a process with
    ``env=fake.environment``. ``fake_nvml.c`` has the lines that it understands.
    """

    def __init__(self, folder: Path, old_driver: bool = False) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            pytest.skip("there is no C compiler to build the fake NVML with")
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._state = folder / "state"
        library = folder / "libnvidia-ml.so.1"
        options = ["-shared", "-fPIC", "-Wall", "-Werror", "-Wl,-soname,libnvidia-ml.so.1"]
        options += ["-DWITHOUT_V"] if old_driver else []
        subprocess.run([compiler, *options, "-o", str(library), str(_SOURCE)], check=True)

    def says(self, *lines: str) -> None:
        """From the next call on, the driver is in that state."""
        written = self._state.with_suffix(".new")
        written.write_text("driver 560.35.03\n" + "".join(f"{line}\n" for line in lines))
        written.replace(self._state)

    @property
    def inits(self) -> int:
        """How often a conversation with the driver has been begun, or tried."""
        log = self._state.with_name("state.inits")
        return len(log.read_text().splitlines()) if log.exists() else 0

    @property
    def environment(self) -> dict[str, str]:
        """For a process that shall see these GPUs."""
        return os.environ | {"LD_LIBRARY_PATH": str(self._folder), "FAKE_NVML_STATE": str(self._state)}
