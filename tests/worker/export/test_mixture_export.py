"""A model with experts is exported whole: a program without Workerbee computes what trunk and hosts compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.files.locks import PeerFiles
from core.run.spec.language_models import GPT2, ExpertConfig, GPTNeoX, Llama, Qwen2
from core.run.spec.recipe import MoeLM
from core.worker.data.tokenizers import ByteTokenizer
from core.worker.experts.block import ExpertId
from core.worker.experts.calls import ExpertInput
from core.worker.experts.collected import CollectedExperts
from core.worker.experts.expert_file import ExpertFiles
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.recipes.mixture_model import experts_in
from tests.support.recorders import RecordingListener
from tests.worker.export.exports import RUN, Foreign, exported, manifest, texts, trained
from tests.worker.recipes.test_mixture_language_model import NUMBERS, recipe_of, spec_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

GROUPED = NUMBERS | {"num_attention_heads": 4, "num_key_value_heads": 2}
FAMILIES: dict[str, ExpertConfig] = {
    "GPT2": GPT2(**NUMBERS),
    "Llama": Llama(**GROUPED),
    "tied Llama": Llama(**NUMBERS, tie_word_embeddings=True),
    "Qwen2": Qwen2(**GROUPED),
    "GPTNeoX": GPTNeoX(**NUMBERS | {"hidden_size": 32}),
}
PROMPT = [84, 104, 101, 32]
TEXT = "Ünï 🐝"
EPOCH = 7


class Hosts:
    """All experts of a model, which answer without a network; whoever is not ``known`` is away."""

    def __init__(self, spec: MoeLM) -> None:
        width = spec.config.hidden_size
        self.experts = {each: HostedExpert(each, width, spec.experts) for each in experts_in(spec)}
        self.known = set(self.experts)

    def available(self, layer: int) -> list[int]:
        """The numbers of those that are known."""
        return sorted(expert.number for expert in self.known if expert.layer == layer)

    def forward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """What each makes of its tokens."""
        return [self.experts[each.expert].forward(each.tokens, each.seed) for each in inputs]

    def backward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """The gradients of the tokens, from which each learns."""
        return [
            self.experts[each.expert].backward("trainer", each.tokens, each.gradient, each.seed)
            for each in inputs
            if each.gradient is not None
        ]


class Run:
    """A run with experts, trained for some steps; its organiser's files are in the ``folder``."""

    def __init__(self, folder: Path, config: ExpertConfig = FAMILIES["GPT2"], away: frozenset[ExpertId] = frozenset()):
        self.spec = spec_of(config, capacity_factor=1.0, batch_tokens=1, learning_rate=0.01)
        self.folder, self.hosts = folder, Hosts(self.spec)
        self.hosts.known -= away
        recipe = recipe_of(self.spec)
        recipe.connect(self.hosts)
        self.checkpoint = PeerFiles(folder).checkpoint_file
        self.model = trained(recipe, self.checkpoint, epoch=EPOCH)
        self.inputs = torch.randint(0, NUMBERS["vocab_size"], (3, 16), generator=torch.Generator().manual_seed(1))
        self.listener = RecordingListener()
        self.collected = CollectedExperts.of(self.spec, PeerFiles(folder).collected_experts_folder, RUN)

    def collect(self, *experts: ExpertId, epoch: int = EPOCH) -> None:
        """Keep the state of these experts, or of all that are known."""
        files = ExpertFiles(self.folder, RUN)
        for each in experts or sorted(self.hosts.known):
            self.collected.put(each, epoch, files.data_of(self.hosts.experts[each]))

    def export(self, name: str = "model", **wishes: Any) -> Path:
        """Its export."""
        run = manifest(self.spec, texts())
        return exported(run, self.checkpoint, self.folder / name, self.listener, **wishes)

    def expected(self) -> Tensor:
        """The logits of its trunk and hosts."""
        with torch.inference_mode():
            logits: Tensor = self.model(input_ids=self.inputs).logits
        return logits


