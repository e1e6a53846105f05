"""A model that has learned nothing, with the same weights on every peer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, assert_never

import torch

from core.recipe_spec import CausalLM, ImageClassification, MaskedLM, TransformerSpec
from core.worker.recipes.families import fresh_config

if TYPE_CHECKING:
    from transformers import PreTrainedModel

ATTENTION = "sdpa"  # torch's own; said, because a config may otherwise name a kernel to download
_SAME_ON_EVERY_PEER = 0


@contextlib.contextmanager
def same_on_every_peer() -> Iterator[None]:
    """What is drawn on the CPU inside is the same everywhere; the peer's own order goes on afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(_SAME_ON_EVERY_PEER)
        yield


def model_from_scratch(spec: TransformerSpec) -> PreTrainedModel:
    """The model that the run's config describes, on the CPU."""
    with same_on_every_peer():
        config = fresh_config(spec.config)
        model: PreTrainedModel = auto_class(spec).from_config(config, attn_implementation=ATTENTION)
    return model


def auto_class(spec: TransformerSpec) -> Any:
    """The class of `transformers` that makes such models; this is where it is imported."""
    from transformers import AutoModelForCausalLM, AutoModelForImageClassification, AutoModelForMaskedLM

    match spec:
        case CausalLM():
            return AutoModelForCausalLM
        case MaskedLM():
            return AutoModelForMaskedLM
        case ImageClassification():
            return AutoModelForImageClassification
        case _:
            assert_never(spec)
