"""Pretrained models from a hub: what is fetched, how it goes on after a cut, and what is refused in words."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from core.errors import ErrorKind, UserError
from core.run.spec.data import HubTokenizer
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_files import fetch_model, fetch_tokenizer
from core.worker.fetch.hub_listing import HubFile
from core.worker.fetch.hub_repository import HubRepository
from tests.support.environment.fake_hub import Hub, Repository, local_hub
from tests.support.recorders import RecordingListener

WEIGHTS = os.urandom(3_000_000)
MODEL = {
    "config.json": b'{"model_type": "gpt2"}',
    "tokenizer.json": b'{"version": "1.0"}',
    "model.safetensors": WEIGHTS,
    "README.md": b"# A model",
    "modeling_evil.py": b"raise SystemExit",
    "pytorch_model.bin": b"\x80\x04.",
    "onnx/model.safetensors": b"another",
}


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path)


def fetched(repository: Repository, store: FileStore, listener: RecordingListener | None = None) -> Path:
    return fetch_model(repository.name, repository.revision, store, listener or RecordingListener())


def test_only_what_is_data_is_fetched(hub: Hub, store: FileStore) -> None:
    folder = fetched(hub.publish("model", "somebody/small", MODEL), store)
    names = {path.name for path in folder.iterdir()} - {"listing.json", "lock"}
    assert names == {"config.json", "tokenizer.json", "model.safetensors"}
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS


def test_the_download_tells_how_far_it_is(hub: Hub, store: FileStore) -> None:
    listener = RecordingListener()
    fetched(hub.publish("model", "somebody/small", MODEL), store, listener)
    total = len(WEIGHTS) + len(MODEL["config.json"]) + len(MODEL["tokenizer.json"])
    assert listener.told[-1] == (total, total)
    assert listener.told == sorted(listener.told)


def test_a_download_that_is_cut_goes_on_where_it_was(hub: Hub, store: FileStore) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    hub.cuts = [1_000_000, 500_000]
    assert (fetched(repository, store) / "model.safetensors").read_bytes() == WEIGHTS
    first, *others = hub.asked("model.safetensors")
    assert "bytes" not in first
    assert len(others) == 2
    assert all(int(request.split("bytes=")[1].rstrip("-")) > 0 for request in others)


def test_a_download_goes_on_in_the_next_worker_too(hub: Hub, store: FileStore) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    hub.cuts = [1_000_000]
    listener = RecordingListener()

    class Leaves(RecordingListener):
        def progress(self, received_bytes: int, total_bytes: int) -> None:
            if received_bytes > 500_000:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetched(repository, store, Leaves())
    fetched(repository, store, listener)
    assert "bytes=" in hub.asked("model.safetensors")[-1]
    assert listener.told[0][0] > 0


def test_the_second_start_asks_nobody(store: FileStore) -> None:
    with local_hub() as hub:
        repository = hub.publish("model", "somebody/small", MODEL)
        first = fetched(repository, store)
    listener = RecordingListener()
    assert fetched(repository, store, listener) == first
    assert listener.told == []


def test_a_file_that_is_not_what_the_revision_says_is_refused_and_deleted(hub: Hub, store: FileStore) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    hub.answers["model.safetensors"] = os.urandom(len(WEIGHTS))
    with pytest.raises(UserError, match="digest") as refused:
        fetched(repository, store)
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    assert list(store.home.rglob("model.safetensors*")) == []


def test_a_small_file_is_verified_too(hub: Hub, store: FileStore) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    hub.answers["config.json"] = b'{"model_type": "evil"}'
    with pytest.raises(UserError, match="digest"):
        fetched(repository, store)


def test_weights_that_are_only_pickles_are_refused(hub: Hub, store: FileStore) -> None:
    files = {"config.json": b"{}", "pytorch_model.bin": b"\x80\x04.", "tokenizer.json": b"{}"}
    with pytest.raises(UserError, match=r"only there as pytorch_model\.bin") as refused:
        fetched(hub.publish("model", "somebody/pickled", files), store)
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    assert hub.asked("pytorch_model.bin") == []


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_settings_that_ask_for_code_are_refused_before_the_weights_are_fetched(
    hub: Hub, store: FileStore, name: str
) -> None:
    asks = json.dumps({"auto_map": {"AutoModel": "modeling_evil.Evil"}}).encode()
    with pytest.raises(UserError, match=f"{name} asks for code of its own"):
        fetched(hub.publish("model", "somebody/evil", {**MODEL, name: asks}), store)
    assert hub.asked("model.safetensors") == []


@pytest.mark.parametrize(
    "named", ["../../files/0123", "/etc/hostname", "absent.safetensors", "pytorch_model.bin", "onnx/model.safetensors"]
)
def test_an_index_that_names_anything_but_its_weights_is_refused_before_they_are_fetched(
    hub: Hub, store: FileStore, named: str
) -> None:
    index = json.dumps({"weight_map": {"a": "model.safetensors", "b": named}}).encode()
    files = {**MODEL, "model.safetensors.index.json": index}
    with pytest.raises(UserError, match=f"names “{re.escape(named)}”, which is none of its weights"):
        fetched(hub.publish("model", "somebody/strayed", files), store)
    assert hub.asked("model.safetensors") == []


def test_an_index_of_its_own_weights_is_fetched(hub: Hub, store: FileStore) -> None:
    index = json.dumps({"metadata": {"total_size": 1}, "weight_map": {"a": "model.safetensors"}}).encode()
    folder = fetched(hub.publish("model", "somebody/whole", {**MODEL, "model.safetensors.index.json": index}), store)
    assert (folder / "model.safetensors.index.json").read_bytes() == index


def test_a_small_file_that_was_changed_on_the_disk_is_fetched_anew(hub: Hub, store: FileStore) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    folder = fetched(repository, store)
    (folder / "config.json").write_bytes(b'{"model_type": "evil"}'[: len(MODEL["config.json"])])
    assert (fetched(repository, store) / "config.json").read_bytes() == MODEL["config.json"]
    assert len(hub.asked("config.json")) == 2


def test_the_stronger_of_two_hashes_is_the_one_that_counts(hub: Hub, store: FileStore) -> None:
    """The hub tells SHA-256 of what it keeps as a large file, and of the rest git's SHA-1 of length and content."""
    repository = hub.publish("model", "somebody/small", MODEL)
    fetched(repository, store)
    wanted = HubRepository("model", repository.name, repository.revision, store)
    listed = msgspec.json.decode((wanted.folder / "listing.json").read_bytes(), type=list[HubFile])
    algorithms = {file.name: wanted.remote(file).algorithm for file in listed}
    assert (algorithms["model.safetensors"], algorithms["config.json"]) == ("sha256", "git")


