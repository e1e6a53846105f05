"""The torch device that a person has chosen, with a limit on its memory."""

from __future__ import annotations

import logging
import os
from types import ModuleType

import torch

from core.errors import ErrorKind, UserError
from core.hardware.fit import CUDA_CONTEXT_BYTES
from core.hardware.visible_gpus import VARIABLE
from core.localizable import localized

log = logging.getLogger(__name__)


def torch_device(name: str, memory_limit_bytes: int | None = None) -> torch.device:
    """The device of that name, which is the current one from now on; raises UserError where torch cannot use it.

    What asks for no GPU in particular (which precisions it has, compilers, libraries) then asks this one. A GPU raises
    torch.OutOfMemoryError where ``memory_limit_bytes``, less the CUDA context, are allocated.
    """
    device = torch.device(name)
    if device.type != "cpu":
        gpus, index = torch.get_device_module(device), device.index or 0
        count = gpus.device_count()
        if index >= count:
            raise UserError(ErrorKind.NO_SUCH_DEVICE, localized("%1: the engine sees %2 GPUs.", name, count))
        _begin_gpu(gpus, device.type, index)
        if memory_limit_bytes is not None:
            total = gpus.get_device_properties(index).total_memory
            share = max(0, memory_limit_bytes - CUDA_CONTEXT_BYTES) / total
            gpus.set_per_process_memory_fraction(min(1.0, share), index)
    return device


def nvml_index(name: str) -> int | None:
    """By which index NVML knows that device; ``None`` where it knows none, or a GPU of which this is a part (MIG)."""
    device = torch.device(name)
    is_nvidia = device.type == "cuda" and torch.version.hip is None
    return (device.index or 0) if is_nvidia and VARIABLE not in os.environ else None


def usable_gpu_names() -> tuple[str, ...]:
    """The names of the GPUs, if CUDA can be initialised at all: the driver may list what it cannot use."""
    try:
        return tuple(torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count()))
    except (RuntimeError, AssertionError) as error:
        log.warning("CUDA cannot be initialised: %s", error)
        return ()


def _begin_gpu(gpus: ModuleType, kind: str, index: int) -> None:
    """Initialise CUDA or XPU and compute something; raises UserError where its driver refuses, or torch has no code."""
    try:
        gpus.set_device(index)
        torch.ones(1, device=kind).add_(1).cpu()
    except torch.OutOfMemoryError:
        raise
    except (RuntimeError, AssertionError) as error:
        first_line = next(iter(str(error).splitlines()), type(error).__name__)
        raise UserError(ErrorKind.GPU_UNUSABLE, localized("%1: %2", f"{kind}:{index}", first_line)) from error
