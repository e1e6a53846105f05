"""The GPUs of which NVML does not tell, AMD's and Intel's, as devices for an engine that computes on them.

PyTorch calls the first AMD GPU ``cuda:0``, and the first Intel GPU ``xpu:0``. They are numbered here as on the PCI bus.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from core.hardware.device import Device
from core.hardware.pci_gpus import Vendor, find_pci_gpus

_KINDS: dict[Vendor, Literal["cuda", "xpu"]] = {"AMD": "cuda", "Intel": "xpu"}
_DRIVERS = {"amdgpu", "i915", "xe"}


@cache
def bus_gpus(vendor: Vendor | None, root: Path = Path("/")) -> tuple[Device, ...]:
    """The vendor's GPUs that have their driver and are no part of the processor, as they were at the first call.

    None of NVIDIA's. How much of their memory is free is not told. ``root`` holds ``sys`` and ``usr``. Never raises.
    """
    kind = _KINDS.get(vendor) if vendor is not None else None
    if kind is None:
        return ()
    found = (gpu for gpu in find_pci_gpus(root) if gpu.vendor == vendor and gpu.driver in _DRIVERS)
    return tuple(
        Device(kind, index, name=gpu.name, memory_total_bytes=gpu.memory_bytes, pci_address=gpu.address)
        for index, gpu in enumerate(gpu for gpu in found if not gpu.is_integrated)
    )