class Exports:
    """A run of each family, and one that lacks an expert, loaded by one foreign process."""

    def __init__(self, folder: Path) -> None:
        self.foreign = Foreign(folder)
        self.runs = {name: Run(folder / name, config) for name, config in FAMILIES.items()}
        self.runs["lacking"] = Run(folder / "lacking", away=frozenset({ExpertId(1, 2)}))
        self.jobs: dict[str, int] = {}
        for name, run in self.runs.items():
            run.collect()
            self.jobs[name] = self.foreign.wants(run.export(), None, run.inputs, prompt=PROMPT, text=TEXT)
        self.said = self.foreign.run()


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exports]:
    """One for all tests."""
    torch.set_num_threads(1)
    yield Exports(tmp_path_factory.mktemp("mixtures"))


@pytest.mark.parametrize("name", [*FAMILIES, "lacking"])
def test_a_program_without_workerbee_computes_the_logits_of_trunk_and_hosts(exports: Exports, name: str) -> None:
    run, computed = exports.runs[name], exports.foreign.logits(exports.jobs[name])
    torch.testing.assert_close(computed, run.expected(), rtol=1e-5, atol=1e-5)
    assert all(each.steps for each in run.hosts.experts.values() if each.id in run.hosts.known)


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_text_goes_on_as_the_run_would_write_it_with_torch_alone(exports: Exports, name: str) -> None:
    said, tokens = exports.said[exports.jobs[name]], PROMPT
    with torch.inference_mode():
        for _ in range(8):
            logits = exports.runs[name].model(input_ids=torch.tensor([tokens])).logits
            tokens = [*tokens, int(logits[0, -1].argmax())]
    assert said["continued"] == tokens
    assert said["tokens"] == list(ByteTokenizer().encode(TEXT)) and said["text"] == TEXT


def test_the_first_program_has_loaded_no_library_of_models(exports: Exports) -> None:
    assert "torch" in exports.said[0]["modules"]
    assert not {"transformers", "hivemind", "core"} & set(exports.said[0]["modules"])


def test_the_card_says_how_many_experts_there_are_of_which_epoch_and_how_to_load_them(exports: Exports) -> None:
    folder = exports.runs["lacking"].folder / "model"
    card = (folder / "README.md").read_text("utf-8")
    for words in ("Experts: 7 in 2 layers", "at epoch 7", "2 of 4", "from model import load", "capacity_factor=4"):
        assert words in card, words
    names = {path.name for path in folder.iterdir()}
    assert names >= {"README.md", "config.json", "model.py", "model.safetensors", "tokenizer.json"}
    assert all(path.suffix in {".safetensors", ".json", ".md", ".py"} for path in folder.iterdir())


def test_an_expert_that_nobody_hosted_is_named_and_one_that_was_away_comes_as_it_was_known_last(
    exports: Exports, tmp_path: Path
) -> None:
    lacking = exports.runs["lacking"]
    words = "Nobody has hosted these yet, and tokens go to the others of their layer: layer 1, expert 2."
    assert lacking.listener.warned == [(ErrorKind.EXPERTS_LACKING, words)]
    assert words in (lacking.folder / "model" / "README.md").read_text("utf-8")
    run = Run(tmp_path)
    away = ExpertId(3, 1)
    run.collect(epoch=5)
    run.collect(*(run.hosts.known - {away}))
    run.export()
    words = "No host of these answered at epoch 7; their last known states are used: layer 3, expert 1 (epoch 5)."
    assert [each for _, each in run.listener.warned] == [words]
    assert words in (run.folder / "model" / "README.md").read_text("utf-8")


def test_of_a_damaged_state_the_one_before_is_taken_and_without_any_of_a_layer_nothing_is_exported(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path)
    run.collect(epoch=5)
    run.collect()
    (run.collected.folder / "1-0-7.safetensors").write_bytes(b"\x08" + bytes(20))
    run.export()
    assert run.listener.warned[0][1].startswith("layer 1, expert 0 (epoch 7): ")
    assert "layer 1, expert 0 (epoch 5)" in run.listener.warned[1][1]
    for path in run.collected.folder.glob("3-*"):
        path.unlink()
    with pytest.raises(UserError, match="No expert of layer 3 was ever collected"):
        run.export("another")
