"""The hardware of this computer as a report tells it: processor, memory, GPUs with their driver, disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.hardware.device import Device
from core.texts.figures import count, size


def hardware_lines(devices: Sequence[Device], folder: Path) -> Iterator[str]:
    """A line for each part; ``devices`` are the GPUs and the CPU, ``folder`` is on the disk that is told of."""
    for device in devices:
        if device.kind == "cpu":
            yield f"CPU: {device.name or 'unnamed'}, {_cores()}"
            yield f"memory: {_memory(device)}"
        else:
            driver = f", driver {device.driver}" if device.driver else ""
            yield f"{device.label}: {device.name or 'unnamed'}, {_memory(device)}{driver}"
    if all(device.kind == "cpu" for device in devices):
        yield "GPU: none that NVIDIA's driver tells of"
    yield f"disk: {_disk(folder)}"


def _cores() -> str:
    import psutil

    physical, usable = psutil.cpu_count(logical=False), len(os.sched_getaffinity(0)) if _HAS_AFFINITY else None
    threads = f"{count(psutil.cpu_count() or 0)} threads"
    cores = f"{count(physical)} cores, {threads}" if physical else threads
    return f"{cores}, {count(usable)} of them for this program" if usable else cores


_HAS_AFFINITY = hasattr(os, "sched_getaffinity")


def _memory(device: Device) -> str:
    if device.memory_total_bytes is None:
        return "memory not told"
    free = f", {size(device.memory_free_bytes)} free" if device.memory_free_bytes is not None else ""
    return f"{size(device.memory_total_bytes)}{free}"


def _disk(folder: Path) -> str:
    """Of the nearest folder that exists; with the type of its file system, where the system tells it."""
    place = next((each for each in (folder, *folder.parents) if each.exists()), Path("/"))
    try:
        usage = shutil.disk_usage(place)
    except OSError as error:
        return f"not told: {error.strerror or error}"
    kind = _file_system(place.resolve())
    return f"{size(usage.total)}, {size(usage.free)} free{f', {kind}' if kind else ''}"


def _file_system(place: Path) -> str:
    import psutil

    try:
        mounted = {each.mountpoint: each.fstype for each in psutil.disk_partitions(all=True)}
    except (psutil.Error, OSError):
        return ""
    return next((mounted[str(each)] for each in (place, *place.parents) if str(each) in mounted), "")
