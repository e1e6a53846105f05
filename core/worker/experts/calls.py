"""How a layer reaches its experts: on other computers, through autograd, or as modules of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from core.worker.experts.block import ExpertId, ExpertShape, build_expert


@dataclass(frozen=True)
class ExpertInput:
    """Tokens for one expert, float32 (tokens, hidden) on the CPU; for backward also the ``gradient`` of its outputs.

    The activations that the expert drops follow from the ``seed``, which is the same forward and backward; without
    one, as in an evaluation, it drops none.
    """

    expert: ExpertId
    tokens: Tensor
    seed: int | None
    gradient: Tensor | None = None


class ExpertCalls(Protocol):
    """Whoever reaches the hosts; what did not answer in time, or wrongly, is ``None``, and nothing is raised."""

    def available(self, layer: int) -> Collection[int]: ...

    def forward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]: ...

    def backward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]: ...


class EchoCalls:
    """Stands for hosts of so many experts a layer that answer at once, with what they were sent.

    With them a model takes the memory that it will take, before it is connected with any host.
    """

    def __init__(self, experts: int) -> None:
        self._experts = experts

    def available(self, layer: int) -> Collection[int]:
        """The numbers of all of a layer."""
        return range(self._experts)

    def forward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """What each was sent, unchanged."""
        return [each.tokens.clone() for each in inputs]

    def backward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """The gradients that each was sent, unchanged."""
        return [None if each.gradient is None else each.gradient.clone() for each in inputs]


class Experts(Protocol):
    """The experts of one layer.

    Called with ``tokens`` that are sorted by expert, and how many of them each is sent, it returns their answers, in
    the same order, and for each token whether there was one.
    """

    def available(self) -> Collection[int]: ...

    def __call__(self, tokens: Tensor, counts: dict[int, int], seed: int | None) -> tuple[Tensor, Tensor]: ...


class RemoteExperts:
    """Those of one layer that others host; they train their experts, and send back the gradient of the tokens."""

    def __init__(self, layer: int, calls: ExpertCalls) -> None:
        self._layer, self._calls = layer, calls

    def available(self) -> Collection[int]:
        """The numbers of those that can be asked at present."""
        return self._calls.available(self._layer)

    def __call__(self, tokens: Tensor, counts: dict[int, int], seed: int | None) -> tuple[Tensor, Tensor]:
        """Ask all of them at the same time; see `Experts`."""
        asked = [(ExpertId(self._layer, index), count) for index, count in counts.items()]
        outputs, answered = _RemoteCall.apply(tokens, self._calls, asked, seed)  # type: ignore[no-untyped-call]
        return outputs, answered


class LocalExperts(nn.Module):
    """The experts of one layer as modules of one process, for a whole model that plain PyTorch computes."""

    def __init__(self, layer: int, experts: int, shape: ExpertShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(build_expert(ExpertId(layer, index), shape) for index in range(experts))
        self._dropout = dropout

    def available(self) -> Collection[int]:
        """The numbers of all of them."""
        return range(len(self.blocks))

    def forward(self, tokens: Tensor, counts: dict[int, int], seed: int | None) -> tuple[Tensor, Tensor]:
        """Compute one after the other; see `Experts`."""
        parts = zip(counts, torch.split(tokens, list(counts.values())), strict=True)
        outputs = torch.cat([self.blocks[index](part, self._dropout, seed) for index, part in parts])
        return outputs, torch.ones(len(tokens), dtype=torch.bool, device=tokens.device)


class _RemoteCall(torch.autograd.Function):
    """One call of several experts at once. Those that did not answer forward are not asked backward."""

    @staticmethod
    def forward(
        ctx: Any, tokens: Tensor, calls: ExpertCalls, asked: list[tuple[ExpertId, int]], seed: int
    ) -> tuple[Tensor, Tensor]:
        sent = tokens.detach().float().cpu()
        parts = torch.split(sent, [count for _expert, count in asked])
        inputs = [ExpertInput(expert, part, seed) for (expert, _count), part in zip(asked, parts, strict=True)]
        answers = calls.forward(inputs)
        ctx.calls, ctx.inputs = calls, inputs
        ctx.has_answered = [answer is not None for answer in answers]
        outputs = torch.cat([_or_zeros(answer, part) for answer, part in zip(answers, parts, strict=True)])
        answered = torch.cat(
            [torch.full((len(part),), answer is not None) for answer, part in zip(answers, parts, strict=True)]
        )
        ctx.mark_non_differentiable(answered)
        return outputs.to(tokens), answered.to(tokens.device)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _answered: Tensor) -> tuple[Tensor | None, ...]:
        parts = torch.split(gradient.detach().float().cpu(), [len(each.tokens) for each in ctx.inputs])
        asked = [
            ExpertInput(each.expert, each.tokens, each.seed, part)
            for each, part, has_answered in zip(ctx.inputs, parts, ctx.has_answered, strict=True)
            if has_answered
        ]
        answers = iter(ctx.calls.backward(asked))
        found = [
            _or_zeros(next(answers) if has_answered else None, part)
            for part, has_answered in zip(parts, ctx.has_answered, strict=True)
        ]
        return torch.cat(found).to(gradient), None, None, None


def _or_zeros(answer: Tensor | None, like: Tensor) -> Tensor:
    return torch.zeros_like(like) if answer is None else answer
