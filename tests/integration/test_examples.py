"""The examples train with two volunteers each, at toy size, with files from a small hub on loopback."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from safetensors import safe_open

from core.errors import ErrorKind
from core.protocol.events import CheckpointSaved, Evaluated, Failed, RoundFinished, StateLoading, TrainingStarted
from core.run.manifest import RunManifest, SchedulerSpec
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import FileAt, HubImages, TextFiles
from core.run.spec.optimizer import AdamW8bit
from core.run.spec.recipe import (
    CausalLM,
    ImageClassification,
    LanguageModelSpec,
    Lora,
    MaskedLM,
    Pretrained,
    Quantization,
)
from core.worker.recipes.initialization import model_from_scratch
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS
from tests.support.checkout import ROOT
from tests.support.environment.fake_hub import Hub
from tests.support.environment.folder_server import newest_mirrored, serving_folder
from tests.support.real_peers import PATIENCE_SECONDS, Peer, PeerGroup, averaged
from tests.support.sample_images import NAMES, in_parquet, squares

EXAMPLES = ROOT / "examples"
TEXT = "\n\n".join(f"{name} keeps the {thing}." for name in ("Ada", "Bo") for thing in ("bees", "honey", "wax") * 40)

LEARNING_RATE = 1e-2
MICRO_BATCH = 20
VOCABULARY = 258  # who knows nothing has a loss of log(258)
LEARNED = 0.9
LEARNED_BY_ADAPTERS = 0.995  # to a model that knows nothing: they learn hardly more than nothing

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]


def toy(example: str, hub: Hub, samples: int = 5000) -> RunManifest:
    """That example, with a tiny model that learns fast, short epochs and text that a hub on loopback serves."""
    manifest = load_run_file(EXAMPLES / example)
    assert isinstance(manifest.recipe, CausalLM | MaskedLM)
    recipe, collaboration = tiny_recipe(manifest.recipe), quick(manifest, samples)
    return msgspec.structs.replace(manifest, recipe=recipe, collaboration=collaboration, **toy_text(manifest, hub))


def toy_text(manifest: RunManifest, hub: Hub) -> dict[str, Any]:
    """What such a run learns from and how: text that a hub on loopback serves, and fast."""
    text = TEXT.encode()
    where = hub.publish("dataset", "somebody/texts", {"bees.txt": text}).url("bees.txt")
    file = FileAt(url=where, sha256=hashlib.sha256(text).hexdigest(), size_bytes=len(text))
    return {
        "optimizer": msgspec.structs.replace(manifest.optimizer, learning_rate=LEARNING_RATE),
        "scheduler": SchedulerSpec(),
        "data": TextFiles(files=(file,), format="text", held_out_one_in=8),
    }


def quick(manifest: RunManifest, samples: int) -> Collaboration:
    """Its collaboration, with epochs of so many samples, longer than it takes to meet, and no long waits.

    For tiny models a larger micro-batch saves most of the computing.
    """
    return msgspec.structs.replace(
        manifest.collaboration,
        target_batch_size=samples,
        batch_size_per_step=MICRO_BATCH,
        matchmaking_time=3.0,
        averaging_timeout=30.0,
    )


def toy_pictures(example: str, hub: Hub, samples: int) -> RunManifest:
    """That example, with a tiny model and images that a hub on loopback streams."""
    manifest = load_run_file(EXAMPLES / example)
    recipe, data = manifest.recipe, manifest.data
    assert isinstance(recipe, ImageClassification) and isinstance(data, HubImages)
    images = squares(300)
    files = {"data/train-00000-of-00001.parquet": in_parquet(images, [number % 3 for number in range(300)])}
    published = hub.publish("dataset", "somebody/squares", files)
    numbers = {"num_labels": 3, "hidden_size": 32, "num_hidden_layers": 1, "intermediate_size": 64}
    return msgspec.structs.replace(
        manifest,
        recipe=msgspec.structs.replace(recipe, config=msgspec.structs.replace(recipe.config, **numbers)),
        optimizer=msgspec.structs.replace(manifest.optimizer, learning_rate=LEARNING_RATE),
        scheduler=SchedulerSpec(),
        data=HubImages(repository=published.name, revision=published.revision, class_names=NAMES),
        collaboration=quick(manifest, samples),
    )


def tiny_recipe(recipe: LanguageModelSpec) -> LanguageModelSpec:
    """The same, small enough for a test."""
    numbers: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 32,
    }
    config: Any = msgspec.structs.replace(recipe.config, **numbers)
    return msgspec.structs.replace(recipe, config=config, sequence_length=16)


def pretrained(recipe: LanguageModelSpec, hub: Hub, folder: Path) -> LanguageModelSpec:
    """The recipe with a model of its shape in the hub's repository."""
    model_from_scratch(recipe).save_pretrained(folder)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    published = hub.publish("model", "somebody/small", files)
    begin = Pretrained(repository=published.name, revision=published.revision)
    return msgspec.structs.replace(recipe, pretrained=begin)


