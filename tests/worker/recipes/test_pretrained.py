"""Somebody's weights are used if they are safetensors of the shape that the run describes, else refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from core.errors import ErrorKind, UserError
from core.run.spec.language_models import GPT2, Llama
from core.run.spec.recipe import CausalLM, LanguageModelSpec, Lora, Pretrained, Quantization
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.language_model import LanguageModel
from core.worker.recipes.transformers_factory import build_language_model
from tests.worker.recipes.test_language_model import (
    CAUSAL,
    CPU,
    LENGTH,
    MASKED,
    NUMBERS,
    Alphabet,
    with_numbers,
)

BEGIN = Pretrained(repository="somebody/small", revision="0" * 40)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A small model with weights of its own."""
    tmp_path = tmp_path / "model"
    torch.manual_seed(7)
    spec = with_numbers(CAUSAL)
    model = model_from_scratch(spec)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.01 * torch.randn_like(weight))
    model.save_pretrained(tmp_path)
    yield tmp_path


def loaded(folder: Path, spec: LanguageModelSpec = CAUSAL, **changed: Any) -> LanguageModel:
    """The recipe with the weights in that folder."""
    begun = with_numbers(spec, pretrained=BEGIN, **changed)
    return build_language_model(begun, Alphabet(1), seed=1, device=CPU, folder=folder)


def why_refused(folder: Path, spec: LanguageModelSpec = CAUSAL, **changed: Any) -> str:
    """What is said of weights that cannot be used."""
    with pytest.raises(UserError) as caught:
        loaded(folder, spec, **changed)
    assert caught.value.problem is ErrorKind.FILES_REFUSED
    assert "somebody/small" in str(caught.value.detail)
    return str(caught.value.detail)


def change_config(folder: Path, **numbers: Any) -> None:
    """As if the repository said something else."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | numbers))


def test_the_weights_are_those_of_the_repository(folder: Path) -> None:
    from safetensors.torch import load_file

    stored = load_file(folder / "model.safetensors")
    weights = dict(loaded(folder).model.named_parameters())
    assert stored.keys() == weights.keys()
    assert all(torch.equal(stored[name], weights[name]) for name in stored)
    assert not torch.equal(stored["transformer.wte.weight"], model_from_scratch(CAUSAL).get_input_embeddings().weight)


def test_adapters_stand_on_the_weights_of_the_repository(folder: Path) -> None:
    plain, adapted = loaded(folder), loaded(folder, lora=Lora(rank=2))
    assert adapted.evaluate().loss == pytest.approx(plain.evaluate().loss, rel=1e-5)
    assert all("lora_" in name for name, each in adapted.model.named_parameters() if each.requires_grad)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"n_embd": 48}, "its hidden_size is 48, and the run says 32"),
        ({"n_layer": 3}, "its num_hidden_layers is 3, and the run says 2"),
        ({"model_type": "llama"}, "it is of the family llama, and the run says gpt2"),
        (
            {"quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": True}},
            "quantized already",
        ),
        ({"n_inner": 7}, "its n_inner is 7, and the run says 128"),
    ],
)
def test_a_model_of_another_shape_is_refused(folder: Path, numbers: dict[str, Any], said: str) -> None:
    change_config(folder, **numbers)
    assert said in why_refused(folder)


def test_weights_that_are_not_those_of_the_config_are_refused(folder: Path) -> None:
    change_config(folder, n_embd=48)
    other = GPT2(**(NUMBERS | {"hidden_size": 48}))
    assert why_refused(folder, config=other)


def test_weights_that_cannot_be_read_are_refused(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    assert why_refused(folder)
    weights.unlink()
    assert why_refused(folder)


def test_pickles_are_not_even_looked_at(folder: Path) -> None:
    weights = folder / "model.safetensors"
    torch.save({}, folder / "pytorch_model.bin")
    weights.unlink()
    assert why_refused(folder)


def plant_index(folder: Path, names: dict[str, str]) -> None:
    """An index in place of the one file of weights, so that `transformers` follows it."""
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": names}))


def test_weights_in_several_files_are_loaded(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    stored = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = {name: f"model-0000{number % 2 + 1}-of-00002.safetensors" for number, name in enumerate(sorted(stored))}
    for file in set(names.values()):
        save_file({name: stored[name] for name in names if names[name] == file}, folder / file, {"format": "pt"})
    plant_index(folder, names)
    weights = dict(loaded(folder).model.named_parameters())
    assert all(torch.equal(stored[name], weights[name]) for name in stored)


@pytest.mark.parametrize("kind", ["relative", "absolute", "pickle", "pickle here", "link"])
def test_an_index_that_leaves_its_folder_is_refused_and_nothing_is_unpickled(folder: Path, kind: str) -> None:
    class Planted:
        def __reduce__(self) -> Any:
            return Path.touch, (folder / "unpickled",)

    private = folder.parent / "private"
    private.mkdir()
    weights = folder / "model.safetensors"
    places = {
        "relative": ("../private/mine.safetensors", private / "mine.safetensors"),
        "absolute": (str(private / "mine.safetensors"), private / "mine.safetensors"),
        "pickle": ("../private/abcdef", private / "abcdef"),
        "pickle here": ("model.bin", folder / "model.bin"),
        "link": ("mine.safetensors", private / "mine.safetensors"),
    }
    named, place = places[kind]
    weights.rename(place)
    if kind == "link":
        (folder / named).symlink_to(place)
    if "pickle" in kind:
        torch.save(Planted(), place)
    plant_index(folder, {"transformer.wte.weight": named})
    assert f"names “{named}”" in why_refused(folder)
    assert not (folder / "unpickled").exists()


def test_a_config_that_names_its_file_of_weights_is_refused(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "other.safetensors")
    change_config(folder, transformers_weights="other.safetensors")
    assert "names a file of weights" in why_refused(folder)


def test_adapters_in_the_place_of_a_model_are_refused(folder: Path) -> None:
    (folder / "adapter_config.json").write_text("{}")
    assert "adapters of another model" in why_refused(folder)


def test_a_model_of_another_family_than_the_runs_is_refused(folder: Path) -> None:
    assert "family gpt2" in why_refused(folder, config=Llama(**NUMBERS))
    assert "family gpt2" in why_refused(folder, MASKED)


def test_few_bits_are_refused_where_the_device_cannot(folder: Path) -> None:
    with pytest.raises(UserError) as caught:
        loaded(folder, lora=Lora(), quantization=Quantization(kind="nf4"))
    assert caught.value.problem is ErrorKind.DEVICE_UNSUITED


def test_an_output_that_nobody_has_trained_is_the_same_on_every_peer(tmp_path: Path) -> None:
    model = model_from_scratch(MASKED)
    model.base_model.save_pretrained(tmp_path)
    change_config(tmp_path, architectures=["BertModel"])
    torch.manual_seed(1)
    one = loaded(tmp_path, MASKED)
    torch.manual_seed(2)
    other = loaded(tmp_path, MASKED)
    for mine, theirs in zip(one.model.parameters(), other.model.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused() -> None:
    spec = CausalLM(config=GPT2(**(NUMBERS | {"vocab_size": 100})), sequence_length=LENGTH)
    with pytest.raises(UserError, match="258 tokens, and the model's vocab_size is 100"):
        build_language_model(spec, Alphabet(1), seed=1, device=CPU)


def test_a_tokenizer_without_a_mask_is_refused_for_a_masked_model() -> None:
    with pytest.raises(UserError, match="no mask"):
        build_language_model(MASKED, Alphabet(1, mask_token=None), seed=1, device=CPU)
