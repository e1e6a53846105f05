"""What this computer can train on: its NVIDIA GPUs, asked through NVML, and its CPU as a last resort."""

from __future__ import annotations

import logging
import os
import platform
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from core.problems import ClientError, Problem

_log = logging.getLogger(__name__)


_Question = Callable[[Any, Any], dict[str, Any]]


@dataclass(frozen=True)
class Device:
    """One of them; ``None`` where the driver would not say.

    ``index`` counts as ``nvidia-smi`` does, which CUDA may not: a worker is given a GPU by its ``uuid``.
    """

    kind: Literal["cuda", "cpu"]
    index: int = 0
    uuid: str | None = None
    name: str | None = None
    memory_total_bytes: int | None = None
    memory_free_bytes: int | None = None
    driver: str | None = None
    temperature_c: int | None = None

    @property
    def label(self) -> str:
        """What a person types to choose it: ``cuda:0``, ``cpu``."""
        return f"cuda:{self.index}" if self.kind == "cuda" else "cpu"

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that it answers to, in lower case."""
        return (self.label, self.uuid.lower()) if self.uuid else (self.label,)


def find_devices(timeout_seconds: float = 2.0) -> tuple[Device, ...]:
    """The GPUs, then the CPU, which is always there. Never raises, never takes longer than the limit.

    What a slow driver has told by then is in the answer, and the rest is in a later one.
    """
    return (*_find_gpus(timeout_seconds), _cpu())


def choose_device(devices: Sequence[Device], wish: str) -> Device:
    """The device meant by ``auto``, ``cpu``, ``cuda:N`` or a uuid.

    ``auto`` is the GPU with most free memory, or else the CPU. Raises ClientError naming those that exist.
    """
    wanted = wish.strip().lower()
    if wanted == "auto":
        gpus = [device for device in devices if device.kind == "cuda" and device.uuid]
        found = sorted(gpus, key=lambda gpu: gpu.memory_free_bytes or 0, reverse=True)
        found += [device for device in devices if device.kind == "cpu"]
    else:
        found = [device for device in devices if wanted in device.names]
    if found:
        return found[0]
    known = ", ".join(f"{device.label} ({device.name or 'unnamed'})" for device in devices)
    raise ClientError(Problem.NO_SUCH_DEVICE, f"“{wish}” is none of {known}.")


class _Scan(threading.Thread):
    """Asks NVML once, in a thread that may hang for ever without anybody waiting for it."""

    def __init__(self) -> None:
        super().__init__(name="nvml", daemon=True)
        self.gpus: dict[int, Device] = {}

    def run(self) -> None:
        try:
            import pynvml

            pynvml.nvmlInit()
            try:
                for index in range(pynvml.nvmlDeviceGetCount()):
                    self._ask(pynvml, index)
            finally:
                pynvml.nvmlShutdown()
        except Exception as error:  # no driver, no library, or a fault in either: then there are no GPUs
            _log.info("NVML: %r", error)

    def _ask(self, nvml: Any, index: int) -> None:
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            self.gpus[index] = Device("cuda", index)
            for question in _QUESTIONS:
                self._fill(index, question, nvml, handle)
        except nvml.NVMLError as error:
            _log.warning("GPU %d is left out: %r", index, error)
            self.gpus.pop(index, None)

    def _fill(self, index: int, question: _Question, nvml: Any, handle: Any) -> None:
        try:
            self.gpus[index] = replace(self.gpus[index], **question(nvml, handle))
        except nvml.NVMLError_GpuIsLost:
            raise
        except Exception as error:
            _log.info("GPU %d, %s: %r", index, question.__name__, error)


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


def _temperature(nvml: Any, handle: Any) -> dict[str, Any]:
    try:
        celsius = nvml.nvmlDeviceGetTemperatureV(handle, nvml.NVML_TEMPERATURE_GPU)
    except (nvml.NVMLError_FunctionNotFound, nvml.NVMLError_ArgumentVersionMismatch):
        celsius = nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)
    return {"temperature_c": int(celsius)}


_QUESTIONS = (_uuid, _name, _memory, _driver, _temperature)
_lock = threading.Lock()
_running: _Scan | None = None


def _find_gpus(timeout_seconds: float) -> list[Device]:
    """Waits for the scan that is under way, if one hangs, instead of starting another beside it."""
    global _running
    with _lock:
        if _running is None or not _running.is_alive():
            _running = _Scan()
            _running.start()
        scan = _running
    scan.join(timeout_seconds)
    if scan.is_alive():
        _log.warning("NVML has not answered within %s s", timeout_seconds)
    return [gpu for _, gpu in sorted(scan.gpus.copy().items())]


def _cpu() -> Device:
    try:
        import psutil

        memory = psutil.virtual_memory()
        return Device("cpu", 0, None, _cpu_name(), memory.total, memory.available)
    except Exception as error:
        _log.info("The CPU's memory: %r", error)
        return Device("cpu", 0, None, _cpu_name())


def _cpu_name() -> str:
    """Such as ``AMD Ryzen 5 5600X``; the architecture where the system does not tell more."""
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            field, _, value = line.partition(":")
            if field.strip() == "model name" and value.strip():
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or f"{os.cpu_count()} cores"
