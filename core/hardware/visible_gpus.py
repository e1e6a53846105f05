"""The GPUs that a person leaves to CUDA programs: ``CUDA_VISIBLE_DEVICES``, read as CUDA reads it.

A worker is not given the variable: CUDA would number what is left anew, and ``cuda:1`` would not be NVML's.
So GPUs that are hidden are not offered, and the others keep their numbers. With MIG, CUDA is left to read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.hardware.device import Device

VARIABLE = "CUDA_VISIBLE_DEVICES"
_OF_MIG = "MIG-"


def is_for_cuda(wish: str) -> bool:
    """Whether only CUDA can follow it: it names a part of a GPU (Multi-Instance GPU)."""
    return _OF_MIG in wish


@dataclass(frozen=True)
class VisibleGpus:
    """``wish`` is the variable's value: indices in the order of the PCI bus, or uuids, which may be cut short.

    ``None`` leaves all. From the first entry on that names no GPU, CUDA reads no further.
    """

    wish: str | None

    def of(self, gpus: Mapping[int, Device]) -> dict[int, Device]:
        """Those of the GPUs, by their NVML indices, that are not hidden."""
        if self.wish is None or is_for_cuda(self.wish):
            return dict(gpus)
        visible = dict[int, Device]()
        for entry in self.wish.split(","):
            named = [index for index, gpu in gpus.items() if _is_named(index, gpu, entry.strip())]
            if len(named) != 1:
                break
            visible[named[0]] = gpus[named[0]]
        return visible


def _is_named(index: int, gpu: Device, entry: str) -> bool:
    if entry.isdecimal():
        return int(entry) == index
    return entry.startswith("GPU-") and (gpu.uuid or "").startswith(entry)
