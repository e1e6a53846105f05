"""The torch device that a person has chosen, with a limit on its memory."""

from __future__ import annotations

import torch

from core.errors import ErrorKind, UserError
from core.hardware.fit import CUDA_CONTEXT_BYTES


def torch_device(name: str, memory_limit_bytes: int | None = None) -> torch.device:
    """The device of that name; raises UserError where torch cannot use it.

    A GPU raises torch.OutOfMemoryError where ``memory_limit_bytes``, less the CUDA context, are allocated.
    """
    device = torch.device(name)
    if device.type == "cuda":
        count, index = torch.cuda.device_count(), device.index or 0
        if index >= count:
            raise UserError(ErrorKind.NO_SUCH_DEVICE, f"{name}: the engine sees {count} GPUs.")
        if memory_limit_bytes is not None:
            total = torch.cuda.get_device_properties(index).total_memory
            share = max(0, memory_limit_bytes - CUDA_CONTEXT_BYTES) / total
            torch.cuda.set_per_process_memory_fraction(min(1.0, share), index)
    return device
