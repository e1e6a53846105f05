"""What is exported is loaded by somebody else's program, and computes the same to the last bit in fp32."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.files.documents import FOLDER
from core.protocol.commands import WeightType
from core.run.spec.data import HubTokenizer, SumsData
from core.run.spec.language_models import GPT2, OPT, Albert, Bert, DistilBert, GPTNeoX, Llama, Qwen2, Roberta
from core.run.spec.recipe import ArithmeticGPT, CausalLM, LanguageModelSpec, Lora, MaskedLM, Pretrained
from core.worker.data.image_decoding import decode_image
from core.worker.data.tokenizers import ByteTokenizer, PretrainedTokenizer
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.transformers_factory import build_language_model
from tests.support.environment.fake_hub import Hub, local_hub
from tests.worker.export.exports import Foreign, exported, manifest, pictures, texts, trained
from tests.worker.recipes.test_image_classifier import SPEC as PICTURES
from tests.worker.recipes.test_image_classifier import made
from tests.worker.recipes.test_language_model import CPU, LENGTH, NUMBERS, Alphabet, with_numbers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CAUSAL: dict[str, LanguageModelSpec] = {
    family.__name__: CausalLM(config=family(**NUMBERS), sequence_length=LENGTH)
    for family in (GPT2, Llama, Qwen2, GPTNeoX, OPT)
}
POSITIONS = {"max_position_embeddings": LENGTH + 2}  # of which RoBERTa keeps two for itself
MASKED: dict[str, LanguageModelSpec] = {
    family.__name__: MaskedLM(config=family(**NUMBERS | POSITIONS), sequence_length=LENGTH)
    for family in (Bert, Roberta, DistilBert, Albert)
}
TEXT = "Ünï 🐝 bees,\n\tand more\x00"
DIGITS = 1
GUIDE = FOLDER / "organiser-guide.md"
SUMS = [(3, 4), (9, 9), (0, 6), (8, 5)]
HALVES: tuple[WeightType, ...] = ("bf16", "fp16")


@dataclass
class Case:
    """One export: the model as it was trained, and what the foreign program has computed with it."""

    folder: Path
    model: torch.nn.Module
    inputs: Tensor
    job: int

    def expected(self) -> Tensor:
        """The logits that training computes."""
        torch.set_num_threads(1)
        with torch.inference_mode():
            found = self.model(self.inputs)
        logits: Tensor = found if isinstance(found, Tensor) else found.logits
        return logits


class Exports:
    """All cases, by their names; ``said`` is what the foreign program says of each job."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.foreign = folder, Foreign(folder)
        self.cases: dict[str, Case] = {}
        self.said: list[dict[str, Any]] = []

    def language(self, name: str, spec: LanguageModelSpec, folder: Path | None = None, **wishes: Any) -> None:
        """Train that language model a little and export it."""
        recipe = build_language_model(spec, Alphabet(1), seed=1, device=CPU, folder=folder)
        tokenizer = wishes.pop("tokenizer", "bytes")
        job: dict[str, Any] = {
            "auto": "AutoModelForCausalLM" if isinstance(spec, CausalLM) else "AutoModelForMaskedLM",
            "text": TEXT,
        }
        if spec.lora is not None and not wishes.get("merge"):
            job["base"] = spec.pretrained.repository if spec.pretrained else "base"
            job["revision"] = spec.pretrained.revision if spec.pretrained else None
        self._add(name, recipe, manifest(spec, texts(tokenizer)), recipe.draw(3).inputs, job, wishes)

    def _add(self, name: str, recipe: Any, run: Any, inputs: Tensor, job: Any, wishes: Any) -> None:
        checkpoint = self.folder / name / "checkpoint.safetensors"
        model = trained(recipe, checkpoint, steps=job.pop("steps", 3), samples=job.pop("samples", 8))
        folder = exported(run, checkpoint, self.folder / name / "model", **wishes)
        number = self.foreign.wants(folder, job.pop("auto"), inputs, **job)
        self.cases[name] = Case(folder, model, inputs, number)

    def images(self, name: str) -> None:
        """Train the vision transformer a little and export it."""
        recipe, picture = made(), self.folder / "picture.png"
        Image.effect_noise((40, 30), 90).convert("RGB").save(picture)
        run = manifest(PICTURES, pictures(), description="Colours.", license="Apache-2.0")
        pixels = torch.rand(2, 3, 16, 16, generator=torch.Generator().manual_seed(1))
        job = {"auto": "AutoModelForImageClassification", "picture": str(picture)}
        self._add(name, recipe, run, pixels, job, {})

    def sums(self, name: str) -> None:
        """Train the built-in recipe until its sums are right, and export it."""
        torch.manual_seed(1)
        numbers = ArithmeticGPT(layers=1, width=32, heads=2)
        recipe = ArithmeticRecipe(numbers, SumsData(digits=DIGITS), seed=1, device=CPU)
        job = {"auto": None, "pairs": SUMS, "steps": 500, "samples": 64}
        self._add(name, recipe, manifest(numbers, SumsData(digits=DIGITS)), recipe.draw(5).inputs, job, {})

    def computed(self, name: str) -> Tensor:
        """The logits of the foreign program."""
        return self.foreign.logits(self.cases[name].job)

    def told(self, name: str) -> dict[str, Any]:
        """What the foreign program says of that case."""
        return self.said[self.cases[name].job]


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    """With the models that exports begin with."""
    with local_hub() as hub:
        yield hub


