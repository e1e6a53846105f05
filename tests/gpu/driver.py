"""What NVIDIA's driver tells of one GPU, asked through NVML by the process that runs the proof."""

from __future__ import annotations

import csv
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.hardware.nvml_session import NvmlSession
from tests.gpu.table import Untried

_ANSWER_SECONDS = 20.0
_LOOK_SECONDS = 0.1
_SMI_FIELDS = ("uuid", "name", "driver_version", "memory.total", "memory.used", "temperature.gpu", "power.draw")


@dataclass(frozen=True)
class SmiGpu:
    """A GPU as ``nvidia-smi`` has it: megabytes of 2**20 bytes, degrees Celsius, watts; ``None`` is ``[N/A]``."""

    uuid: str
    name: str
    driver: str
    total_mib: float | None
    used_mib: float | None
    temperature: float | None
    watts: float | None


def ask_nvidia_smi() -> list[SmiGpu]:
    """Every GPU, in order; raises Untried where there is no such program or it fails."""
    program = shutil.which("nvidia-smi")
    if program is None:
        raise Untried("there is no nvidia-smi")
    command = [program, f"--query-gpu={','.join(_SMI_FIELDS)}", "--format=csv,noheader,nounits"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_ANSWER_SECONDS, check=False)
    if done.returncode:
        raise Untried(f"nvidia-smi fails: {' '.join((done.stdout + done.stderr).split())[:150]}")
    rows = csv.reader(done.stdout.splitlines(), skipinitialspace=True)
    return [_gpu(*row) for row in rows if len(row) == len(_SMI_FIELDS)]


def _gpu(uuid: str, name: str, driver: str, *figures: str) -> SmiGpu:
    return SmiGpu(uuid, name, driver, *map(_number, figures))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


class GpuDriver:
    """One GPU, by its NVML index."""

    def __init__(self, index: int) -> None:
        self._nvml = NvmlSession().opened()
        self._gpu = self._nvml.nvmlDeviceGetHandleByIndex(index)

    @property
    def used_bytes(self) -> int:
        """Memory that is taken, by whomever."""
        return int(self._nvml.nvmlDeviceGetMemoryInfo(self._gpu).used)

    @property
    def pids(self) -> frozenset[int]:
        """The processes that compute on it, by the ids of the driver's own process namespace."""
        return frozenset(each.pid for each in self._nvml.nvmlDeviceGetComputeRunningProcesses(self._gpu))

    @property
    def watts(self) -> float:
        """The power that it draws now."""
        return float(self._nvml.nvmlDeviceGetPowerUsage(self._gpu)) / 1000

    @property
    def joules(self) -> float:
        """The energy since the driver was loaded; Volta and newer. Raises Untried elsewhere."""
        return float(self._asked("energy", self._nvml.nvmlDeviceGetTotalEnergyConsumption)) / 1000

    def seconds_until_free(self, bytes_before: int, pids: frozenset[int], limit_seconds: float) -> float | None:
        """How long until it is as free as before, and none of the processes uses it; ``None``: not within the limit."""
        began = time.monotonic()
        while (waited := time.monotonic() - began) <= limit_seconds:
            if self.used_bytes <= bytes_before and self.pids.isdisjoint(pids):
                return waited
            time.sleep(_LOOK_SECONDS)
        return None

    def _asked(self, what: str, question: Callable[[Any], Any]) -> Any:
        try:
            return question(self._gpu)
        except self._nvml.NVMLError as error:
            raise Untried(f"this GPU does not tell its {what}: {error}") from error
