"""Muon orthogonalizes the matrices of hidden layers and nothing else, in every family of models."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.run.spec.data import SumsData
from core.run.spec.image_models import ViT
from core.run.spec.language_models import GPT2, OPT, Albert, Bert, DistilBert, GPTNeoX, Llama, Qwen2, Roberta
from core.run.spec.optimizer import AdamW, Muon
from core.run.spec.recipe import ArithmeticGPT, CausalLM, ImageClassification, Lora, MaskedLM, TransformerSpec
from core.worker.compute.muon import hidden_matrices, orthogonalized
from core.worker.compute.optimizers import make_optimizer
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.lora import add_adapters

WIDTH, LAYERS = 32, 2
_NUMBERS: dict[str, Any] = {
    "vocab_size": 64,
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "max_position_embeddings": 32,
}
FAMILIES = [
    *(CausalLM(config=family(**_NUMBERS), sequence_length=8) for family in (GPT2, Llama, Qwen2, GPTNeoX, OPT)),
    *(MaskedLM(config=family(**_NUMBERS), sequence_length=8) for family in (Bert, Roberta, DistilBert, Albert)),
    ImageClassification(
        config=ViT(
            image_size=8, patch_size=4, num_labels=5, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=2
        )
    ),
]
ELSEWHERE = ("embed", "wte", "wpe", "lm_head.weight", "decoder.weight", "projector", "classifier")


def names_of(model: nn.Module) -> tuple[set[str], set[str]]:
    """Of the parameters that Muon steps, and of all others that are trained."""
    trained = [name for name, each in model.named_parameters() if each.requires_grad]
    matrices = {trained[place] for place in hidden_matrices(model)}
    return matrices, {*trained} - matrices


@pytest.mark.parametrize("spec", FAMILIES, ids=lambda spec: type(spec.config).__name__)
def test_hidden_matrices_are_all_of_the_layers_and_neither_embeddings_nor_the_output(spec: TransformerSpec) -> None:
    model = model_from_scratch(spec)
    shapes = {name: each.dim() for name, each in model.named_parameters()}
    matrices, others = names_of(model)
    assert matrices and all(shapes[name] == 2 for name in matrices)
    elsewhere = [name for name in matrices if any(part in name for part in ELSEWHERE)]
    assert all("mapping" in name for name in elsewhere)  # ALBERT's, from its embeddings to the width of its layers
    left = [name for name in others if shapes[name] == 2]
    assert left and all(any(part in name for part in ELSEWHERE) for name in left)


def test_the_built_in_model_has_four_hidden_matrices_a_block() -> None:
    numbers = ArithmeticGPT(layers=LAYERS, width=WIDTH, heads=2)
    model = ArithmeticRecipe(numbers, SumsData(), seed=0, device=torch.device("cpu")).model
    assert len(hidden_matrices(model)) == 4 * LAYERS


def test_of_a_model_with_adapters_those_are_the_hidden_matrices() -> None:
    spec = FAMILIES[0]
    assert isinstance(spec, CausalLM)
    model = add_adapters(model_from_scratch(spec), Lora(rank=4), spec.config)
    matrices, others = names_of(model)
    assert len(matrices) == 2 * 4 * LAYERS and not others


@pytest.mark.parametrize("shape", [(32, 32), (16, 64), (64, 16)], ids=str)
def test_a_matrix_is_stepped_by_its_orthogonalized_momentum_as_far_as_adamw_would(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    matrix, gradient = nn.Parameter(torch.zeros(shape)), torch.randn(shape)
    optimizer = make_optimizer(Muon(learning_rate=0.5, max_grad_norm=None))([matrix])
    matrix.grad = gradient.clone()
    optimizer.step()
    left, _, right = torch.linalg.svd(gradient, full_matrices=False)
    stepped = torch.linalg.svdvals(matrix.detach()) / (0.5 * 0.2 * max(shape) ** 0.5)
    assert 0.6 < float(stepped.min()) <= float(stepped.max()) < 1.3
    assert cosine(-matrix, left @ right) > 0.98 > cosine(-matrix, gradient)
    rms = float(matrix.detach().square().mean().sqrt())
    assert rms == pytest.approx(0.5 * 0.2, rel=0.3)  # as a step of AdamW usually has
    torch.testing.assert_close(matrix.grad, gradient)


def test_momentum_outlives_a_gradient_and_weights_decay() -> None:
    matrix = nn.Parameter(torch.eye(8))
    optimizer = make_optimizer(Muon(learning_rate=0.1, weight_decay=0.5, max_grad_norm=None))([matrix])
    matrix.grad = torch.zeros(8, 8)
    optimizer.step()
    torch.testing.assert_close(matrix.data, torch.eye(8) * 0.95)
    matrix.grad = torch.randn(8, 8)
    optimizer.step()
    before, matrix.grad = matrix.detach().clone(), torch.zeros(8, 8)
    optimizer.step()
    assert float((matrix.detach() - 0.95 * before).norm()) > 0.01


def test_all_else_is_stepped_as_adamw_steps_it() -> None:
    torch.manual_seed(0)
    numbers = [torch.randn(8, 8), torch.randn(8), torch.randn(12, 8)]
    ours, theirs = ([nn.Parameter(each.clone()) for each in numbers] for _ in range(2))
    with_muon = make_optimizer(Muon(learning_rate=0.1), hidden_matrices={0})(ours)
    plain = make_optimizer(AdamW(learning_rate=0.1))(theirs)
    for _ in range(3):
        for mine, other in zip(ours, theirs, strict=True):
            mine.grad, other.grad = torch.ones_like(mine), torch.ones_like(other)
        with_muon.step()
        plain.step()
    torch.testing.assert_close(ours[1:], theirs[1:])
    assert float((ours[0] - theirs[0]).detach().norm()) > 0.01


def test_of_a_matrix_without_a_direction_nothing_is_made() -> None:
    assert torch.equal(orthogonalized(torch.zeros(4, 8)), torch.zeros(4, 8))


def cosine(one: Tensor, other: Tensor) -> float:
    """Of the angle between them."""
    return float(torch.nn.functional.cosine_similarity(one.flatten(), other.flatten(), dim=0).detach())
