"""How much memory of a device training takes, and how much it could take at most, in bytes."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Protocol

import psutil
import torch

from core.hardware.fit import CUDA_CONTEXT_BYTES

_STATUS, _CLEAR_REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class MemoryMeter(Protocol):
    """``taken_bytes`` is the peak since ``reset``, or as near to it as the system tells.

    ``free_bytes`` is what it could be at the most. Both count everything of this process that is on the
    device; on a CPU, what it has added since the meter was made.
    """

    def reset(self) -> None: ...

    def taken_bytes(self) -> int: ...

    def free_bytes(self) -> int: ...

    def synchronize(self) -> None: ...


def memory_meter_for(device: torch.device) -> MemoryMeter:
    """The meter of that device; make it before the model is built."""
    return _GpuMeter(device) if device.type != "cpu" else _ProcessMeter()


class _GpuMeter:
    """What torch has reserved, and the CUDA context, which torch does not count."""

    def __init__(self, device: torch.device) -> None:
        self._device, self._gpus = device, torch.get_device_module(device)

    def reset(self) -> None:
        self._gpus.empty_cache()
        self._gpus.reset_peak_memory_stats(self._device)

    def taken_bytes(self) -> int:
        return CUDA_CONTEXT_BYTES + int(self._gpus.max_memory_reserved(self._device))

    def free_bytes(self) -> int:
        free, _ = self._gpus.mem_get_info(self._device)
        return CUDA_CONTEXT_BYTES + int(free + self._gpus.memory_reserved(self._device))

    def synchronize(self) -> None:
        self._gpus.synchronize(self._device)


class _ProcessMeter:
    """How much this process has grown. Where its peak cannot be reset, larger batches must be measured later."""

    def __init__(self) -> None:
        self._before = psutil.Process().memory_info().rss

    def reset(self) -> None:
        with contextlib.suppress(OSError):
            _CLEAR_REFS.write_text("5")  # proc(5): resets the peak resident set size

    def taken_bytes(self) -> int:
        return max(0, _peak_bytes() - self._before)

    def free_bytes(self) -> int:
        grown = psutil.Process().memory_info().rss - self._before
        return int(psutil.virtual_memory().available + grown)

    def synchronize(self) -> None:
        pass


def _peak_bytes() -> int:
    """The peak resident set size, VmHWM of proc(5); where the system does not tell it, the present size."""
    try:
        lines = _STATUS.read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration, ValueError):
        return int(psutil.Process(os.getpid()).memory_info().rss)
