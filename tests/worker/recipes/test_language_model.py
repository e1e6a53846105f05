"""Language models: what they are asked, in which numbers they compute, and that they learn."""

from __future__ import annotations

import logging
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._inductor import async_compile

from core.run.spec.data import SumsData
from core.run.spec.language_models import GPT2, Albert, Bert
from core.run.spec.recipe import CausalLM, LanguageModelSpec, Lora, MaskedLM
from core.run.spec.recipe_cost import size_of
from core.worker.recipes.language_model import LanguageModel, limit_evaluation
from core.worker.recipes.objective import IGNORED_TARGET, Masking
from core.worker.recipes.precision import MixedPrecision, compile_model, dtype_for
from core.worker.recipes.recipe import Evaluation
from core.worker.recipes.transformers_factory import build_language_model
from tests.worker.recipes.saved_tensors import saved_bytes

CPU = torch.device("cpu")
LENGTH, VOCABULARY, MASK = 24, 258, 257
NUMBERS: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": LENGTH,
}
CAUSAL = CausalLM(config=GPT2(**NUMBERS), sequence_length=LENGTH)
MASKED = MaskedLM(config=Bert(**NUMBERS), sequence_length=LENGTH)


class Alphabet:
    """Blocks that go through the alphabet from any letter on: easily learned, in each peer's own order."""

    vocabulary_size = VOCABULARY

    def __init__(self, seed: int, mask_token: int | None = MASK) -> None:
        self.mask_token = mask_token
        self._generator = torch.Generator().manual_seed(seed)
        self.is_closed = False

    def draw(self, blocks: int) -> Tensor:
        first = torch.randint(26, (blocks, 1), generator=self._generator)
        return (first + torch.arange(LENGTH)) % 26 + ord("a")

    def held_out(self) -> Tensor:
        return (torch.arange(26)[:, None] + torch.arange(LENGTH)) % 26 + ord("a")

    def text(self, tokens: Tensor) -> str:
        return bytes(token for token in tokens.tolist() if token < 256).decode("utf-8", "replace")

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def language_model(spec: LanguageModelSpec, seed: int = 1) -> LanguageModel:
    """That recipe with the alphabet."""
    torch.manual_seed(seed)
    return build_language_model(spec, Alphabet(seed), seed=seed, device=CPU)


def with_numbers(spec: LanguageModelSpec, **changed: Any) -> LanguageModelSpec:
    """The recipe with some of its numbers changed."""
    return type(spec)(**({name: getattr(spec, name) for name in spec.__struct_fields__} | changed))


def taught(spec: LanguageModelSpec, steps: int) -> tuple[Evaluation, Evaluation]:
    """How a model does before and after so many steps."""
    pupil = language_model(spec)
    before = pupil.evaluate()
    optimizer = torch.optim.AdamW(pupil.model.parameters(), lr=1e-2)
    for _ in range(steps):
        assert pupil.backward(pupil.loss(pupil.draw(16)))
        optimizer.step()
        optimizer.zero_grad()
    after = pupil.evaluate()
    assert pupil.model.training
    return before, after


def test_a_causal_model_learns_the_alphabet() -> None:
    before, after = taught(CAUSAL, steps=80)
    assert before.loss == pytest.approx(math.log(VOCABULARY), abs=0.5)
    assert after.loss < before.loss / 2 and after.accuracy > 0.5 > before.accuracy
    assert len(after.examples) == 3 and any(example.correct for example in after.examples)


def test_a_masked_model_learns_which_tokens_there_are() -> None:
    before, after = taught(MASKED, steps=40)
    assert before.loss == pytest.approx(math.log(VOCABULARY), abs=0.5)
    assert after.loss == pytest.approx(math.log(26), abs=0.3)


def test_examples_are_a_beginning_and_how_the_model_goes_on_or_a_filled_gap() -> None:
    (example, *_) = language_model(CAUSAL).evaluate().examples
    given, continued = example.text.split(" ▸ ")
    assert len(given) == LENGTH // 2 and len(continued) <= LENGTH // 2
    (example, *_) = language_model(MASKED).evaluate().examples
    assert "[" in example.text and "]" in example.text


@pytest.mark.parametrize("spec", [CAUSAL, MASKED], ids=["causal", "masked"])
def test_evaluations_are_equal_and_disturb_nothing(spec: LanguageModelSpec) -> None:
    one, other = language_model(spec, seed=1), language_model(spec, seed=2)
    assert one.evaluate().loss == other.evaluate().loss == one.evaluate().loss
    undisturbed = language_model(spec, seed=1)
    assert torch.equal(one.draw(3).inputs, undisturbed.draw(3).inputs)
    assert not torch.equal(one.draw(3).inputs, other.draw(3).inputs)


