"""Mixed precision (arXiv:1710.03740) and `torch.compile`: how a model computes on its device."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from core.run.spec.recipe import Precision

log = logging.getLogger(__name__)

_NAMED = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


def dtype_for(precision: Precision, device: torch.device) -> torch.dtype:
    """The dtype that a device computes in; a GPU without bf16 uses fp16 in its place, and the log says so."""
    has_bf16 = device.type != "cuda" or torch.cuda.is_bf16_supported(including_emulation=False)
    if precision == "auto":
        if device.type != "cuda":
            return torch.float32
        return torch.bfloat16 if has_bf16 else torch.float16
    if precision == "bf16" and not has_bf16:
        log.warning("this GPU has no bf16: it computes in fp16")
        return torch.float16
    return _NAMED[precision]


class _GradientProbe(torch.optim.Optimizer):
    """An optimizer that changes nothing: torch's GradScaler steps it only if all gradients are finite."""

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        super().__init__(parameters, {})
        self.were_finite = False

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Record that the gradients were finite; hivemind has the optimizer that counts."""
        self.were_finite = True
        return None


class MixedPrecision:
    """Autocast to ``dtype``, and dynamic loss scaling in fp16.

    In fp16 the loss is scaled before the backward pass and the gradient scaled back after it. So the swarm gets
    unscaled float32 gradients from peers of every precision, and they average with each other.
    """

    def __init__(self, dtype: torch.dtype, device: torch.device, parameters: Iterable[Tensor]) -> None:
        self.dtype, self._device = dtype, device
        self._scaler = torch.amp.GradScaler(device.type) if dtype == torch.float16 else None
        self._probe = _GradientProbe(parameters)

    def autocast(self) -> AbstractContextManager[object]:
        """A context in which the model computes in ``dtype``."""
        if self.dtype == torch.float32:
            return contextlib.nullcontext()
        return torch.autocast(self._device.type, self.dtype)

    def backward(self, loss: Tensor) -> bool:
        """Leave the loss's gradient in the parameters; false where it must be forgotten, with nothing wrong.

        That is while GradScaler lowers the scale because of an overflow; below a scale of 1, the model is at fault.
        """
        if self._scaler is None:
            torch.autograd.backward(loss)
            return True
        torch.autograd.backward(self._scaler.scale(loss))
        self._scaler.unscale_(self._probe)
        self._probe.were_finite = False
        self._scaler.step(self._probe)
        self._scaler.update()
        return self._probe.were_finite or self._scaler.get_scale() < 1


log = logging.getLogger(__name__)


def compile_model(model: torch.nn.Module, trial: Callable[[Callable[..., Any]], None]) -> Callable[..., Any]:
    """The compiled model, or the model itself where ``trial`` of it fails, as without a compiler; the log says why.

    It is compiled in this process: processes of the compiler's own would outlive it, and find no GPU in the cage.
    """
    from torch._inductor import config

    config.compile_threads = 1  # its environment variable is read when transformers is imported
    try:
        faster: Callable[..., Any] = torch.compile(model)
        trial(faster)
    except Exception as error:
        log.warning("torch.compile does not work here, so training goes on without it: %s", error)
        torch.compiler.reset()
        return model
    return faster
