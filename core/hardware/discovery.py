"""What this computer can train on: its GPUs, NVIDIA's asked through NVML, and its CPU as a last resort."""

from __future__ import annotations

import logging
import os
import platform
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.hardware.bus_gpus import bus_gpus
from core.hardware.device import Device
from core.hardware.nvml import Nvml
from core.hardware.pci_gpus import Vendor
from core.localizable import localized

_log = logging.getLogger(__name__)


def find_devices(timeout_seconds: float = 2.0) -> tuple[Device, ...]:
    """NVIDIA's GPUs, then the CPU, which is always there. Never raises, never takes longer than the limit.

    What a slow driver has told by then is in the answer, and the rest is in a later one.
    """
    return (*_find_gpus(timeout_seconds), this_cpu())


def choose_device(devices: Sequence[Device], wish: str) -> Device:
    """The device meant by ``auto``, ``cpu``, ``cuda:N``, ``xpu:N`` or a uuid.

    ``auto`` is the GPU with most free memory, or else the CPU. Raises UserError naming those that exist.
    """
    wanted = wish.strip().lower()
    if wanted == "auto":
        gpus = [device for device in devices if device.is_gpu and (device.uuid or device.pci_address)]
        found = sorted(gpus, key=lambda gpu: gpu.memory_free_bytes or 0, reverse=True)
        found += [device for device in devices if device.kind == "cpu"]
    else:
        found = [device for device in devices if wanted in device.names]
    if found:
        return found[0]
    known = ", ".join(f"{device.label} ({device.name or 'unnamed'})" for device in devices)
    raise UserError(ErrorKind.NO_SUCH_DEVICE, localized("“%1” is none of %2.", wish, known))


def usable_devices(
    devices: Iterable[Device],
    vendor: Vendor | None,
    least_capability: tuple[int, int] = (0, 0),
    root: Path = Path("/"),
) -> tuple[Device, ...]:
    """The devices that an engine for that vendor's GPUs can compute on; for nobody's GPUs (``None``) it is the CPU.

    ``devices`` are NVIDIA's GPUs and the CPU; for those of less than ``least_capability`` the engine has no code. Where
    the others are, Linux tells below ``root``.
    """
    if vendor == "NVIDIA":
        return tuple(each for each in devices if each.capability is None or each.capability >= least_capability)
    return (*bus_gpus(vendor, root), *(device for device in devices if not device.is_gpu))


def this_cpu() -> Device:
    """The CPU as a device, with the computer's memory as its own."""
    try:
        import psutil

        memory = psutil.virtual_memory()
        return Device("cpu", 0, None, _cpu_name(), memory.total, memory.available)
    except Exception as error:
        _log.info("The CPU's memory: %r", error)
        return Device("cpu", 0, None, _cpu_name())


class _Scan(threading.Thread):
    """Asks the driver once, in a thread that may hang for ever without anybody waiting for it."""

    def __init__(self) -> None:
        super().__init__(name="nvml", daemon=True)
        self.nvml = Nvml()

    def run(self) -> None:
        self.nvml.scan()
        self.nvml.close()


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
    return [gpu for _, gpu in sorted(scan.nvml.gpus.items())]


@cache
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