@pytest.fixture(scope="module")
def exports(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Exports:
    """Every recipe's export, all of them loaded by one process of a program that has no Workerbee."""
    torch.set_num_threads(1)
    found = Exports(tmp_path_factory.mktemp("exports"))
    for name, spec in (CAUSAL | MASKED).items():
        found.language(name, spec)
    adapted = with_numbers(CAUSAL["GPT2"], lora=Lora(rank=2))
    found.language("adapters", adapted)
    found.language("merged", adapted, merge=True)
    folder = found.folder / "published"
    begin = published_model(hub, folder)
    tokenizer = HubTokenizer(repository=begin.repository, revision=begin.revision)
    begun = with_numbers(CAUSAL["GPT2"], pretrained=begin)
    found.language("pretrained", begun, folder, tokenizer=tokenizer)
    found.language("published base", with_numbers(begun, lora=Lora(rank=2)), folder, tokenizer=tokenizer)
    found.language("masked adapters", with_numbers(MASKED["Bert"], lora=Lora(rank=2)))
    for dtype in HALVES:
        found.language(dtype, with_numbers(CAUSAL["GPT2"], precision=dtype), dtype=dtype)
    found.images("images")
    found.sums("sums")
    found.said = found.foreign.run()
    return found


def published_model(hub: Hub, folder: Path) -> Pretrained:
    """A small GPT-2 with a tokenizer of its own on the hub; that folder has the same files."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    torch.manual_seed(7)
    model = model_from_scratch(CAUSAL["GPT2"])
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.01 * torch.randn_like(weight))
    model.save_pretrained(folder)
    library = Tokenizer(models.BPE(unk_token="<unk>"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=80, special_tokens=["<unk>", "<end>"], show_progress=False)
    library.train_from_iterator(["bees and honey, and more bees", TEXT], trainer)
    library.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"eos_token": "<end>", "tokenizer_class": "GPT2Tokenizer"}')
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    repository = hub.publish("model", "somebody/base", files)
    return Pretrained(repository=repository.name, revision=repository.revision)


@pytest.mark.parametrize(
    "name", [*CAUSAL, *MASKED, "adapters", "masked adapters", "pretrained", "published base", "images", "sums"]
)
def test_a_program_without_workerbee_computes_the_same_to_the_last_bit(exports: Exports, name: str) -> None:
    assert torch.equal(exports.computed(name), exports.cases[name].expected())


def test_merged_adapters_compute_the_same_but_for_rounding(exports: Exports) -> None:
    torch.testing.assert_close(exports.computed("merged"), exports.cases["merged"].expected(), rtol=1e-4, atol=1e-5)
    names = {path.name for path in exports.cases["merged"].folder.iterdir()}
    assert "model.safetensors" in names and "adapter_config.json" not in names


@pytest.mark.parametrize("dtype", HALVES)
def test_weights_in_half_precision_compute_nearly_the_same(exports: Exports, dtype: str) -> None:
    computed, expected = exports.computed(dtype), exports.cases[dtype].expected()
    assert str(computed.dtype) == f"torch.{ {'bf16': 'bfloat16', 'fp16': 'float16'}[dtype] }"
    torch.testing.assert_close(computed.float(), expected, rtol=0.1, atol=0.05)


@pytest.mark.parametrize("name", [*CAUSAL, *MASKED, "adapters"])
def test_bytes_are_the_same_tokens_there_and_back(exports: Exports, name: str) -> None:
    said = exports.told(name)
    assert said["tokens"] == list(ByteTokenizer().encode(TEXT))
    assert (said["text"], said["mask"]) == (TEXT, ByteTokenizer.mask_token)


def test_a_published_tokenizer_makes_the_tokens_of_training_whatever_class_it_names(exports: Exports) -> None:
    ours = PretrainedTokenizer(exports.folder / "published")
    said = exports.told("pretrained")
    assert said["tokens"] == list(ours.encode(TEXT)) and said["text"] == ours.decode(said["tokens"])


@pytest.mark.parametrize("name", [*CAUSAL, "adapters"])
def test_a_text_goes_on_the_same(exports: Exports, name: str) -> None:
    tokens = torch.tensor([list(ByteTokenizer().encode(TEXT))[:8]])
    with torch.inference_mode():
        for _ in range(8):
            last = exports.cases[name].model(input_ids=tokens).logits[:, -1:].argmax(-1)
            tokens = torch.cat([tokens, last], dim=1)
    assert exports.told(name)["continued"] == ByteTokenizer().decode(tokens[0].tolist())


def test_pictures_become_the_pixels_of_training(exports: Exports) -> None:
    picture = exports.folder / "picture.png"
    said = exports.told("images")
    trained_on = (decode_image(picture.read_bytes(), 16).float() / 255 - 0.5) / 0.5
    found = torch.tensor(said["pixels"]).view(3, 16, 16)
    assert (found - trained_on).abs().max() <= 2.5 / 255 / 0.5  # Pillow and torch round a resized pixel otherwise
    assert said["names"] == ["red", "green", "blue"]


def test_the_sums_of_the_exported_adder_are_right(exports: Exports) -> None:
    assert exports.told("sums")["sums"] == [a + b for a, b in SUMS]
    assert {path.name for path in exports.cases["sums"].folder.iterdir()} == {
        "README.md",
        "config.json",
        "model.py",
        "model.safetensors",
    }


def test_the_guides_program_adds(exports: Exports) -> None:
    (program,) = re.findall(r"```python\n(from model import load\n.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    words = [sys.executable, "-B", "-c", program]
    done = subprocess.run(words, cwd=exports.cases["sums"].folder, capture_output=True, text=True, check=True)
    assert done.stdout == "12\n"


def test_nothing_in_an_export_can_be_unpickled_or_names_a_place_of_this_computer(exports: Exports) -> None:
    for case in exports.cases.values():
        for path in filter(Path.is_file, case.folder.rglob("*")):
            assert path.suffix in {".safetensors", ".json", ".md", ".py"}, path
            assert str(exports.folder).encode() not in path.read_bytes(), path


def test_the_model_card_says_what_was_trained_on_what_and_how_well(exports: Exports) -> None:
    card = (exports.cases["images"].folder / "README.md").read_text("utf-8")
    for words in (
        "library_name: transformers",
        "pipeline_tag: image-classification",
        "- somebody/pictures",
        "# license: (empty",
        "# An exported run",
        "Epochs: 7",
        "about 7,000",
        "| 5 | 2.5000 |\n| 7 | 1.2500 |",
        "Nobody is named: nobody has asked to be.",
        "The run's description says: Apache-2.0",
    ):
        assert words in card, words
    adapters = (exports.cases["published base"].folder / "README.md").read_text("utf-8")
    assert "library_name: peft" in adapters and "base_model: somebody/base" in adapters


def test_adapters_of_a_published_model_need_no_room_for_that(
    hub: Hub, tmp_path: Path, small_disk: Path, fill_disk: Callable[[], None]
) -> None:
    spec = with_numbers(CAUSAL["GPT2"], pretrained=published_model(hub, tmp_path / "base"), lora=Lora(rank=2))
    run, checkpoint = manifest(spec, texts()), tmp_path / "run" / "checkpoint.safetensors"
    trained(build_language_model(spec, Alphabet(1), seed=1, device=CPU, folder=tmp_path / "base"), checkpoint)
    fill_disk()
    hog = small_disk / "hog"
    os.truncate(hog, hog.stat().st_size - 20_100_000)  # enough for what goes with a model, and 0.1 MB of weights
    assert (exported(run, checkpoint, small_disk / "adapters") / "adapter_model.safetensors").is_file()
    with pytest.raises(UserError, match="The export needs 20 MB") as caught:
        exported(run, checkpoint, small_disk / "merged", merge=True)
    assert caught.value.problem is ErrorKind.DISK_FULL and not list((small_disk / "merged").iterdir())
