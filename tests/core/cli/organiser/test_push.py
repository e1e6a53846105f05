"""A model is pushed to a hub by a worker of its own; whatever the hub does, training goes on, and no token is told."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.cli.commands.organiser.hub_token import hub_token_file
from core.cli.commands.organiser.pusher import ModelPusher
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext, EventLoop
from core.errors import UserError
from core.files.folders import Folders
from core.protocol.codec import decode_event
from core.protocol.commands import Push
from core.protocol.events import AnyEvent, CheckpointSaved, Failed, Pushed, TrainingStarted, Warned
from core.records.published.mirror import add_mirror, is_mirrored_in
from core.run.run_file import load_run_file
from tests.core.cli.organiser.receiving_hub import COMMIT, ReceivingHub, receiving_hub
from tests.support.cli_process import LINK, reciting, workerbee
from tests.support.real_peers import LineProcess, tiny

TOKEN = "hf_secretsecretsecret"
FILES = {
    "README.md": b"---\ntags:\n- workerbee\n---\n# A model\n",
    "config.json": b"{}",
    "model.safetensors": b"w" * 5000,
}


@pytest.fixture
def receiver() -> Iterator[ReceivingHub]:
    """A hub that takes uploads."""
    with receiving_hub() as hub:
        yield hub


def pushed(folder: Path, hub: ReceivingHub, token: str = TOKEN) -> LineProcess[AnyEvent]:
    """What a real worker, confined as it is in earnest, has made of the command, once it has ended."""
    model, secret = folder / "model", folder / "hub_token"
    model.mkdir()
    for name, data in FILES.items():
        (model / name).write_bytes(data)
    secret.write_text(token)
    command = [sys.executable, "-P", "-m", "core.worker"]
    worker = LineProcess(command, folder / "worker.log", decode_event, HF_ENDPOINT=hub.url)
    words = Push(folder=str(model), repository="somebody/adder", message="Epoch 7", token_file=str(secret))
    worker.stdin.write(msgspec.json.encode(words) + b"\n")
    worker.stdin.flush()
    try:
        worker.until(lambda said: isinstance(said, Pushed | Failed))
        worker.ended()
    finally:
        worker.kill()
    assert TOKEN not in (folder / "worker.log").read_text() and TOKEN.encode() not in b"".join(worker.raw)
    return worker


def test_all_files_are_one_commit_in_a_private_repository(tmp_path: Path, receiver: ReceivingHub) -> None:
    told = pushed(tmp_path, receiver).wait_for(Pushed)
    assert told == Pushed(repository="somebody/adder", url=f"{receiver.url}/somebody/adder/commit/{COMMIT}")
    assert receiver.committed == [FILES] and receiver.messages == ["Epoch 7"]
    assert receiver.made_private == ["somebody/adder"]
    assert receiver.tokens == {f"Bearer {TOKEN}"}
    assert receiver.stored and not any("Authorization" in headers for headers in receiver.stored)


@pytest.mark.parametrize(
    ("path", "status", "why"),
    [
        ("/repos/create", 401, "it does not know the token"),
        ("/objects/batch", 413, "the model is too large for it"),
        ("/commit/", 429, "it answers 429"),
        ("/commit/", 503, "it answers 503"),
        ("/commit/", 507, "it has no room left"),
    ],
)
def test_a_hub_that_refuses_is_told_in_words_and_nothing_is_committed(
    tmp_path: Path, receiver: ReceivingHub, path: str, status: int, why: str
) -> None:
    receiver.refused[path] = status
    failed = pushed(tmp_path, receiver).wait_for(Failed)
    assert (failed.problem, str(failed.detail)) == ("push_failed", f"{receiver.url}/somebody/adder: {why}.")
    assert receiver.committed == []


@pytest.mark.parametrize("path", ["/repos/create", "/objects/batch", "/verify", "/commit/"])
def test_the_token_is_not_sent_on_to_another_host(tmp_path: Path, receiver: ReceivingHub, path: str) -> None:
    receiver.redirected = path
    failed = pushed(tmp_path, receiver).wait_for(Failed)
    assert str(failed.detail) == f"{receiver.url}/somebody/adder: it does not know the token."
    assert receiver.stored and not any("Authorization" in headers for headers in receiver.stored)
    assert receiver.committed == []


@pytest.mark.slow
def test_a_push_that_is_cut_in_the_middle_leaves_the_repository_as_it_was(
    tmp_path: Path, receiver: ReceivingHub
) -> None:
    receiver.is_cut = True
    failed = pushed(tmp_path, receiver).wait_for(Failed)
    assert failed.problem == "push_failed" and "the connection failed" in str(failed.detail)
    assert receiver.committed == []


def test_a_token_that_is_none_is_never_sent(tmp_path: Path, receiver: ReceivingHub) -> None:
    failed = pushed(tmp_path, receiver, token="\n").wait_for(Failed)
    assert str(failed.detail) == f"{tmp_path / 'hub_token'} holds no token." and receiver.tokens == set()


def published(folder: Path) -> str:
    """The id of a run that was published in that folder's home."""
    assert workerbee(folder, "run", "new").code == 0
    run = load_run_file(folder / "run.toml")
    place = folder / "home" / "data" / "organiser" / run.run.id
    place.mkdir(parents=True)
    (place / "published.json").write_bytes(msgspec.json.encode(run))
    return run.run.id


