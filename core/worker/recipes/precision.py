"""In which numbers a model computes: half as many bits where the device is good at it."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from core.run.spec.recipe import Precision

log = logging.getLogger(__name__)

_NAMED = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


def dtype_for(precision: Precision, device: torch.device) -> torch.dtype:
    """What that device shall compute in; where it has no bf16, the log says that it is fp16 instead."""
    has_bf16 = device.type != "cuda" or torch.cuda.is_bf16_supported(including_emulation=False)
    if precision == "auto":
        if device.type != "cuda":
            return torch.float32
        return torch.bfloat16 if has_bf16 else torch.float16
    if precision == "bf16" and not has_bf16:
        log.warning("this GPU has no bf16: it computes in fp16")
        return torch.float16
    return _NAMED[precision]


class _LastLook(torch.optim.Optimizer):
    """Stands where a gradient scaler wants an optimizer; it is stepped only if all gradients are finite."""

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        super().__init__(parameters, {})
        self.were_finite = False

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Nothing is changed: hivemind has the optimizer that counts."""
        self.were_finite = True
        return None


class MixedPrecision:
    """Computes in ``dtype`` what may be, and keeps gradients exact.

    In fp16 the loss is scaled before backward and the gradient scaled back after it, so that what reaches the
    swarm knows nothing of it: peers of all precisions average with each other.
    """

    def __init__(self, dtype: torch.dtype, device: torch.device, parameters: Iterable[Tensor]) -> None:
        self.dtype, self._device = dtype, device
        self._scaler = torch.amp.GradScaler(device.type) if dtype == torch.float16 else None
        self._look = _LastLook(parameters)

    def autocast(self) -> AbstractContextManager[object]:
        """Inside, what a model computes is in ``dtype``."""
        if self.dtype == torch.float32:
            return contextlib.nullcontext()
        return torch.autocast(self._device.type, self.dtype)

    def backward(self, loss: Tensor) -> bool:
        """Leave the loss's gradient in the parameters; false where it must be forgotten and tried again.

        That is while the scale is sought that fp16 can bear; once there is none, what is wrong is the model.
        """
        if self._scaler is None:
            torch.autograd.backward(loss)
            return True
        torch.autograd.backward(self._scaler.scale(loss))
        self._scaler.unscale_(self._look)
        self._look.were_finite = False
        self._scaler.step(self._look)
        self._scaler.update()
        return self._look.were_finite or self._scaler.get_scale() < 1


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