def train_together(
    group: PeerGroup, manifest: RunManifest, learned: float = LEARNED, limit: float | None = None, **wishes: Any
) -> tuple[Peer, Peer, Peer]:
    """An organiser who keeps the state, with such wishes, and two volunteers who have averaged and learned.

    ``learned`` is the share of the first loss on held-out samples that is left; ``limit``, if given, is that loss.
    """
    organiser = group.organiser(manifest=manifest, train=False, **wishes)
    one, other = (group.newcomer(organiser.posted, name) for name in ("one", "other"))
    for peer in (one, other):
        peer.agree()
    kind = "changes" if manifest.collaboration.mode == "local-sgd" else "gradients"
    for peer in (one, other):
        peer.wait_for(RoundFinished, lambda event: event.kind == kind and averaged(event), seconds=PATIENCE_SECONDS)
        first = peer.wait_for(Evaluated)
        assert first.examples and first.loss is not None
        below = learned * first.loss if limit is None else limit
        last = peer.wait_for(
            Evaluated,
            lambda event: event.loss is not None and event.loss < below,  # noqa: B023 - called at once
            seconds=PATIENCE_SECONDS,
        )
        asked = [example.question for example in first.examples]
        assert all(asked) and asked == [example.question for example in last.examples]
    return organiser, one, other


def saved_numbers(organiser: Peer) -> int:
    """How many numbers of the model its last checkpoint has."""
    with safe_open(organiser.wait_for(CheckpointSaved).path, framework="pt") as file:
        names = [name for name in file.keys() if name.startswith("parameter.")]  # noqa: SIM118
        return sum(file.get_tensor(name).numel() for name in names)


def shared_rounds(peers: Sequence[Peer]) -> dict[str, set[str]]:
    """The names of the rounds that all these peers have in their logs, by how many outer steps each has led to.

    A name has the versions of the base weights before and after the round.
    """
    logs = [{path.name for path in peer.home.rglob("*.round")} for peer in peers]
    shared = set.intersection(*({name.split("-")[0] for name in log} for log in logs))
    return {number: {name for log in logs for name in log if name.split("-")[0] == number} for number in shared}


@pytest.mark.faults
def test_a_gpt2_from_scratch(group: PeerGroup, hub: Hub) -> None:
    manifest = toy("tiny-gpt2-from-scratch.toml", hub)
    organiser, one, _ = train_together(group, manifest)
    assert one.wait_for(TrainingStarted).parameters == estimate_requirements(manifest).parameters
    assert one.wait_for(StateLoading, lambda event: event.what == "files").total_bytes == len(TEXT.encode())
    assert saved_numbers(organiser) == estimate_requirements(manifest).parameters