@pytest.mark.parametrize("spec", [CAUSAL, MASKED], ids=["causal", "masked"])
def test_micro_batches_of_any_size_give_the_same_average_gradient(spec: LanguageModelSpec) -> None:
    recipe = language_model(spec)
    whole = recipe.draw(8)
    expected = gradient(recipe, [whole])
    for size in (1, 2, 4):
        parts = [type(whole)(a, b) for a, b in zip(*map(split_by(size), (whole.inputs, whole.targets)), strict=True)]
        for mine, theirs in zip(gradient(recipe, parts), expected, strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


def split_by(size: int) -> Callable[[Tensor], list[Tensor]]:
    """Cuts a tensor into parts of that many samples."""
    return lambda tensor: [tensor[start : start + size] for start in range(0, len(tensor), size)]


def gradient(recipe: LanguageModel, batches: list[Any]) -> list[Tensor]:
    """The average gradient of those batches, as hivemind accumulates it."""
    recipe.model.zero_grad()
    for batch in batches:
        recipe.backward(recipe.loss(batch))
    return [each.grad / len(batches) for each in recipe.model.parameters() if each.grad is not None]


def test_every_block_has_as_many_hidden_tokens_and_most_of_them_become_the_mask() -> None:
    blocks = torch.randint(1000, (500, 100))
    batch = Masking(1000, 999, seed=1).prepare_batch(blocks)
    asked = batch.targets != IGNORED_TARGET
    assert (asked.sum(1) == 15).all()
    assert torch.equal(batch.targets[asked], blocks[asked])
    assert torch.equal(batch.inputs[~asked], blocks[~asked])
    hidden = (batch.inputs[asked] == 999).float().mean()
    kept = (batch.inputs[asked] == blocks[asked]).float().mean()
    assert 0.77 < hidden < 0.83 and 0.07 < kept < 0.13


def test_masks_are_a_peers_own_and_never_the_same_twice() -> None:
    blocks = torch.randint(1000, (4, 100))
    one, again, other = Masking(1000, 999, 1), Masking(1000, 999, 1), Masking(1000, 999, 2)
    first = one.prepare_batch(blocks).inputs
    assert torch.equal(first, again.prepare_batch(blocks).inputs)
    assert not torch.equal(first, one.prepare_batch(blocks).inputs)
    assert not torch.equal(first, other.prepare_batch(blocks).inputs)


def test_only_adapters_get_a_gradient() -> None:
    recipe = language_model(with_numbers(CAUSAL, lora=Lora(rank=2)))
    frozen = {name: each.clone() for name, each in recipe.model.named_parameters() if "lora_" not in name}
    trained = [each for each in recipe.model.parameters() if each.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=1.0)
    before = recipe.evaluate().loss
    for _ in range(3):
        recipe.backward(recipe.loss(recipe.draw(8)))
        optimizer.step()
        optimizer.zero_grad()
    assert recipe.evaluate().loss != before
    for name, each in recipe.model.named_parameters():
        assert ("lora_" in name) == each.requires_grad
        assert name not in frozen or torch.equal(each, frozen[name])


@pytest.mark.parametrize(("precision", "kind"), [("bf16", torch.bfloat16), ("fp16", torch.float16)])
def test_half_precision_gives_the_same_gradient_to_its_last_digits(precision: str, kind: torch.dtype) -> None:
    tolerance = 2 * torch.finfo(kind).eps
    exact, half = language_model(CAUSAL), language_model(with_numbers(CAUSAL, precision=precision))
    batch = exact.draw(4)
    expected, found = gradient(exact, [batch]), gradient(half, [batch])
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.dtype == torch.float32
        assert torch.linalg.vector_norm(mine - theirs) <= tolerance * torch.linalg.vector_norm(theirs)


def test_frozen_weights_are_kept_in_half_precision_and_adapters_are_not() -> None:
    recipe = language_model(with_numbers(CAUSAL, lora=Lora(), precision="bf16"))
    kinds = {(each.requires_grad, each.dtype) for each in recipe.model.parameters()}
    assert kinds == {(True, torch.float32), (False, torch.bfloat16)}
    assert recipe.backward(recipe.loss(recipe.draw(2)))
    assert size_of(with_numbers(CAUSAL, lora=Lora(), precision="bf16"), SumsData()).frozen_bytes == (
        sum(each.numel() * 2 for each in recipe.model.parameters() if not each.requires_grad)
    )


def test_a_gradient_too_large_for_fp16_is_forgotten_until_the_scale_fits() -> None:
    weight = torch.ones(4, requires_grad=True)
    numbers = MixedPrecision(torch.float16, CPU, [weight])

    def attempt() -> bool:
        weight.grad = None
        return numbers.backward((weight * 1e36).sum())  # 2 ** 16 times that exceeds float32

    attempts = [attempt() for _ in range(12)]
    assert not attempts[0] and attempts[-1]
    assert weight.grad is not None
    torch.testing.assert_close(weight.grad, torch.full((4,), 1e36))


def test_what_is_never_finite_is_not_taken_for_a_matter_of_scale() -> None:
    weight = torch.ones(4, requires_grad=True)
    numbers = MixedPrecision(torch.float16, CPU, [weight])
    attempts = [numbers.backward((weight * math.nan).sum()) for _ in range(40)]
    assert not attempts[0] and attempts[-1]


def test_a_cpu_computes_in_float32_unless_the_run_says_otherwise() -> None:
    assert dtype_for("auto", CPU) == dtype_for("fp32", CPU) == torch.float32
    assert dtype_for("bf16", CPU) == torch.bfloat16


def test_checkpoints_keep_less_and_change_nothing(caplog: pytest.LogCaptureFixture) -> None:
    plain, lean = language_model(CAUSAL), language_model(with_numbers(CAUSAL, gradient_checkpointing=True))
    batch = plain.draw(4)
    assert saved_bytes(lean, batch) < saved_bytes(plain, batch)
    for mine, theirs in zip(gradient(lean, [batch]), gradient(plain, [batch]), strict=True):
        torch.testing.assert_close(mine, theirs)
    without = MaskedLM(config=Albert(**NUMBERS), sequence_length=LENGTH, gradient_checkpointing=True)
    with caplog.at_level(logging.WARNING):
        assert language_model(without).evaluate().loss > 0
    assert "has no gradient checkpointing" in caplog.text


def gradient_of(recipe: LanguageModel) -> Tensor:
    """All gradients of its model, as one vector."""
    return torch.cat([each.grad.flatten() for each in recipe.model.parameters() if each.grad is not None])


def test_a_computer_without_a_compiler_trains_without_one(caplog: pytest.LogCaptureFixture) -> None:
    model = torch.nn.Linear(2, 2)

    def trial(forward: Callable[..., Any]) -> None:
        raise RuntimeError("no compiler")

    with caplog.at_level(logging.WARNING):
        assert compile_model(model, trial) is model
    assert "torch.compile does not work here" in caplog.text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler on the CPU")
def test_a_compiled_model_has_the_gradients_of_the_other(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    config = GPT2(**NUMBERS | {"num_hidden_layers": 1})
    exact = with_numbers(CAUSAL, precision="fp32", config=config)
    eager, compiled = language_model(exact), language_model(with_numbers(exact, compile=True))
    assert async_compile.get_compile_threads() == 1, "the compiler would start processes, which find no GPU in the cage"
    assert "torch.compile does not work here" not in caplog.text
    assert list(tmp_path.rglob("*.so")), "nothing was compiled"
    for recipe in (eager, compiled):
        recipe.backward(recipe.loss(recipe.draw(4)))
    assert torch.allclose(gradient_of(eager), gradient_of(compiled), atol=1e-5)


def test_a_large_model_is_asked_about_fewer_blocks() -> None:
    blocks = torch.zeros(64, 256, dtype=torch.int64)

    def asked(parameters: int) -> int:
        return len(limit_evaluation(blocks, torch.nn.Linear(1, parameters, bias=False, device="meta")))

    assert [asked(1_000), asked(100_000_000), asked(10_000_000_000)] == [32, 9, 4]


def test_closing_it_lets_go_of_the_data() -> None:
    blocks = Alphabet(1)
    build_language_model(CAUSAL, blocks, seed=1, device=CPU).close()
    assert blocks.is_closed


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
@pytest.mark.parametrize("spec", [CAUSAL, MASKED], ids=["causal", "masked"])
def test_a_gpu_begins_with_the_same_model_and_computes_in_half_precision(spec: LanguageModelSpec) -> None:
    here, gpu = language_model(spec), torch.device("cuda")
    there = build_language_model(spec, Alphabet(1), seed=1, device=gpu)
    assert dtype_for("auto", gpu) in (torch.bfloat16, torch.float16)
    assert all(each.dtype == torch.float32 for each in there.model.parameters())
    assert there.evaluate().loss == pytest.approx(here.evaluate().loss, rel=0.02)
    optimizer = torch.optim.AdamW(there.model.parameters(), lr=1e-2)
    for _ in range(80):
        if there.backward(there.loss(there.draw(16))):
            optimizer.step()
        optimizer.zero_grad()
    assert there.evaluate().loss < 0.7 * here.evaluate().loss


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_frozen_weights_take_half_of_a_gpus_memory() -> None:
    wide = GPT2(**(NUMBERS | {"hidden_size": 1024, "num_hidden_layers": 4}))
    spec = CausalLM(config=wide, sequence_length=LENGTH, lora=Lora(), precision="bf16")
    before = torch.cuda.memory_allocated()
    recipe = build_language_model(spec, Alphabet(1), seed=1, device=torch.device("cuda"))
    size = size_of(spec, SumsData())
    assert torch.cuda.memory_allocated() - before < 1.1 * (size.frozen_bytes + 4 * size.trained)
    assert recipe.backward(recipe.loss(recipe.draw(2)))


def test_a_model_whose_evaluation_fails_can_be_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = language_model(CAUSAL)
    monkeypatch.setattr(recipe, "_plain_logits", None)
    with pytest.raises(TypeError):
        recipe.evaluate()
    assert recipe.model.training
