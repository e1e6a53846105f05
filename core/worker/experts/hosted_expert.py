"""An expert as its host trains it: gradients of several trainers are averaged before each optimizer step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils import get_total_norm

from core.run.spec.experts import ExpertsSpec
from core.worker.compute.eager_optimizers import load_no_compiler
from core.worker.experts.block import ExpertId, ExpertShape, build_expert

STATISTICS = "exp_avg", "exp_avg_sq"  # of AdamW, for each weight
MOST_STEPS = 10**12  # a thousand a second for thirty years; whoever announces 2**63 is not heard
MAX_TRAINERS = 8  # whose gradients are kept apart until the next step; each takes as much memory as the weights


class NotFiniteError(Exception):
    """What was sent leads to a NaN or an infinity, and is left out."""


@dataclass
class _Contribution:
    """What one trainer has sent since the last step: the sum of its gradients, and how many those are."""

    gradients: list[Tensor]
    requests: int = 1


class HostedExpert:
    """A block and an AdamW of its own.

    The mean gradient of each trainer has one vote, however much it sends. It is clipped to ``max_grad_norm``, and to
    the lower median of all trainers' norms, so that one of three or more cannot outweigh the others.
    """

    def __init__(
        self,
        expert: ExpertId,
        hidden_size: int,
        spec: ExpertsSpec,
        device: torch.device = torch.device("cpu"),  # noqa: B008 - a constant
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id, self.hidden_size, self.steps = expert, hidden_size, 0
        self.computed_tokens = self.trained_tokens = 0  # since it is here
        self._spec, self._device, self._clock = spec, device, clock
        self.shape = ExpertShape.of(spec, hidden_size)
        self._block = build_expert(expert, self.shape).to(device)
        self._parameters = list(self._block.parameters())
        load_no_compiler(torch.optim.AdamW)
        self._optimizer = torch.optim.AdamW(self._parameters, lr=spec.learning_rate, weight_decay=spec.weight_decay)
        self._contributions: dict[Hashable, _Contribution] = {}
        self._tokens, self._began = 0, 0.0

    def forward(self, tokens: Tensor, seed: int | None) -> Tensor:
        """What the expert makes of those tokens, (tokens, hidden), on the CPU. Raises NotFiniteError."""
        with torch.inference_mode():
            changed: Tensor = self._block(tokens.to(self._device), self._spec.expert_dropout, seed).cpu()
        _refuse_infinite(changed)
        self.computed_tokens += len(tokens)
        return changed

    def backward(self, trainer: Hashable, tokens: Tensor, gradient: Tensor, seed: int | None) -> Tensor:
        """Keep the gradient of the weights for the next step; return that of the tokens. Raises NotFiniteError.

        ``gradient`` is that of the trainer's loss by what `forward` has returned for the same tokens and seed.
        """
        inputs = tokens.detach().to(self._device).requires_grad_()
        with torch.enable_grad():
            outputs = self._block(inputs, self._spec.expert_dropout, seed)
        found = torch.autograd.grad(outputs, [inputs, *self._parameters], gradient.to(self._device))
        for each in found:
            _refuse_infinite(each)
        self._keep(trainer, found[1:], len(tokens))
        return found[0].cpu()

    def step_if_due(self) -> None:
        """Take an optimizer step if there are enough tokens, or any have waited for long enough."""
        has_waited = self._clock() - self._began >= self._spec.max_wait_seconds
        if self._contributions and (self._tokens >= self._spec.batch_tokens or has_waited):
            self._step()

    def state(self) -> dict[str, Tensor]:
        """A copy of the weights by their names, on the CPU."""
        return {name: value.detach().cpu().clone() for name, value in self._block.state_dict().items()}

    def whole_state(self) -> dict[str, Tensor]:
        """A copy of the weights and AdamW's statistics of each by their names, on the CPU."""
        kept = self._optimizer.state
        statistics = {
            f"{name}.{statistic}": kept[parameter][statistic].detach().cpu().clone()
            for name, parameter in self._block.named_parameters()
            for statistic in STATISTICS
            if parameter in kept
        }
        return {**self.state(), **statistics}

    def restore(self, state: Mapping[str, Tensor], steps: int) -> None:
        """Go on from there, after so many steps. Raises ValueError, and changes nothing, for anything else."""
        shapes = {name: each.shape for name, each in self.state().items()}
        if steps:
            shapes |= {f"{name}.{statistic}": shape for name, shape in shapes.items() for statistic in STATISTICS}
        if not 0 <= steps <= MOST_STEPS:
            raise ValueError("it has more steps than can be taken, or fewer than none")
        if {name: each.shape for name, each in state.items()} != shapes:
            raise ValueError("its tensors have other names or shapes")
        if not all(each.dtype == torch.float32 and each.isfinite().all() for each in state.values()):
            raise ValueError("its numbers are of another type, or not finite")
        with torch.no_grad():
            for name, parameter in self._block.named_parameters():
                parameter.copy_(state[name])
                if steps:
                    kept = {each: state[f"{name}.{each}"].to(self._device).clone() for each in STATISTICS}
                    self._optimizer.state[parameter] = {"step": torch.tensor(float(steps)), **kept}
        self.steps = steps

    def _keep(self, trainer: Hashable, gradients: Sequence[Tensor], tokens: int) -> None:
        if trainer not in self._contributions and len(self._contributions) >= MAX_TRAINERS:
            self._step()
        if not self._contributions:
            self._began = self._clock()
        if (known := self._contributions.get(trainer)) is None:
            self._contributions[trainer] = _Contribution(list(gradients))
        else:
            torch._foreach_add_(known.gradients, list(gradients))
            known.requests += 1
        self._tokens += tokens
        self.trained_tokens += tokens
        self.step_if_due()

    def _step(self) -> None:
        """Take one, without the gradients of trainers whose sum or norm overflows; none where nobody's are left."""
        sent, self._contributions, self._tokens = list(self._contributions.values()), {}, 0
        for each in sent:
            torch._foreach_div_(each.gradients, float(each.requests))
        norms = [float(get_total_norm(each.gradients)) for each in sent]
        finite = [(each.gradients, norm) for each, norm in zip(sent, norms, strict=True) if math.isfinite(norm)]
        if not finite:
            return
        scales = clipping_scales([norm for _gradients, norm in finite], self._spec.max_grad_norm)
        for number, parameter in enumerate(self._parameters):
            parts = [each[number] * (scale / len(finite)) for (each, _norm), scale in zip(finite, scales, strict=True)]
            parameter.grad = torch.stack(parts).sum(0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self.steps = min(self.steps + 1, MOST_STEPS)


def clipping_scales(norms: Sequence[float], max_grad_norm: float) -> list[float]:
    """What each gradient is multiplied by, so that none is longer than ``max_grad_norm`` or the lower median norm.

    The norms are finite. One of 0, on whose expert nothing depends, does not count.
    """
    present = sorted(norm for norm in norms if norm > 0)
    longest = min(max_grad_norm, present[(len(present) - 1) // 2]) if present else 0.0
    return [min(1.0, longest / norm) if norm > 0 else 0.0 for norm in norms]


def _refuse_infinite(tensor: Tensor) -> None:
    if not tensor.isfinite().all():
        raise NotFiniteError("it leads to numbers that are not finite")