def test_a_gpt2_over_home_lines(group: PeerGroup, hub: Hub, tmp_path: Path) -> None:
    """With the example's own mode, codec, overlap and outer step, and a mirror of which a newcomer makes use."""
    with serving_folder(tmp_path / "www") as server:
        manifest = toy("home-gpt2-small.toml", hub, samples=3000)
        mirrored = msgspec.structs.replace(manifest.collaboration, mirror=server.address)
        manifest = msgspec.structs.replace(manifest, collaboration=mirrored)
        # one round may leave nothing to learn, so the first loss may be that of a model that has learned all
        limit = LEARNED * math.log(VOCABULARY)
        organiser, *volunteers = train_together(group, manifest, limit=limit, mirror=str(server.folder))
        assert saved_numbers(organiser) == estimate_requirements(manifest).parameters
        organiser.wait_for(
            RoundFinished, lambda _: newest_mirrored(server.folder) > MAX_ROUNDS, seconds=PATIENCE_SECONDS
        )
        asked = len(server.asked(".safetensors"))  # by a volunteer that was late itself, on a busy computer
        late = group.volunteer(organiser.posted, "late")
        assert server.asked(".safetensors")[asked:] == [0]
        late.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)
    everybody = organiser, *volunteers
    # one that has missed rounds comes back to the others
    organiser.until(lambda _: bool(shared_rounds(everybody)), since=len(organiser.said) - 1, seconds=PATIENCE_SECONDS)
    for names in shared_rounds(everybody).values():
        assert len(names) == 1


@pytest.mark.faults
def test_a_masked_model_from_scratch(group: PeerGroup, hub: Hub) -> None:
    train_together(group, toy("masked-lm.toml", hub))


@pytest.mark.faults
def test_an_image_model_from_scratch(group: PeerGroup, hub: Hub) -> None:
    manifest = toy_pictures("vit-from-scratch.toml", hub, samples=4000)
    organiser, one, _ = train_together(group, manifest)
    assert one.wait_for(TrainingStarted).parameters == estimate_requirements(manifest).parameters
    assert saved_numbers(organiser) == estimate_requirements(manifest).parameters
    told = one.wait_for(Evaluated).examples[0].text.split(" ▸ ")
    assert set(told) <= set(NAMES)


def test_a_run_that_needs_a_gpu_is_refused_before_anything_is_fetched(group: PeerGroup, hub: Hub) -> None:
    manifest = toy("tiny-gpt2-from-scratch.toml", hub)
    exact = msgspec.structs.replace(
        manifest.collaboration, offload_optimizer=False, delay_optimizer_step=False, delay_grad_averaging=False
    )
    eight = msgspec.structs.replace(manifest, optimizer=AdamW8bit(), collaboration=exact)
    recipe = manifest.recipe
    assert isinstance(recipe, CausalLM)
    few_bits = msgspec.structs.replace(
        recipe,
        lora=Lora(),
        quantization=Quantization(kind="nf4"),
        pretrained=Pretrained(repository="somebody/small", revision="0" * 40),
    )
    for home, refused in (("eight", eight), ("few", msgspec.structs.replace(manifest, recipe=few_bits))):
        organiser = group.starting_organiser(home, refused)
        assert organiser.wait_for(Failed).problem == ErrorKind.DEVICE_UNSUITED.key
    assert hub.requests == []


@pytest.mark.faults
def test_adapters_to_a_pretrained_model(group: PeerGroup, hub: Hub, tmp_path: Path) -> None:
    manifest = toy("lora.toml", hub, samples=3000)
    assert isinstance(manifest.recipe, CausalLM)
    recipe = pretrained(manifest.recipe, hub, tmp_path / "small")
    manifest = msgspec.structs.replace(manifest, recipe=recipe)
    organiser, _, _ = train_together(group, manifest, LEARNED_BY_ADAPTERS)
    needs = estimate_requirements(manifest)
    assert saved_numbers(organiser) == needs.trained_parameters < needs.parameters
