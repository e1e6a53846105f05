"""How much memory a run asks for, and whether this computer has it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.figures import size
from core.devices import Device
from core.manifest import RunManifest
from core.needs import needs_of

_CUDA_CONTEXT_BYTES = 500_000_000


def memory_asked(manifest: RunManifest) -> str:
    """For somebody who has not chosen a device yet."""
    return f"about {size(_on_gpu(manifest))} on a GPU, {size(_on_host(manifest))} of ordinary memory"


def memory_fit(manifest: RunManifest, device: Device, devices: Sequence[Device]) -> str:
    """Needed and free, on the device and beside it; what is too little is said loudly."""
    host = next((each for each in devices if each.kind == "cpu"), None)
    host_free = host.memory_free_bytes if host else None
    if device.kind == "cpu":
        needed = _on_host(manifest) + needs_of(manifest).device_memory_bytes
        return _compared(needed, "of memory", host_free)
    on_gpu = _compared(_on_gpu(manifest), f"on {device.label}", device.memory_free_bytes)
    return f"{on_gpu}; {_compared(_on_host(manifest), 'of ordinary memory', host_free)}"


def _compared(needed_bytes: int, where: str, free_bytes: int | None) -> str:
    if free_bytes is None:
        return f"about {size(needed_bytes)} {where}, what is free is not known"
    verdict = "" if free_bytes >= needed_bytes else ": TOO LITTLE"
    return f"about {size(needed_bytes)} {where}, {size(free_bytes)} free{verdict}"


def _on_gpu(manifest: RunManifest) -> int:
    """The estimate, or what the organiser asks for if that is more."""
    estimated = needs_of(manifest).device_memory_bytes + _CUDA_CONTEXT_BYTES
    return max(estimated, manifest.requirements.gpu_memory_mib << 20)


def _on_host(manifest: RunManifest) -> int:
    return max(needs_of(manifest).host_memory_bytes, manifest.requirements.memory_mib << 20)
