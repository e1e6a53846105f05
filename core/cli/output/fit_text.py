"""How much memory a run asks for, whether this computer has it, what a dry run has found: in words."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.output.format import count, share, size, speed
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import Fit, fits, gpu_memory_needed, host_memory_needed, share_of_swarm
from core.protocol.events import FitMeasured
from core.run.manifest import RunManifest


def memory_asked(manifest: RunManifest) -> str:
    """For somebody who has not chosen a device yet."""
    on_gpu, on_host = gpu_memory_needed(manifest), host_memory_needed(manifest)
    return f"about {size(on_gpu)} on a GPU, {size(on_host)} of ordinary memory"


def memory_fit(manifest: RunManifest, device: Device, devices: Sequence[Device]) -> str:
    """Needed and free, on the device and beside it; what is too little is said loudly."""
    fit = fits(manifest, device, devices, DiskSpace())
    if fit.gpu is None:
        return _words(fit.memory, "of memory")
    return f"{_words(fit.gpu, f'on {device.label}')}; {_words(fit.memory, 'of ordinary memory')}"


def of_fit(fit: FitMeasured, swarm_samples_per_second: float | None) -> str:
    """``fits with micro-batch 4 · about 31 samples/s · 0.4 % of the swarm``."""
    if fit.micro_batch == 0:
        return "does not fit: there is no memory for even one sample"
    parts = [f"fits with micro-batch {count(fit.micro_batch)}"]
    if fit.samples_per_second is not None:
        parts.append(f"about {speed(fit.samples_per_second)}")
        part = share_of_swarm(fit.samples_per_second, swarm_samples_per_second)
        if part is not None:
            parts.append(f"{share(part)} of the swarm")
    return " · ".join(parts)


def _words(fit: Fit, where: str) -> str:
    if fit.available_bytes is None:
        return f"about {size(fit.needed_bytes)} {where}, what is free is not known"
    verdict = {"tight": ": tight", "too_little": ": TOO LITTLE"}.get(fit.verdict, "")
    return f"about {size(fit.needed_bytes)} {where}, {size(fit.available_bytes)} free{verdict}"
