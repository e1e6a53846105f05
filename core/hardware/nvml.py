"""GPUs as NVIDIA's driver reports them through NVML; every call may hang for ever, so it needs a thread to spare."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from core.hardware.device import Device, DeviceUser
from core.hardware.nvml_session import NvmlSession
from core.hardware.visible_gpus import VARIABLE, VisibleGpus
from core.wsl import is_wsl


class Program(NamedTuple):
    """``name`` is empty where the system does not tell it; ``is_ours`` is true of us and what we started.

    ``is_there`` is false where the system's list of processes has no such one.
    """

    name: str
    is_ours: bool
    is_there: bool = True


class DeviceUsers:
    """Programs that use a GPU, cached from one scan to the next because finding a process's name takes a while."""

    def __init__(self) -> None:
        self._known: dict[int, Program] = {}
        self._known_before: dict[int, Program] = {}

    def start_scan(self) -> None:
        """Forget the processes that the last scan has not met: their ids may be reused."""
        self._known_before, self._known = self._known, {}

    def others(self, memory: Mapping[int, int | None]) -> tuple[DeviceUser, ...]:
        """Processes that are not ours, with the bytes of GPU memory that each uses; the largest first."""
        users = [
            DeviceUser(pid, program.name, size)
            for pid, size in memory.items()
            if not (program := self.program(pid)).is_ours
        ]
        return tuple(sorted(users, key=lambda user: (-(user.memory_bytes or 0), user.pid)))

    def program(self, pid: int) -> Program:
        """The program that runs as this process."""
        program = self._known.get(pid) or self._known_before.get(pid) or _program_of(pid)
        self._known[pid] = program
        return program


def _program_of(pid: int) -> Program:
    import psutil

    try:
        process = psutil.Process(pid)
        is_ours = pid == os.getpid() or any(parent.pid == os.getpid() for parent in process.parents())
        return Program(process.name(), is_ours)
    except psutil.NoSuchProcess:
        return Program("", is_ours=False, is_there=False)
    except (psutil.Error, OSError, ValueError):
        return Program("", is_ours=False)


_Question = Callable[[Any, Any], dict[str, Any]]


class Nvml:
    """A session with the driver, for one thread; it stays open between two scans until something fails."""

    def __init__(self) -> None:
        self._found: dict[int, Device] = {}
        self._users = DeviceUsers()
        self._session = NvmlSession()

    @property
    def gpus(self) -> dict[int, Device]:
        """What the present look has found so far, or the last one has found, by index; without what is hidden."""
        return VisibleGpus(os.environ.get(VARIABLE)).of(self._found.copy())

    def scan(self) -> None:
        """Find the GPUs anew; never raises. Without a driver, or with one that is broken, there are none."""
        self._found = {}
        self._users.start_scan()
        try:
            self._look()
        except Exception as error:  # no driver, no library, or a fault in either
            self._session.log_once(f"NVML: {error!r}")
            self._found = {}
            self.close()

    def close(self) -> None:
        """End the session with the driver; the next scan opens another."""
        self._session.close()

    def _look(self) -> None:
        nvml = self._session.opened()
        is_whole = True
        count = nvml.nvmlDeviceGetCount()
        for index in range(count):
            is_whole = self._ask(nvml, index) and is_whole
        if not is_whole or count == 0:
            self.close()  # what is lost or not there yet can only be seen by beginning anew

    def _ask(self, nvml: Any, index: int) -> bool:
        """Whether the GPU is there."""
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            self._found[index] = Device("cuda", index)
            for question in _QUESTIONS:
                self._fill(index, question, nvml, handle)
            self._fill(index, self._other_users, nvml, handle)
        except nvml.NVMLError as error:
            self._session.log_once(f"GPU {index} is left out: {error!r}")
            self._found.pop(index, None)
            return False
        return True

    def _fill(self, index: int, question: _Question, nvml: Any, handle: Any) -> None:
        try:
            self._found[index] = replace(self._found[index], **question(nvml, handle))
        except (nvml.NVMLError_GpuIsLost, nvml.NVMLError_Uninitialized):
            raise
        except Exception as error:
            self._session.log_once(f"GPU {index}, {question.__name__}: {error!r}")

    def _other_users(self, nvml: Any, handle: Any) -> dict[str, Any]:
        """A program that computes and draws is told twice; in WSL the driver lists none, whoever uses the GPU."""
        asked = () if is_wsl() else (_processes(nvml, handle, kind) for kind in ("Compute", "Graphics"))
        lists = [listed for listed in asked if listed is not None]
        if not lists:
            return {"users": None}
        memory: dict[int, int | None] = {}
        for process in chain.from_iterable(lists):
            sizes = (memory.get(process.pid), process.usedGpuMemory)
            memory[process.pid] = max((size for size in sizes if size is not None), default=None)
        return {"users": self._users.others(memory)}


def _uuid(nvml: Any, handle: Any) -> dict[str, Any]:
    return {"uuid": nvml.nvmlDeviceGetUUID(handle)}


def _name(nvml: Any, handle: Any) -> dict[str, Any]:
    return {"name": nvml.nvmlDeviceGetName(handle)}


def _memory(nvml: Any, handle: Any) -> dict[str, Any]:
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    except (nvml.NVMLError_FunctionNotFound, nvml.NVMLError_ArgumentVersionMismatch):
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return {"memory_total_bytes": int(memory.total), "memory_free_bytes": int(memory.free)}


def _driver(nvml: Any, _handle: Any) -> dict[str, Any]:
    return {"driver": nvml.nvmlSystemGetDriverVersion()}


def ask_temperature(nvml: Any, handle: Any) -> dict[str, Any]:
    """The temperature of the chip, in whole °C; raises NVMLError."""
    try:
        celsius = nvml.nvmlDeviceGetTemperatureV(handle, nvml.NVML_TEMPERATURE_GPU)
    except (nvml.NVMLError_FunctionNotFound, nvml.NVMLError_ArgumentVersionMismatch):
        celsius = nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)
    return {"temperature_c": int(celsius)}


def _capability(nvml: Any, handle: Any) -> dict[str, Any]:
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return {"capability": (major, minor)}


def _utilisation(nvml: Any, handle: Any) -> dict[str, Any]:
    percent = nvml.nvmlDeviceGetUtilizationRates(handle).gpu
    return {"utilisation": min(percent, 100) / 100}


def ask_power(nvml: Any, handle: Any) -> dict[str, Any]:
    """The power at this moment, or its mean of the last second on newer GPUs, in watts; raises NVMLError."""
    return {"power_watts": nvml.nvmlDeviceGetPowerUsage(handle) / 1000}


def ask_energy(nvml: Any, handle: Any) -> dict[str, Any]:
    """What the board has drawn since the driver was loaded, in joules, from Volta on; raises NVMLError."""
    return {"energy_joules": nvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1000}


def _processes(nvml: Any, handle: Any, kind: str) -> list[Any] | None:
    """``None`` where they are not told: an older driver has an older call, or tells one kind only."""
    for version in ("_v3", "_v2"):
        try:
            return list(getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses{version}")(handle))
        except (nvml.NVMLError_FunctionNotFound, nvml.NVMLError_NotSupported, AttributeError):
            continue
    return None


_QUESTIONS = (_uuid, _name, _memory, _driver, _capability, ask_temperature, _utilisation, ask_power, ask_energy)
