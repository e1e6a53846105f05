"""Models are counted without being built, and the count is that of the real ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.run.spec.data import SumsData
from core.run.spec.language_models import (
    GPT2,
    OPT,
    Albert,
    Bert,
    CausalConfig,
    DistilBert,
    GPTNeoX,
    Llama,
    ModelConfig,
    Qwen2,
    Roberta,
)
from core.run.spec.recipe import CausalLM, Lora, MaskedLM
from core.run.spec.recipe_cost import size_of
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.lora import add_adapters

NUMBERS: dict[str, Any] = {
    "vocab_size": 300,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 50,
}
FAMILIES: list[ModelConfig] = [
    GPT2(**NUMBERS),
    GPT2(**NUMBERS, intermediate_size=72),
    Llama(**NUMBERS, intermediate_size=48, num_key_value_heads=2),
    Llama(**NUMBERS, tie_word_embeddings=True),
    Qwen2(**NUMBERS, intermediate_size=48, num_key_value_heads=1),
    Qwen2(**NUMBERS, tie_word_embeddings=True),
    GPTNeoX(**NUMBERS, intermediate_size=48),
    OPT(**NUMBERS, intermediate_size=48),
    Bert(**NUMBERS, intermediate_size=48),
    Roberta(**NUMBERS, intermediate_size=48),
    DistilBert(**NUMBERS, intermediate_size=48),
    Albert(**NUMBERS, intermediate_size=48, embedding_size=16),
    Albert(**NUMBERS, embedding_size=8, num_hidden_groups=3),
]


def spec_of(config: ModelConfig, lora: Lora | None = None) -> CausalLM | MaskedLM:
    """A recipe with that model."""
    if isinstance(config, CausalConfig):
        return CausalLM(config=config, sequence_length=16, lora=lora)
    return MaskedLM(config=config, sequence_length=16, lora=lora)


def count(model: torch.nn.Module, *, trained: bool = False) -> int:
    """Its parameters, or only those that are trained."""
    return sum(each.numel() for each in model.parameters() if each.requires_grad or not trained)


@pytest.mark.parametrize("config", FAMILIES, ids=lambda config: type(config).__name__)
def test_the_parameters_are_the_models(config: ModelConfig) -> None:
    spec = spec_of(config)
    size = size_of(spec, SumsData())
    assert size.parameters == size.trained == count(model_from_scratch(spec))


@pytest.mark.parametrize("config", FAMILIES, ids=lambda config: type(config).__name__)
def test_only_adapters_are_trained_and_they_are_counted(config: ModelConfig) -> None:
    spec = spec_of(config, Lora(rank=4))
    assert spec.lora is not None
    model = add_adapters(model_from_scratch(spec), spec.lora, config)
    size = size_of(spec, SumsData())
    assert size.parameters == count(model)
    assert size.trained == count(model, trained=True) < size.parameters


def test_adapters_to_some_matrices_are_fewer() -> None:
    config = FAMILIES[2]
    spec = spec_of(config, Lora(rank=2, target_modules=("q_proj", "v_proj")))
    assert spec.lora is not None
    model = add_adapters(model_from_scratch(spec), spec.lora, config)
    assert size_of(spec, SumsData()).trained == count(model, trained=True) == 3 * 2 * (64 + 48)


def test_models_and_adapters_are_the_same_on_every_peer() -> None:
    def weights(seed: int) -> list[torch.Tensor]:
        torch.manual_seed(seed)
        spec = spec_of(FAMILIES[0], Lora())
        assert spec.lora is not None
        model = add_adapters(model_from_scratch(spec), spec.lora, FAMILIES[0])
        return [*model.parameters(), torch.rand(3)]

    *one, mine = weights(1)
    *other, others = weights(2)
    assert all(torch.equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))
    assert not torch.equal(mine, others)  # but what a peer draws by chance afterwards is its own


def test_backward_keeps_about_what_is_estimated() -> None:
    """Within a factor of two of what autograd really saves."""
    numbers = NUMBERS | {"hidden_size": 64, "num_hidden_layers": 4, "max_position_embeddings": 128}
    for config in (GPT2(**numbers), Llama(**numbers), Bert(**numbers)):
        spec = spec_of(config)
        model = model_from_scratch(spec)
        saved: dict[int, int] = {}

        def keep(tensor: torch.Tensor, saved: dict[int, int] = saved) -> torch.Tensor:
            saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        tokens = torch.randint(300, (8, 16))
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            logits = model(tokens).logits.float().flatten(0, 1)
            loss = torch.nn.functional.cross_entropy(logits, tokens.flatten())
        weights = {each.untyped_storage().data_ptr() for each in model.parameters()}
        kept = sum(size for place, size in saved.items() if place not in weights)
        estimated = 4 * 8 * size_of(spec, SumsData()).kept_floats
        assert loss.requires_grad and 0.5 < kept / estimated < 2, (type(config), kept / estimated)