class Pushing:
    """A pusher whose workers play the parts of exporter and uploader; ``told`` is what it says."""

    def __init__(self, folder: Path, push: list[dict[str, Any]]) -> None:
        play = {"export": [[{"event": "exported", "epoch": 7}, {"exit": 0}]], "push": [push]}
        self.folders, self.loop = Folders.below(folder / "home"), EventLoop()
        self.folders.prepare()
        stop = Stop(wake=lambda: None)
        context = CommandContext(self.folders, self.loop, stop, reciting(folder, play))
        self.told: list[Pushed | Warned] = []
        self.pusher = ModelPusher(published(folder), "somebody/adder", 2, context, self.told.append)

    def after(self, *events: AnyEvent) -> list[Pushed | Warned]:
        """What has been told when something has come of these events."""
        for event in events:
            self.pusher.handle_event(event)
        self.loop.run_until(lambda: bool(self.told), lambda: None)
        self.pusher.close()
        return self.told


def checkpoint(epoch: int) -> CheckpointSaved:
    """A checkpoint of that epoch."""
    return CheckpointSaved(path="checkpoint.safetensors", epoch=epoch)


BEGIN = TrainingStarted(device="cpu", epoch=5, parameters=1)


def test_a_published_run_is_pushed_when_so_many_epochs_have_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    done = Pushed(repository="somebody/adder", url="https://hub.example/commit/1")
    pushing = Pushing(tmp_path, [msgspec.to_builtins(done), {"exit": 0}])
    pushing.pusher.handle_event(BEGIN)
    pushing.pusher.handle_event(checkpoint(6))
    assert not list(pushing.folders.cache.iterdir()), "one epoch is too early"
    assert pushing.after(checkpoint(7), checkpoint(8)) == [done]
    assert not list(pushing.folders.cache.iterdir()), "neither the export nor the token is left"
    logs = b"".join(path.read_bytes() for path in pushing.folders.logs.rglob("*") if path.is_file())
    assert TOKEN.encode() not in logs


def test_the_newest_state_of_a_mirror_goes_along_and_nothing_where_there_is_none(tmp_path: Path) -> None:
    mirror, folder = tmp_path / "mirror", tmp_path / "model"
    for path in (mirror, folder):
        path.mkdir()
    add_mirror(mirror, folder)
    (mirror / "index.json").write_text('{"file": "2-00.safetensors"}')
    add_mirror(mirror, folder)
    assert not list(folder.iterdir()), "another state is just taking its place"
    for name in ("1-00.safetensors", "2-00.safetensors"):
        (mirror / name).write_text(name)
    add_mirror(mirror, folder)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "index.json": '{"file": "2-00.safetensors"}',
        "2-00.safetensors": "2-00.safetensors",
    }


