"""A causal language model of `transformers` with a mixture of experts in place of some feed-forward networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, assert_never

import torch
from torch import Tensor, nn

from core.run.spec.language_models import GPT2, GPTNeoX, Llama, Qwen2
from core.run.spec.recipe import MoeLM
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.experts.calls import ExpertCalls, Experts, LocalExperts, RemoteExperts
from core.worker.experts.mixture import MixtureLayer
from core.worker.recipes.initialization import model_from_scratch, seeded_initialization


class MixtureModel:
    """A ``model``, and its ``mixtures`` by the number of their layer.

    Trunk and routers have the same initial weights on every peer. The experts are no parameters of it where they are
    elsewhere.
    """

    def __init__(self, spec: MoeLM, experts_of: Callable[[int], Experts]) -> None:
        """``experts_of`` a layer, by its number, are those that it sends tokens to."""
        self.spec, self.mixtures = spec, dict[int, MixtureLayer]()
        self.model: nn.Module = model_from_scratch(spec)
        with seeded_initialization():
            for number, layer in enumerate(_layers(spec, self.model)):
                if spec.experts.has_experts(number):
                    self.mixtures[number] = layer.mlp = MixtureLayer(spec.config.hidden_size, spec.experts)
        self.model.train()
        self.connect(experts_of)

    def connect(self, experts_of: Callable[[int], Experts]) -> None:
        """Send tokens to these experts from now on."""
        for number, mixture in self.mixtures.items():
            mixture.experts = experts_of(number)

    def load_balancing_loss(self) -> Tensor:
        """What the last batch adds to its loss."""
        losses = torch.stack([each.load_balancing_loss for each in self.mixtures.values()])
        return self.spec.experts.load_balancing * losses.sum()


def remote_model(spec: MoeLM, calls: ExpertCalls) -> MixtureModel:
    """The trunk and the routers, which are trained here; the experts are their hosts'."""
    return MixtureModel(spec, lambda layer: RemoteExperts(layer, calls))


def whole_model(spec: MoeLM) -> MixtureModel:
    """The same model with all of its experts as modules, for plain PyTorch; untrained."""
    shape, numbers = ExpertShape.of(spec.experts, spec.config.hidden_size), spec.experts
    return MixtureModel(spec, lambda layer: LocalExperts(layer, numbers.experts, shape, numbers.expert_dropout))


def experts_in(spec: MoeLM) -> Iterator[ExpertId]:
    """All experts of a model, by layer and number."""
    for layer in spec.expert_layers:
        for index in range(spec.experts.experts):
            yield ExpertId(layer, index)


def fill(whole: MixtureModel, trunk: Mapping[str, Tensor], states: Mapping[ExpertId, Mapping[str, Tensor]]) -> None:
    """Put a trained trunk, by the names of its weights, and the weights of all experts, into a whole model.

    Raises KeyError where an expert is missing, RuntimeError where shapes differ.
    """
    whole.model.load_state_dict(trunk, strict=False)
    for layer, mixture in whole.mixtures.items():
        if isinstance(mixture.experts, LocalExperts):
            for index, expert in enumerate(mixture.experts.blocks):
                expert.load_state_dict(states[ExpertId(layer, index)])


def _layers(spec: MoeLM, model: Any) -> nn.ModuleList:
    """The layers of a model of that family, each of which has its feed-forward network as ``mlp``."""
    layers: nn.ModuleList
    match spec.config:
        case GPT2():
            layers = model.transformer.h
        case Llama() | Qwen2():
            layers = model.model.layers
        case GPTNeoX():
            layers = model.gpt_neox.layers
        case _:
            assert_never(spec.config)
    return layers
