"""The built-in transformer with a mixture of experts in place of some feed-forward networks; not yet part of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from core.run.spec.experts import ExpertsSpec
from core.run.spec.recipe import ArithmeticGPT
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.experts.calls import ExpertCalls, Experts, LocalExperts, RemoteExperts
from core.worker.experts.mixture import MixtureLayer
from core.worker.recipes.arithmetic_gpt import AttentionBlock, Block, Transformer


class MixtureBlock(AttentionBlock):
    """A block whose feed-forward network is a mixture of experts."""

    def __init__(self, numbers: ArithmeticGPT, spec: ExpertsSpec) -> None:
        super().__init__(numbers)
        self.mixture = MixtureLayer(numbers.width, spec)

    def feed_forward(self, stream: Tensor) -> Tensor:
        """The change to each token by itself, as its experts compute it."""
        changed: Tensor = self.mixture(stream)
        return changed


class MixtureTransformer(Transformer):
    """The transformer that adds, whose experts are wherever ``experts_of`` a layer says."""

    def __init__(
        self, numbers: ArithmeticGPT, digits: int, spec: ExpertsSpec, experts_of: Callable[[int], Experts]
    ) -> None:
        def block(layer: int) -> AttentionBlock:
            return MixtureBlock(numbers, spec) if spec.has_experts(layer) else Block(numbers)

        super().__init__(numbers, digits, block)
        self._load_balancing = spec.load_balancing
        for layer, built in enumerate(self.blocks):  # now, as experts have initial weights of their own
            if isinstance(built, MixtureBlock):
                built.mixture.experts = experts_of(layer)

    def mixtures(self) -> list[MixtureLayer]:
        """The layers that have experts, in their order."""
        return [block.mixture for block in self.blocks if isinstance(block, MixtureBlock)]

    def load_balancing_loss(self) -> Tensor:
        """What the last batch adds to its loss."""
        return self._load_balancing * torch.stack([each.load_balancing_loss for each in self.mixtures()]).sum()


def remote_model(numbers: ArithmeticGPT, digits: int, spec: ExpertsSpec, calls: ExpertCalls) -> MixtureTransformer:
    """The trunk and the routers, which are trained here; the experts are their hosts'."""
    return MixtureTransformer(numbers, digits, spec, lambda layer: RemoteExperts(layer, calls))


def whole_model(numbers: ArithmeticGPT, digits: int, spec: ExpertsSpec) -> MixtureTransformer:
    """The same model with all of its experts as modules, for plain PyTorch; untrained."""
    shape = ExpertShape.of(spec, numbers.width)
    return MixtureTransformer(
        numbers, digits, spec, lambda layer: LocalExperts(layer, spec.experts, shape, spec.expert_dropout)
    )


def experts_of(numbers: ArithmeticGPT, spec: ExpertsSpec) -> list[ExpertId]:
    """All experts of a model, by layer and number."""
    layers = [layer for layer in range(numbers.layers) if spec.has_experts(layer)]
    return [ExpertId(layer, index) for layer in layers for index in range(spec.experts)]


def fill(whole: MixtureTransformer, trunk: nn.Module, states: Mapping[ExpertId, Mapping[str, Tensor]]) -> None:
    """Put a trained trunk, and the weights of all experts, into a whole model.

    Raises KeyError where an expert is missing, RuntimeError where shapes differ.
    """
    whole.load_state_dict(trunk.state_dict(), strict=False)
    for layer, block in enumerate(whole.blocks):
        if isinstance(block, MixtureBlock) and isinstance(block.mixture.experts, LocalExperts):
            for index, expert in enumerate(block.mixture.experts.blocks):
                expert.load_state_dict(states[ExpertId(layer, index)])
