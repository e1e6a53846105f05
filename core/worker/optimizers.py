"""The manifest's optimizer and schedule as the factories that hivemind.Optimizer takes."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import torch
from torch.nn.utils import clip_grads_with_norm_, get_total_norm
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR, LRScheduler

from core.manifest import OptimizerSpec, SchedulerSpec

log = logging.getLogger(__name__)


class ClippingAdamW(AdamW):
    """AdamW that clips the gradient as it steps, which in hivemind means: the gradient of the whole swarm.

    A gradient with a NaN or an infinity in it is not used at all. ``max_grad_norm`` stays out of the
    parameter groups, so that the state a newcomer downloads has the shape of a plain AdamW's.
    """

    def __init__(self, params: Any, *, max_grad_norm: float | None, **numbers: Any) -> None:
        super().__init__(params, **numbers)
        self.max_grad_norm = max_grad_norm

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Clip, then step; ``closure`` computes the gradients first, as in torch."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if self._clip():
            super().step()
        return loss

    def _clip(self) -> bool:
        """Scale the gradients down to ``max_grad_norm``; false where they are not finite."""
        everything = chain.from_iterable(group["params"] for group in self.param_groups)
        parameters = [each for each in everything if each.grad is not None]
        norm = get_total_norm([each.grad for each in parameters])
        if not norm.isfinite():
            log.warning("the averaged gradient is not finite; this optimizer step is left out")
            return False
        if self.max_grad_norm is not None:
            clip_grads_with_norm_(parameters, self.max_grad_norm, norm)
        return True


@dataclass(frozen=True)
class LearningRateFactor:
    """The share of the full learning rate at an epoch: up to 1 in the warm-up, then down as the kind says."""

    spec: SchedulerSpec

    def __call__(self, epoch: int) -> float:
        spec = self.spec
        if epoch < spec.warmup_epochs:
            return (epoch + 1) / (spec.warmup_epochs + 1)
        if spec.kind == "constant" or spec.total_epochs is None:
            return 1.0
        done = min(1.0, (epoch - spec.warmup_epochs) / max(1, spec.total_epochs - spec.warmup_epochs))
        return 1 - done if spec.kind == "linear" else (1 + math.cos(math.pi * done)) / 2


def make_optimizer(spec: OptimizerSpec) -> Callable[[Any], Optimizer]:
    """What builds the manifest's optimizer from parameters or parameter groups; it can be pickled."""
    return partial(
        ClippingAdamW,
        lr=spec.learning_rate,
        betas=(spec.beta1, spec.beta2),
        eps=spec.epsilon,
        weight_decay=spec.weight_decay,
        max_grad_norm=spec.max_grad_norm,
    )


def make_scheduler(spec: SchedulerSpec) -> Callable[[Optimizer], LRScheduler] | None:
    """What builds the manifest's schedule, one ``step()`` an epoch; ``None`` where the rate never changes."""
    if spec.kind == "constant" and not spec.warmup_epochs:
        return None
    return partial(LambdaLR, lr_lambda=LearningRateFactor(spec))