def test_a_repository_that_is_not_there_is_no_reason_to_wait(hub: Hub, store: FileStore) -> None:
    with pytest.raises(UserError, match=r"nobody/nothing: the hub answers 40[14]"):
        fetch_model("nobody/nothing", "0" * 40, store, RecordingListener())


@pytest.mark.slow
def test_a_hub_in_trouble_is_asked_again_and_a_person_is_told(hub: Hub, store: FileStore) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    hub.errors = [503, 503]
    listener = RecordingListener()
    fetched(repository, store, listener)
    assert [problem for problem, _ in listener.warned] == [ErrorKind.FILES_UNREACHABLE]


def test_whoever_leaves_waits_for_no_download(store: FileStore) -> None:
    listener = RecordingListener()
    listener.is_leaving = True
    with pytest.raises(KeyboardInterrupt):
        fetch_model("somebody/small", "0" * 40, store, listener)


def test_a_tokenizer_needs_none_of_the_weights(hub: Hub, store: FileStore) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    wanted = HubTokenizer(repository=repository.name, revision=repository.revision)
    assert (fetch_tokenizer(wanted, store, RecordingListener()) / "tokenizer.json").exists()
    assert hub.asked("model.safetensors") == []


def test_a_download_that_does_not_fit_is_not_begun(hub: Hub, tmp_path: Path) -> None:
    repository = hub.publish("model", "somebody/small", MODEL)
    with pytest.raises(UserError, match="of your limit are left") as refused:
        fetched(repository, FileStore(tmp_path, limit_bytes=101_000_000))
    assert refused.value.problem is ErrorKind.NO_ROOM
    assert hub.asked("model.safetensors") == []


@pytest.mark.parametrize(("size", "problem"), [(8_000_000, "disk_full"), (20_000_000, "no_room")])
def test_a_disk_with_too_little_room_is_said_before_and_one_that_can_never_have_it(
    hub: Hub, small_disk: Path, size: int, problem: str
) -> None:
    repository = hub.publish("model", "somebody/small", {**MODEL, "model.safetensors": bytes(size)})
    (small_disk / "others").write_bytes(bytes(9_000_000))
    with pytest.raises(UserError, match="are free in") as refused:
        fetched(repository, FileStore(small_disk))
    assert refused.value.problem.key == problem


def test_room_is_asked_for_what_is_still_to_come(hub: Hub, small_disk: Path) -> None:
    repository = hub.publish("model", "somebody/small", {**MODEL, "model.safetensors": bytes(6_000_000)})
    (small_disk / "others").write_bytes(bytes(8_000_000))
    whole = fetched(repository, FileStore(small_disk)) / "model.safetensors"
    whole.with_name(f"{whole.name}.part").write_bytes(whole.read_bytes()[:5_000_000])
    whole.unlink()
    fetched(repository, FileStore(small_disk))
    assert whole.read_bytes() == bytes(6_000_000)


def test_a_disk_that_fills_meanwhile_is_survived(hub: Hub, small_disk: Path, fill_disk: Callable[[], None]) -> None:
    repository = hub.publish("model", "somebody/small", {**MODEL, "model.safetensors": bytes(6_000_000)})
    store = FileStore(small_disk)
    hub.before_file["model.safetensors"] = fill_disk
    with pytest.raises(UserError) as refused:
        fetched(repository, store)
    assert refused.value.problem is ErrorKind.DISK_FULL
    (small_disk / "hog").unlink()
    hub.before_file.clear()
    assert (fetched(repository, store) / "model.safetensors").stat().st_size == 6_000_000
