"""Whoever agrees to a run has read every host and repository that it fetches from, however many there are."""

from __future__ import annotations

from io import StringIO

import msgspec
import pytest
from rich.console import Console

from core.cli.output.run_review import show_offer
from core.hardware.device import Device
from core.protocol.events import RunFound
from core.run.manifest import RunManifest, SteeringSpec
from core.run.run_file import load_run_file
from core.run.spec.data import MAX_FILES, FileAt, HubDataset, HubTokenizer, TextFiles
from core.run.spec.language_models import GPT2
from core.run.spec.recipe import CausalLM, Pretrained
from core.run.steering.data_change import DataChange
from core.texts.run_sources import data_change_words, exchangeable_in, sources_of
from tests.support.checkout import ROOT

REVISION = "0" * 40
CPU = Device(kind="cpu", name="CPU")
HOSTS = [f"host-{number}.example.org" for number in range(MAX_FILES)]
MODEL = CausalLM(
    config=GPT2(vocab_size=300, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=64),
    sequence_length=32,
    pretrained=Pretrained(repository="ada/model", revision=REVISION),
)
TOKENIZER = HubTokenizer(repository="ada/words", revision=REVISION)


def manifest_with_all_sources() -> RunManifest:
    """A run with a host of its own for each of the most files, a tokenizer, a model to begin with, and a mirror."""
    plain = load_run_file(ROOT / "resources" / "run.toml")
    files = tuple(FileAt(url=f"https://{host}/1.txt", sha256="0" * 64, size_bytes=1000) for host in HOSTS)
    return msgspec.structs.replace(
        plain,
        recipe=MODEL,
        data=TextFiles(files=files, format="text", tokenizer=TOKENIZER),
        collaboration=msgspec.structs.replace(
            plain.collaboration, mode="local-sgd", mirror="https://mirror.example.net/run/"
        ),
    )


def missing_sources(text: str) -> list[str]:
    """Those of the sources of that run that the text does not name."""
    told = "".join(text.replace("\u200b", "").split())
    return [each for each in (*HOSTS, "ada/words", "ada/model", "mirror.example.net", "127.0.0.1") if each not in told]


def test_the_terminal_names_them_all() -> None:
    console = Console(file=StringIO(), width=100)
    run = RunFound(manifest=manifest_with_all_sources(), organiser="", vouched=False)
    show_offer(console, run, CPU, [CPU], None)
    assert not missing_sources(console.file.getvalue())  # type: ignore[attr-defined]


def test_a_stream_from_the_hub_names_the_hub_and_its_repositories(monkeypatch: pytest.MonkeyPatch) -> None:
    data = HubDataset(repository="ada/numbers", revision=REVISION, tokenizer=TOKENIZER)
    manifest = msgspec.structs.replace(manifest_with_all_sources(), data=data)
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    told = dict(sources_of(manifest))
    assert told == {
        "Learns from": "the data set ada/numbers of the hub, as a stream",
        "Begins with": "ada/model of the hub",
        "Tokenizer": "ada/words of the hub",
        "Hub": "huggingface.co",
        "Base weights from": "mirror.example.net",
    }


def test_what_may_be_exchanged_for_the_data_without_asking_again_is_read_before() -> None:
    manifest = manifest_with_all_sources()
    assert not exchangeable_in(manifest), "nothing by default"
    allowed = msgspec.structs.replace(manifest, steering=SteeringSpec(max_change=2.0, data=True))
    told = exchangeable_in(allowed)
    assert "may be exchanged for others of at most 128.0 KB from host-0.example.org, host-1" in told
    assert not missing_sources(told + "ada/words ada/model mirror.example.net 127.0.0.1")
    console = Console(file=StringIO(), width=100)
    show_offer(console, RunFound(manifest=allowed, organiser="", vouched=False), CPU, [CPU], None)
    shown = "".join(console.file.getvalue().split())  # type: ignore[attr-defined]
    assert "filesthatitlearnsfrommaybeexchanged" in shown
    streamed = HubDataset(repository="ada/numbers", revision=REVISION, tokenizer=TOKENIZER)
    assert "data set ada/numbers" in exchangeable_in(msgspec.structs.replace(allowed, data=streamed))
    sums = load_run_file(ROOT / "resources" / "run.toml")
    assert not exchangeable_in(msgspec.structs.replace(sums, steering=SteeringSpec(data=True)))


def test_other_data_are_named_with_their_epoch() -> None:
    change = DataChange(data=HubDataset(repository="ada/numbers", revision=REVISION), base=64 * "0", from_epoch=7)
    words = "From epoch 7 on: the data set ada/numbers of the hub, as a stream, split train, commit 0000000"
    assert data_change_words(change) == words


def test_a_run_that_fetches_nothing_names_nobody() -> None:
    assert sources_of(load_run_file(ROOT / "resources" / "run.toml")) == []
