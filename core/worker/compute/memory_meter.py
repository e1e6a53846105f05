"""How much memory of a device training takes, and how much it may take."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Protocol

import psutil
import torch

from core.hardware.fit import CUDA_CONTEXT_BYTES

_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class MemoryMeter(Protocol):
    """``taken_bytes`` is the peak since ``reset``, or as near to it as the system tells.

    ``free_bytes`` is what it could be at the most. Both count everything of this process that is on the
    device; on a CPU, what it has added since the gauge was made.
    """

    def reset(self) -> None: ...

    def taken_bytes(self) -> int: ...

    def free_bytes(self) -> int: ...

    def synchronize(self) -> None: ...


def memory_meter_for(device: torch.device) -> MemoryMeter:
    """The gauge of that device; make it before the model is built."""
    return _OfGpu(device) if device.type == "cuda" else _OfProcess()


class _OfGpu:
    """What torch has reserved, with the driver's share, which torch does not see."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def reset(self) -> None:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(self._device)

    def taken_bytes(self) -> int:
        return CUDA_CONTEXT_BYTES + torch.cuda.max_memory_reserved(self._device)

    def free_bytes(self) -> int:
        free, _ = torch.cuda.mem_get_info(self._device)
        return CUDA_CONTEXT_BYTES + free + torch.cuda.memory_reserved(self._device)

    def synchronize(self) -> None:
        torch.cuda.synchronize(self._device)


class _OfProcess:
    """How much this process has grown. Where its peak cannot be forgotten, larger batches must come later."""

    def __init__(self) -> None:
        self._before = psutil.Process().memory_info().rss

    def reset(self) -> None:
        with contextlib.suppress(OSError):
            _FORGET.write_text("5")

    def taken_bytes(self) -> int:
        return max(0, _peak_bytes() - self._before)

    def free_bytes(self) -> int:
        grown = psutil.Process().memory_info().rss - self._before
        return int(psutil.virtual_memory().available + grown)

    def synchronize(self) -> None:
        pass


def _peak_bytes() -> int:
    """The most that this process has ever had in memory; where the system does not tell, what it has now."""
    try:
        lines = _STATUS.read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration, ValueError):
        return int(psutil.Process(os.getpid()).memory_info().rss)
