"""A GPU or the CPU as it was at one moment, and the programs that use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class DeviceUser:
    """Another program that uses the GPU; ``name`` is empty and ``memory_bytes`` ``None`` where not known."""

    pid: int
    name: str
    memory_bytes: int | None


@dataclass(frozen=True)
class Device:
    """A GPU or the CPU; ``None`` where the driver would not say.

    ``kind`` is what PyTorch calls it: an AMD GPU is ``cuda``, too. ``index`` counts as ``nvidia-smi`` does, and CUDA in
    a worker (`core.engine.worker_command`). Only a GPU of which NVML does not tell has its ``pci_address`` here,
    such as ``0000:03:00.0``. ``capability`` is CUDA's compute capability, such as (7, 5), of an NVIDIA GPU.
    ``utilisation`` is a share, 0 to 1; ``energy_joules`` counts from the driver's start. ``users`` are other people's
    programs and other programs of ours, not this one and its workers; of a CPU, nobody asks.
    """

    kind: Literal["cuda", "xpu", "cpu"]
    index: int = 0
    uuid: str | None = None
    name: str | None = None
    memory_total_bytes: int | None = None
    memory_free_bytes: int | None = None
    driver: str | None = None
    temperature_c: int | None = None
    utilisation: float | None = None
    power_watts: float | None = None
    energy_joules: float | None = None
    users: tuple[DeviceUser, ...] | None = None
    pci_address: str = ""
    capability: tuple[int, int] | None = None

    @property
    def label(self) -> str:
        """The name by which a person chooses the device: ``cuda:0``, ``xpu:0``, ``cpu``."""
        return f"{self.kind}:{self.index}" if self.is_gpu else "cpu"

    @property
    def is_gpu(self) -> bool:
        """Whether it is a GPU of any vendor."""
        return self.kind != "cpu"

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which the device may be chosen, in lower case."""
        return (self.label, self.uuid.lower()) if self.uuid else (self.label,)