@pytest.mark.parametrize(
    ("address", "repository"),
    [
        ("https://huggingface.co/somebody/adder/resolve/main/", "somebody/adder"),
        ("https://huggingface.co/somebody/adder/resolve/main", "somebody/adder"),
        ("https://huggingface.co/somebody/adder/resolve/main/sub/", None),
        ("https://huggingface.co/somebody/adder2/resolve/main/", "somebody/adder2"),
        ("https://example.org/somebody/adder/resolve/main/", None),
        ("", None),
    ],
)
def test_a_mirror_is_uploaded_only_where_newcomers_look_for_it(
    address: str, repository: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    run = tiny(mode="local-sgd", mirror=address)
    found = [each for each in ("somebody/adder", "somebody/adder2") if is_mirrored_in(run, each)]
    assert found == ([repository] if repository else [])


def test_a_push_that_fails_is_told_and_the_next_one_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    failed = Failed(problem="push_failed", detail="The hub: full.")
    pushing = Pushing(tmp_path, [msgspec.to_builtins(failed), {"exit": 1}])
    told = Warned(problem="push_failed", detail="The hub: full.")
    assert pushing.after(BEGIN, checkpoint(7)) == [told]
    pushing.told.clear()
    assert pushing.after(checkpoint(9)) == [told]


def test_a_disk_that_refuses_is_told_and_publishing_goes_on(tmp_path: Path) -> None:
    pushing = Pushing(tmp_path, [])
    pushing.folders.cache.rmdir()
    (told,) = pushing.after(BEGIN, checkpoint(7))
    assert isinstance(told, Warned) and told.problem == "folder_not_writable"


def test_training_goes_on_without_a_token(tmp_path: Path) -> None:
    published(tmp_path)
    trained = [
        {"event": "published", "addresses": [], "link": LINK, "revision": 1},
        msgspec.to_builtins(BEGIN),
        msgspec.to_builtins(checkpoint(7)),
        {"event": "evaluated", "epoch": 7, "loss": 1.0, "accuracy": 0.5},
    ]
    options = ["--push", "hub://somebody/adder", "--push-every", "2", "--for", "1s"]
    done = workerbee(tmp_path, "publish", "run.toml", *options, worker=reciting(tmp_path, {"publish": [trained]}))
    assert done.code == 0, done
    said = done.out + done.err
    assert "The model was not pushed to the hub. There is no token in" in said and "Epoch 7: accuracy" in said, said


def test_an_export_is_pushed_and_its_folder_stays_only_if_it_was_asked_for(tmp_path: Path) -> None:
    run_id = published(tmp_path)
    (tmp_path / "home" / "data" / "organiser" / run_id / "checkpoint.safetensors").touch()
    done = Pushed(repository="somebody/adder", url="https://hub.example/commit/1")
    play = {
        "export": [[{"event": "exported", "epoch": 7}, {"exit": 0}]],
        "push": [[msgspec.to_builtins(done), {"exit": 0}]],
    }
    words = ("export", run_id, "--push", "hub://somebody/adder")
    pushed_only = workerbee(tmp_path, *words, worker=reciting(tmp_path, play), HF_TOKEN=TOKEN)
    assert pushed_only.code == 0 and "Pushed to the hub: https://hub.example/commit/1" in pushed_only.out, pushed_only
    assert "The model of epoch" not in pushed_only.out
    both = workerbee(tmp_path, *words, "--to", "model", worker=reciting(tmp_path, play), HF_TOKEN=TOKEN)
    assert both.code == 0 and (tmp_path / "model").is_dir(), both
    without = workerbee(tmp_path, *words, worker=reciting(tmp_path, play))
    assert without.code == 7 and "There is no token in" in without.err, without
    assert "exported" not in without.out, "a large model would have been written for nothing"
    nowhere = workerbee(tmp_path, "export", run_id)
    assert nowhere.code == 2 and "--to DIR, --push hub://OWNER/NAME, or both" in nowhere.err


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path)
    folders.prepare()
    folders.hub_token_file.write_text(TOKEN)
    folders.hub_token_file.chmod(0o644)
    with pytest.raises(UserError, match="can be read by others"), hub_token_file(folders):
        pass
    folders.hub_token_file.chmod(0o600)
    with hub_token_file(folders) as found:
        assert found == folders.hub_token_file


def test_a_repository_is_named_by_its_owner_too(tmp_path: Path) -> None:
    done = workerbee(tmp_path, "export", "nobody", "--push", "hub://adder")
    assert done.code == 2 and "write it as hub://owner/name" in done.err
