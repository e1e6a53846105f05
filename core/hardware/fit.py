"""Whether a run fits on this computer: what it needs beside what is free, as values and not as words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements

FitVerdict = Literal["fits", "tight", "too_little", "unknown"]

CUDA_CONTEXT_BYTES = 500_000_000
EASY_SHARE = 0.85  # of what is free: above it, a browser that is opened meanwhile may be one too many
_FROM_BAD_TO_GOOD: tuple[FitVerdict, ...] = ("too_little", "unknown", "tight", "fits")


@dataclass(frozen=True)
class Fit:
    """One need of a run, and what this computer has free of it; ``None`` is not known.

    ``total_bytes`` is what the computer has at all, free or not. ``is_limited`` says that more is free, but
    not for Workerbee.
    """

    verdict: FitVerdict
    needed_bytes: int
    available_bytes: int | None
    total_bytes: int | None = None
    is_limited: bool = False

    @property
    def is_freeable(self) -> bool:
        """Whether closing other programs could make room for what does not fit now."""
        return self.verdict == "too_little" and (self.total_bytes or 0) >= self.needed_bytes


@dataclass(frozen=True)
class Needs:
    """What a run needs, in bytes.

    ``gpu_bytes`` on a GPU and ``memory_bytes`` beside it, or ``cpu_memory_bytes`` where the CPU trains.
    """

    gpu_bytes: int
    memory_bytes: int
    cpu_memory_bytes: int
    disk_bytes: int
    download_bytes: int


@dataclass(frozen=True)
class Fits:
    """All needs of a run on one device; ``gpu`` is ``None`` where the CPU trains."""

    gpu: Fit | None
    memory: Fit
    disk: Fit
    download_bytes: int

    @property
    def verdict(self) -> FitVerdict:
        """The worst verdict of all needs."""
        verdicts = {fit.verdict for fit in (self.gpu, self.memory, self.disk) if fit is not None}
        return next(verdict for verdict in _FROM_BAD_TO_GOOD if verdict in verdicts)

    @property
    def may_be_tried(self) -> bool:
        """Whether a dry run makes sense: nothing that is known of memory speaks against it."""
        return all(fit.verdict != "too_little" for fit in (self.gpu, self.memory) if fit is not None)


def share_of_swarm(mine: float, others: float | None) -> float | None:
    """My part of what all compute once I take part, 0 to 1; ``None`` where nobody else is known to.

    Both are in samples a second.
    """
    return mine / (mine + others) if others else None


def fits(
    manifest: RunManifest,
    device: Device,
    devices: Sequence[Device],
    disk: DiskSpace,
    memory_limit_bytes: int | None = None,
) -> Fits:
    """How that run fits if ``device`` trains; the CPU among ``devices`` tells of ordinary memory.

    ``memory_limit_bytes`` is what may be taken of the memory of ``device`` at most.
    """
    return compare_needs(needs_of(manifest), device, devices, disk, memory_limit_bytes)


def compare_needs(
    needs: Needs,
    device: Device,
    devices: Sequence[Device],
    disk: DiskSpace,
    memory_limit_bytes: int | None = None,
) -> Fits:
    """How a run with those needs fits, as `fits` says."""
    host = next((each for each in devices if each.kind == "cpu"), None)
    is_gpu = device.is_gpu
    return Fits(
        gpu=_of_memory(needs.gpu_bytes, device, memory_limit_bytes) if is_gpu else None,
        memory=_of_memory(needs.memory_bytes, host, None)
        if is_gpu
        else _of_memory(needs.cpu_memory_bytes, host, memory_limit_bytes),
        disk=replace(_compared(needs.disk_bytes, disk.free_bytes), is_limited=disk.is_limited),
        download_bytes=needs.download_bytes,
    )


def needs_of(manifest: RunManifest) -> Needs:
    """What the run of a manifest needs: the estimates, or what the organiser asks for, if more."""
    needs, beside_gpu = estimate_requirements(manifest), host_memory_needed(manifest)
    return Needs(
        gpu_bytes=gpu_memory_needed(manifest),
        memory_bytes=beside_gpu,
        cpu_memory_bytes=beside_gpu + needs.device_memory_bytes,
        disk_bytes=disk_needed(manifest),
        download_bytes=needs.download_bytes + needs.fetched_bytes,
    )


def gpu_memory_needed(manifest: RunManifest) -> int:
    """Bytes on a GPU: the estimate with the driver's share; or what the organiser asks for, if more."""
    estimated = estimate_requirements(manifest).device_memory_bytes + CUDA_CONTEXT_BYTES
    return max(estimated, manifest.requirements.gpu_memory_mib << 20)


def host_memory_needed(manifest: RunManifest) -> int:
    """Bytes of ordinary memory beside a GPU: the estimate; or what the organiser asks for, if more."""
    return max(estimate_requirements(manifest).host_memory_bytes, manifest.requirements.memory_mib << 20)


def disk_needed(manifest: RunManifest) -> int:
    """Bytes for files that are fetched; or what the organiser asks for, if more."""
    return max(estimate_requirements(manifest).fetched_bytes, manifest.requirements.disk_mib << 20)


def _of_memory(needed_bytes: int, device: Device | None, limit_bytes: int | None) -> Fit:
    if device is None:
        return Fit("unknown", needed_bytes, None)
    free_bytes = device.memory_free_bytes
    if limit_bytes is not None and free_bytes is not None and limit_bytes < free_bytes:
        return replace(_compared(needed_bytes, limit_bytes, device.memory_total_bytes), is_limited=True)
    return _compared(needed_bytes, device.memory_free_bytes, device.memory_total_bytes)


def _compared(needed_bytes: int, free_bytes: int | None, total_bytes: int | None = None) -> Fit:
    verdict: FitVerdict
    if needed_bytes == 0:
        verdict = "fits"
    elif free_bytes is None:
        verdict = "unknown"
    elif free_bytes < needed_bytes:
        verdict = "too_little"
    else:
        verdict = "fits" if needed_bytes <= EASY_SHARE * free_bytes else "tight"
    return Fit(verdict, needed_bytes, free_bytes, total_bytes)
