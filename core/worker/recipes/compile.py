"""`torch.compile`, where it works: a computer without a compiler trains on without it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import torch

log = logging.getLogger(__name__)


def compiled(model: torch.nn.Module, trial: Callable[[Callable[..., Any]], None]) -> Callable[..., Any]:
    """The model's faster form, or the model itself where ``trial`` of it fails; the log says why."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # its helpers would outlive this process
    try:
        faster: Callable[..., Any] = torch.compile(model)
        trial(faster)
    except Exception as error:
        log.warning("torch.compile does not work here, so training goes on without it: %s", error)
        torch.compiler.reset()
        return model
    return faster
