"""The dropout that a run names is that of its model, under every name that the model's family has for one."""

from __future__ import annotations

from typing import Any, get_args

import pytest
import torch
from torch import Tensor, nn

from core.run.spec.image_models import ViT
from core.run.spec.language_models import GPT2, CausalConfig, MaskedConfig
from core.run.spec.recipe import CausalLM, ImageClassification, Lora, MaskedLM, TransformerSpec
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.lora import add_adapters

LENGTH, SIDE, RATE = 16, 8, 0.3
SHAPE: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
WORDS: dict[str, Any] = SHAPE | {"vocab_size": 100, "max_position_embeddings": 2 * LENGTH}
IMAGES: dict[str, Any] = SHAPE | {"image_size": SIDE, "patch_size": 4, "num_labels": 3}


def specs(dropout: float) -> list[TransformerSpec]:
    """One of every family."""
    numbers: dict[str, Any] = {"sequence_length": LENGTH}
    return [
        *(CausalLM(config=family(**WORDS, dropout=dropout), **numbers) for family in get_args(CausalConfig)),
        *(MaskedLM(config=family(**WORDS, dropout=dropout), **numbers) for family in get_args(MaskedConfig)),
        ImageClassification(config=ViT(**IMAGES, dropout=dropout)),
    ]


def logits(model: nn.Module, spec: TransformerSpec) -> Tensor:
    """What the model says while it is trained."""
    generator = torch.Generator().manual_seed(1)
    model.train()
    if isinstance(spec, ImageClassification):
        found: Tensor = model(pixel_values=torch.randn(2, 3, SIDE, SIDE, generator=generator)).logits
    else:
        found = model(input_ids=torch.randint(4, 100, (2, LENGTH), generator=generator)).logits
    return found


def rates(model: nn.Module) -> set[float]:
    """Those of all its layers that drop something."""
    return {each.p for each in model.modules() if isinstance(each, nn.Dropout)}


@torch.no_grad()
@pytest.mark.parametrize("number", range(len(specs(RATE))), ids=[type(each.config).__name__ for each in specs(RATE)])
def test_a_model_from_scratch_drops_so_much_as_the_run_says(number: int) -> None:
    with_dropout, without = specs(RATE)[number], specs(0.0)[number]
    model = model_from_scratch(with_dropout)
    assert rates(model) <= {RATE}
    assert not torch.equal(logits(model, with_dropout), logits(model, with_dropout))
    model = model_from_scratch(without)
    assert rates(model) <= {0.0}
    assert torch.equal(logits(model, without), logits(model, without))


def test_adapters_drop_so_much_as_the_run_says() -> None:
    config = GPT2(**WORDS)
    spec = CausalLM(config=config, sequence_length=LENGTH)
    assert rates(add_adapters(model_from_scratch(spec), Lora(rank=2, dropout=RATE), config)) == {0.0, RATE}
    assert rates(add_adapters(model_from_scratch(spec), Lora(rank=2), config)) == {0.0}
