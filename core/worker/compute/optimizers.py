"""The manifest's optimizer as the factory that hivemind.Optimizer takes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, assert_never

import torch
from torch import Tensor
from torch.nn.utils import clip_grads_with_norm_, get_total_norm
from torch.optim import Optimizer

from core.localizable import localized
from core.run.spec.optimizer import SGD, Adafactor, AdamW, AdamW8bit, Lamb, Lars, Lion, Muon, OptimizerSpec
from core.worker.compute.bitsandbytes import require_bitsandbytes
from core.worker.compute.eager_optimizers import load_no_compiler
from core.worker.compute.muon import MuonWithAdamW

log = logging.getLogger(__name__)

OptimizerFactory = Callable[[Any], Optimizer]
SchedulerFactory = Callable[[Optimizer], Any]

_CPU = torch.device("cpu")


def parameters_of(optimizer: Optimizer) -> list[Any]:
    """The tensors that the optimizer steps, in the order of its parameter groups."""
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def tensors_of(optimizer: Optimizer) -> list[Tensor]:
    """Those that the optimizer steps, and what it keeps for them."""
    kept = [each for state in optimizer.state.values() for each in state.values() if isinstance(each, Tensor)]
    return [*parameters_of(optimizer), *kept]


class Clipping(Optimizer):
    """Clips the gradient as it steps, which in hivemind means: the gradient of the whole swarm.

    A gradient with a NaN or an infinity in it is not used at all. ``max_grad_norm`` stays out of the
    parameter groups, so that the state a newcomer downloads has the shape of a plain optimizer's.
    """

    max_grad_norm: float | None = None

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
        parameters = [each for each in parameters_of(self) if each.grad is not None]
        norm = get_total_norm([each.grad for each in parameters])
        if not norm.isfinite():
            log.warning("the averaged gradient is not finite; this optimizer step is left out")
            return False
        if self.max_grad_norm is not None:
            clip_grads_with_norm_(parameters, self.max_grad_norm, norm)
        return True


def make_optimizer(
    spec: OptimizerSpec, device: torch.device = _CPU, hidden_matrices: Collection[int] | None = None
) -> Callable[[Any], Optimizer]:
    """What builds the manifest's optimizer from parameters or parameter groups; it can be pickled.

    ``hidden_matrices`` are the places among the parameters of those that Muon orthogonalizes: all matrices where
    nothing is said, see `muon.hidden_matrices`. Raises UserError where that device cannot have it.
    """
    if isinstance(spec, AdamW8bit):
        require_bitsandbytes(localized("An optimizer in 8 bits"), device)
    return partial(_build, spec, hidden_matrices)


def _build(spec: OptimizerSpec, hidden_matrices: Collection[int] | None, params: Any) -> Optimizer:
    kind, numbers = _kind_and_numbers(spec, hidden_matrices)
    load_no_compiler(kind)
    clipping = type(f"Clipping{kind.__name__}", (Clipping, kind), {"max_grad_norm": spec.max_grad_norm})
    built: Optimizer = clipping(params, lr=spec.learning_rate, weight_decay=spec.weight_decay, **numbers)
    return built


def _kind_and_numbers(
    spec: OptimizerSpec, hidden_matrices: Collection[int] | None
) -> tuple[type[Optimizer], dict[str, Any]]:
    """Its class and what that calls the numbers; libraries are loaded by those who need them."""
    match spec:
        case AdamW():
            return torch.optim.AdamW, {"betas": (spec.beta1, spec.beta2), "eps": spec.epsilon}
        case SGD():
            return torch.optim.SGD, {"momentum": spec.momentum, "nesterov": spec.nesterov}
        case Adafactor():
            return torch.optim.Adafactor, {"beta2_decay": spec.beta2_decay}
        case AdamW8bit():
            return _adamw_in_8_bits(), {"betas": (spec.beta1, spec.beta2), "eps": spec.epsilon}
        case Muon():
            adamw = {"betas": (spec.beta1, spec.beta2), "eps": spec.epsilon}
            return MuonWithAdamW, {"momentum": spec.momentum, "hidden_matrices": hidden_matrices, **adamw}
    import pytorch_optimizer

    match spec:
        case Lamb():
            return pytorch_optimizer.Lamb, {"betas": (spec.beta1, spec.beta2), "eps": spec.epsilon}
        case Lars():
            numbers = {"momentum": spec.momentum, "trust_coefficient": spec.trust_coefficient}
            return pytorch_optimizer.LARS, numbers
        case Lion():
            return pytorch_optimizer.Lion, {"betas": (spec.beta1, spec.beta2)}
        case _:
            assert_never(spec)


def _adamw_in_8_bits() -> type[Optimizer]:
    from bitsandbytes.optim import AdamW8bit as InEightBits

    found: type[Optimizer] = InEightBits
    return found


def fuse_on_cpu(optimizer: Optimizer) -> None:
    """Have Adam and SGD step parameters on the CPU in one pass, without temporary tensors of a parameter's size.

    Others, and those on a GPU, stay as they are. Rounding differs a little, so this is for steps that nobody repeats.
    """
    if not isinstance(optimizer, torch.optim.Adam | torch.optim.SGD):
        return
    for group in optimizer.param_groups:
        if all(each.device == _CPU and each.dtype == torch.float32 for each in group["params"]):
            group["fused"] = True


def count_steps(optimizer: Optimizer, epoch: int) -> None:
    """Let an optimizer that counts its steps in plain numbers go on as if it had taken one in every epoch.

    Such numbers are not downloaded, and those of a newcomer would take its first steps for the run's first.
    """
    for counting in (*optimizer.param_groups, *optimizer.state.values()):
        if type(counting.get("step")) is int:
            counting["step"] = epoch + 1  # and hivemind's trial step
