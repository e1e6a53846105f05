"""The numbers of a mixture of experts (``[recipe.experts]``).

Fedus and others, Switch Transformers, arXiv:2101.03961; Shazeer and others, arXiv:1701.06538.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from core.localizable import localized
from core.schema import Fraction, StrictStruct

ExpertRole = Literal["train", "host", "both"]
"""What a peer of such a run does: it trains trunk and routers, hosts experts for others, or both."""
MAX_EXPERTS = 1024  # of one layer
MAX_LAYERS = 24
ExpertLayer = Annotated[int, Meta(ge=0, lt=MAX_LAYERS)]
"""The number of a layer that has experts."""
ExpertNumber = Annotated[int, Meta(ge=0, lt=MAX_EXPERTS)]
"""The number of an expert within its layer."""
MOST_HOSTED = 512  # by one computer
HostedExperts = Annotated[int, Meta(ge=1, le=MOST_HOSTED)]
"""How many experts a computer hosts at the most."""


class ExpertsSpec(StrictStruct, kw_only=True, frozen=True):
    """Experts in place of the feed-forward network of some layers, and how their hosts train them.

    A host accepts nothing else about an expert than these numbers and the size of the hidden state: no class, no code.
    """

    block: Literal["ffn"] = "ffn"
    """The architecture of an expert: ``ffn`` is a feed-forward network of two linear layers with a GELU between."""
    expansion: Annotated[int, Meta(ge=1, le=16)] = 4
    """How many times wider than the hidden state an expert is inside."""
    experts: Annotated[int, Meta(ge=2, le=MAX_EXPERTS)] = 8
    """The number of experts of each such layer."""
    every_layers: Annotated[int, Meta(ge=1, le=MAX_LAYERS)] = 2
    """One layer of so many has experts: the last of each group."""
    top_k: Annotated[int, Meta(ge=1, le=8)] = 2
    """The number of experts that each token is routed to."""
    capacity_factor: Annotated[float, Meta(ge=1, le=16)] = 1.25
    """How many times its even share of a batch's tokens an expert is sent at most (arXiv:2101.03961, section 2.2)."""
    load_balancing: Annotated[float, Meta(ge=0, le=1)] = 0.01
    """The weight of the load balancing loss (arXiv:2101.03961, section 2.2)."""
    expert_dropout: Fraction = 0.0
    """The share of activations inside an expert that are dropped while training (arXiv:2101.03961, section 2.4)."""
    learning_rate: Annotated[float, Meta(gt=0, le=10)] = 1e-3
    """The learning rate of each expert's own AdamW."""
    weight_decay: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """The weight decay of each expert's own AdamW."""
    max_grad_norm: Annotated[float, Meta(gt=0, le=1e6)] = 1.0
    """The norm to which the gradient of each trainer is clipped, for one expert."""
    batch_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] = 1024
    """The number of tokens with gradients that an expert averages before it takes an optimizer step."""
    max_wait_seconds: Annotated[float, Meta(gt=0, le=600)] = 5.0
    """After so long an expert takes its step with fewer tokens."""
    when_away: Literal["wait", "skip"] = "wait"
    """What trainers do while nobody hosts a layer's experts: ``wait``, or ``skip`` that layer and train all else."""

    def __post_init__(self) -> None:
        if self.top_k > self.experts:
            raise ValueError(localized("top_k %1 is more than the %2 experts of a layer", self.top_k, self.experts))

    def has_experts(self, layer: int) -> bool:
        """Whether the layer of that number, from 0, has experts in place of its feed-forward network."""
        return (layer + 1) % self.every_layers == 0


def expert_parameters(hidden_size: int, expansion: int) -> int:
    """How many numbers one expert has, whose tokens are ``hidden_size`` wide."""
    inner = hidden_size * expansion
    return 2 * hidden_size * inner + inner + hidden_size
