"""The GPUs of this computer on which nothing can compute, and what keeps them from it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.hardware.device import Device
from core.hardware.pci_gpus import PciGpu, Vendor, find_pci_gpus
from core.hardware.visible_gpus import VARIABLE

Obstacle = Literal["no engine", "no driver", "driver blocked", "driver silent"]
"""AMD and Intel: no engine computes on it. NVIDIA: no driver of NVIDIA's; none while Secure Boot is on, which refuses
a driver whose key is not enrolled; a driver that the kernel has loaded and that tells of no GPU."""

_OF_VIRTUAL_MACHINES = "vfio-pci"
_SECURE_BOOT = "sys/firmware/efi/efivars"


@dataclass(frozen=True)
class UnusedGpu:
    """A GPU that is no part of the processor; ``memory_bytes`` is ``None`` where it is not known.

    ``pci_address`` is such as ``0000:03:00.0``.
    """

    vendor: Vendor
    name: str
    memory_bytes: int | None
    obstacle: Obstacle
    pci_address: str = ""


def unused_gpus(
    found: Iterable[PciGpu],
    devices: Iterable[Device],
    *,
    is_secure_boot_on: bool,
    environment: Mapping[str, str] = os.environ,
) -> tuple[UnusedGpu, ...]:
    """Those of the GPUs ``found`` on the PCI bus that are no use to training.

    Not among them: integrated GPUs, what is given to a virtual machine, and NVIDIA's where its driver tells of any GPU
    in ``devices`` or their owner hides GPUs from CUDA, and those of ``devices`` that have the same PCI address.
    """
    used = {device.pci_address for device in devices if device.is_gpu}
    is_nvidia_told = VARIABLE in environment or "" in used
    return tuple(
        UnusedGpu(gpu.vendor, gpu.name, gpu.memory_bytes, _obstacle(gpu, is_secure_boot_on), gpu.address)
        for gpu in found
        if not gpu.is_integrated
        and gpu.address not in used
        and gpu.driver != _OF_VIRTUAL_MACHINES
        and not (gpu.vendor == "NVIDIA" and is_nvidia_told)
    )


def find_unused_gpus(devices: Iterable[Device], root: Path = Path("/")) -> tuple[UnusedGpu, ...]:
    """The same of this computer, where ``devices`` are what its drivers tell of; ``root`` holds ``sys`` and ``usr``."""
    return unused_gpus(find_pci_gpus(root), devices, is_secure_boot_on=is_secure_boot_on(root))


def is_secure_boot_on(root: Path = Path("/")) -> bool:
    """Whether the firmware starts signed systems alone; false where there is no UEFI, or it does not tell.

    The variable is four bytes of attributes and one byte, which is 1 (UEFI specification, 3.3).
    """
    try:
        return any(file.read_bytes()[4:] == b"\x01" for file in (root / _SECURE_BOOT).glob("SecureBoot-*"))
    except OSError:
        return False


def _obstacle(gpu: PciGpu, is_secure_boot_on: bool) -> Obstacle:
    if gpu.vendor != "NVIDIA":
        return "no engine"
    if gpu.driver == "nvidia":
        return "driver silent"
    return "driver blocked" if is_secure_boot_on else "no driver"
