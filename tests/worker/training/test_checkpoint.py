"""What is saved is what comes back; what cannot be used is named and kept, and the old one stays whole."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import torch
from safetensors.torch import load_file, save_file

from core.errors import UserError
from core.files.folders import DataFolder
from core.files.locks import PeerFiles
from core.protocol.codec import decode_event
from core.protocol.events import AnyEvent, CheckpointSaved, Published, Warned
from core.records.published.checkpoint_history import CheckpointHistory, file_hash
from core.records.published.rollback_order import checkpoint_to_go_back_to
from core.run.steering.rollback import Rollback
from core.worker.compute.optimizers import parameters_of
from core.worker.process.channel import UnfinishedWork
from core.worker.training.checkpoint import Checkpoints, load_checkpoint, save_checkpoint
from tests.support.checkout import ROOT
from tests.support.peers.hostile_records import organiser
from tests.support.recorders import Supervised

RUN = "sums"
FILE_NAME = "checkpoint.safetensors"


def trained(width: int = 8, steps: int = 3, seed: int = 0) -> tuple[torch.nn.Linear, torch.optim.AdamW]:
    """A model and its optimizer after some steps, different for every seed."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(width, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(steps):
        model(torch.randn(5, width)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer


def state_of(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """Every tensor that an optimizer steps with, parameters included."""
    parameters = [parameter.detach().clone() for parameter in parameters_of(optimizer)]
    state = optimizer.state_dict()["state"]
    return parameters + [value.clone() for index in sorted(state) for value in state[index].values()]


def are_equal(ones: list[torch.Tensor], others: list[torch.Tensor]) -> bool:
    return len(ones) == len(others) and all(map(torch.equal, ones, others))


def checkpoints(path: Path, optimizer: torch.optim.Optimizer, said: list[AnyEvent]) -> Checkpoints:
    """Of a run whose state averager has this optimizer; a whole one is in tests that are marked real."""
    parameters = parameters_of(optimizer)
    averager = SimpleNamespace(optimizer=optimizer, main_parameters=parameters, lock_averaged_tensors=threading.Lock())
    averager.extra_tensors = ()
    swarm_optimizer: Any = SimpleNamespace(state_averager=averager, local_epoch=0)
    return Checkpoints(path, RUN, swarm_optimizer, said.append, Supervised().supervisor.start)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


@pytest.fixture
def saved(path: Path) -> list[torch.Tensor]:
    """The state of epoch 12, which is on disk."""
    _model, optimizer = trained()
    save_checkpoint(path, RUN, 12, optimizer)
    return state_of(optimizer)


def test_parameters_optimizer_state_and_epoch_come_back(path: Path, saved: list[torch.Tensor]) -> None:
    model, optimizer = trained(seed=1)
    mirrors = [torch.zeros_like(parameter) for parameter in model.parameters()]
    assert not are_equal(state_of(optimizer), saved)
    assert load_checkpoint(path, RUN, optimizer, mirrors) == 12
    assert are_equal(state_of(optimizer), saved)
    assert are_equal(mirrors, saved[:2]), "the model computes with the mirrors of offloaded parameters"


def test_the_number_of_outer_steps_comes_back(path: Path) -> None:
    model, optimizer = trained()
    save_checkpoint(path, RUN, 12, optimizer, [torch.tensor([7.0])])
    outer_steps = torch.zeros(1)
    load_checkpoint(path, RUN, optimizer, list(model.parameters()), [outer_steps])
    assert outer_steps.item() == 7


def test_training_goes_on_as_if_it_had_never_stopped(path: Path) -> None:
    model, optimizer = trained(steps=3)
    save_checkpoint(path, RUN, 1, optimizer)
    other_model, other_optimizer = trained(steps=5, seed=1)
    load_checkpoint(path, RUN, other_optimizer, list(other_model.parameters()))
    for each, its_optimizer in ((model, optimizer), (other_model, other_optimizer)):
        each(torch.ones(5, 8)).square().sum().backward()
        its_optimizer.step()
    assert are_equal(state_of(optimizer), state_of(other_optimizer))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def fill_with_junk(path: Path) -> None:
    path.write_bytes(b"\xff" * 5000)


def rewrite(path: Path, run_id: str = RUN, epoch: str = "12", **tensors: torch.Tensor) -> None:
    metadata = {"run_id": run_id, "epoch": epoch}
    save_file(
        {**load_file(path), **{name.replace("_", "."): value for name, value in tensors.items()}},
        path,
        metadata,
    )


DAMAGES: dict[str, Callable[[Path], None]] = {
    "truncated": truncate,
    "empty": empty,
    "junk": fill_with_junk,
    "another run": lambda path: rewrite(path, run_id="products"),
    "no epoch": lambda path: rewrite(path, epoch="soon"),
    "an impossible epoch": lambda path: rewrite(path, epoch="-1"),
    "numbers that are not finite": lambda path: rewrite(path, parameter_1=torch.full((4,), float("nan"))),
    "a state that is not finite": lambda path: save_file(
        {**load_file(path), "state.0.exp_avg_sq": torch.full((4, 8), float("inf"))},
        path,
        {"run_id": RUN, "epoch": "12"},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_checkpoint_that_cannot_be_used_is_named_and_kept_aside(
    path: Path, saved: list[torch.Tensor], damage: str
) -> None:
    DAMAGES[damage](path)
    damaged, said = path.read_bytes(), list[AnyEvent]()
    _model, optimizer = trained(seed=1)
    before = state_of(optimizer)
    assert checkpoints(path, optimizer, said).load() is None
    assert are_equal(state_of(optimizer), before), "half of it was used"
    assert isinstance(said[0], Warned) and said[0].problem == "checkpoint_damaged"
    assert str(path) in str(said[0].detail) and f"{FILE_NAME}.broken-1" in str(said[0].detail)
    assert not path.exists()
    assert path.with_name(f"{FILE_NAME}.broken-1").read_bytes() == damaged


OTHER_MODELS: dict[str, Callable[[Path], None]] = {
    "another shape": lambda path: rewrite(path, parameter_0=torch.zeros(4, 9)),
    "one tensor more": lambda path: rewrite(path, parameter_2=torch.zeros(1)),
}


@pytest.mark.parametrize("other", OTHER_MODELS)
def test_a_checkpoint_of_another_model_is_refused_in_words_and_stays_as_it_is(
    path: Path, saved: list[torch.Tensor], other: str
) -> None:
    OTHER_MODELS[other](path)
    content, said = path.read_bytes(), list[AnyEvent]()
    _model, optimizer = trained(seed=1)
    before = state_of(optimizer)
    with pytest.raises(UserError, match=r"with another model, optimizer or mode.*another id.*move the checkpoints"):
        checkpoints(path, optimizer, said).load()
    assert are_equal(state_of(optimizer), before) and said == []
    assert names(path) == {FILE_NAME} and path.read_bytes() == content


def test_without_a_checkpoint_nothing_is_said(path: Path) -> None:
    said = list[AnyEvent]()
    assert checkpoints(path, trained()[1], said).load() is None
    assert said == []


def test_an_epoch_is_saved_once(path: Path) -> None:
    said = list[AnyEvent]()
    kept = checkpoints(path, trained()[1], said)
    for epoch in (5, 5, 6):
        kept.save(epoch)
        kept.wait()
    assert said == [CheckpointSaved(path=str(path), epoch=5), CheckpointSaved(path=str(path), epoch=6)]
    assert kept.load() == 6


def test_the_epoch_at_which_a_run_holds_is_saved_once_and_after_what_is_being_saved(path: Path) -> None:
    said = list[AnyEvent]()
    kept = checkpoints(path, trained()[1], said)
    with kept._optimizer.state_averager.lock_averaged_tensors:
        kept.save(5)
        kept.save_held(6)
    kept.wait()
    kept.save_held(6)
    kept.wait()
    assert said == [CheckpointSaved(path=str(path), epoch=5), CheckpointSaved(path=str(path), epoch=6)]
    assert kept.load() == 6


def test_weights_that_have_gone_on_before_they_are_copied_are_saved_as_those_of_their_epoch(path: Path) -> None:
    said = list[AnyEvent]()
    kept = checkpoints(path, trained()[1], said)
    with kept._optimizer.state_averager.lock_averaged_tensors:
        kept.save(5, loss=1.0)
        kept._optimizer.local_epoch = 6
    kept.wait()
    kept.save(6)
    kept.wait()
    assert said == [CheckpointSaved(path=str(path), epoch=6)]
    assert [(each.epoch, each.loss) for each in CheckpointHistory(path).all()] == [(6, None)], (
        "the loss was the fifth's"
    )


def test_averaging_does_not_wait_for_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing, may_end = threading.Event(), threading.Event()

    def write_slowly(*_arguments: object) -> None:
        writing.set()
        assert may_end.wait(60)

    monkeypatch.setattr("core.worker.training.checkpoint.write_atomically", write_slowly)
    kept = checkpoints(path, trained()[1], [])
    unfinished = UnfinishedWork()
    kept._unfinished = unfinished
    kept.save(5)
    assert writing.wait(60)
    assert unfinished.wait(0.0), "the end of the process waits for the disk"
    is_free = kept._optimizer.state_averager.lock_averaged_tensors.acquire(blocking=False)
    may_end.set()
    kept.wait()
    assert is_free and not unfinished.wait(0.0)


def save_epochs(path: Path, losses: Mapping[int, float]) -> None:
    """One after the other, each with the loss that its epoch had."""
    kept = checkpoints(path, trained()[1], [])
    for epoch, loss in losses.items():
        kept.save(epoch, loss)
        kept.wait()


def names(path: Path) -> set[str]:
    """Of all files beside it, and its own."""
    return {each.name for each in path.parent.iterdir()}


def test_the_last_five_are_kept_and_the_best_one(path: Path) -> None:
    save_epochs(path, {1: 3.0, 2: 2.0, **dict.fromkeys(range(3, 10), 2.5)})
    assert names(path) == {FILE_NAME, *(f"checkpoint-{epoch}.safetensors" for epoch in (2, 5, 6, 7, 8))}


def rollback_to(path: Path, epoch: int, number: int = 1) -> Rollback:
    """A rollback to the checkpoint of that epoch as it is now."""
    found = CheckpointHistory(path).of_epoch(epoch)
    assert found is not None
    return Rollback(number=number, epoch=epoch, at=0.0, sha256=file_hash(found.path))


def test_a_run_goes_back_to_an_earlier_checkpoint_once_and_keeps_the_later_ones(path: Path) -> None:
    save_epochs(path, {1: 3.0, 2: 2.0, 1006: 3.5})
    optimizer, forward, back = trained(seed=1)[1], rollback_to(path, 1006, number=2), rollback_to(path, 2)
    assert checkpoints(path, optimizer, []).load(back) == 2
    kept = checkpoints(path, optimizer, [])
    assert kept.load(back) == 2, "nothing has been saved since"
    assert names(path) == {FILE_NAME, "checkpoint-1.safetensors", "checkpoint-1006.safetensors"}
    kept.save_last(3)
    again = checkpoints(path, optimizer, [])
    assert again.load(back) == 3, "a restart does not go back again"
    assert again.load(forward) == 1006


def test_the_checkpoint_to_go_back_to_outlives_the_next_ones(path: Path) -> None:
    save_epochs(path, {epoch: 3.0 - epoch / 10 for epoch in range(1, 6)})
    back = rollback_to(path, 1)
    save_epochs(path, {6: 1.0, 7: 1.0, 8: 1.0})
    assert checkpoints(path, trained()[1], []).load(back) == 1


def test_what_was_given_up_does_not_take_the_place_of_a_damaged_checkpoint(path: Path) -> None:
    save_epochs(path, {1: 3.0, 2: 2.0, 9: 3.5})
    back = rollback_to(path, 2)
    kept = checkpoints(path, trained()[1], [])
    kept.load(back)
    kept.save_last(3)
    path.write_bytes(path.read_bytes()[:100])
    assert checkpoints(path, trained()[1], []).load(back) == 2


def test_another_checkpoint_of_the_epoch_is_not_gone_back_to(path: Path) -> None:
    save_epochs(path, {1: 3.0, 2: 2.0})
    back = msgspec.structs.replace(rollback_to(path, 1), sha256=64 * "0")
    with pytest.raises(UserError, match=r"The checkpoint of epoch 1, to which the run is to go back, is gone"):
        checkpoints(path, trained()[1], []).load(back)


def test_an_epoch_without_a_checkpoint_is_refused_by_those_that_there_are(path: Path) -> None:
    save_epochs(path, {1: 3.0, 2: 2.0})
    with pytest.raises(UserError, match=r"no checkpoint of epoch 7.*2, 1"):
        checkpoint_to_go_back_to(PeerFiles(path.parent), 7)


def test_the_one_before_a_damaged_checkpoint_is_taken(path: Path) -> None:
    save_epochs(path, {1: 3.0, 2: 2.0})
    path.write_bytes(path.read_bytes()[:100])
    said = list[AnyEvent]()
    assert checkpoints(path, trained()[1], said).load() == 1
    assert [each.problem for each in said if isinstance(each, Warned)] == ["checkpoint_damaged"]


_ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from core.protocol.codec import encode
from tests.worker.training.test_checkpoint import checkpoints, trained

path, said = Path(sys.argv[1]), []
kept = checkpoints(path, trained(width=2000)[1], said)
kept.save(1)
kept.wait()
{fill}
kept.save(2)
kept.wait()
for event in said:
    sys.stdout.buffer.write(encode(event))
print(kept.load(), sorted(file.name for file in path.parent.iterdir()))
"""
_FILL_DISK = """
with open(path.with_name("film"), "wb", buffering=0) as film:
    try:
        while film.write(bytes(4096)):
            pass
    except OSError:
        pass
"""
_LIMIT_FILES = "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))"


def on_a_full_disk(path: Path, fill: str, *prefix: str) -> tuple[list[AnyEvent], str]:
    """What is said, and then what the folder holds, where there is space for one checkpoint only."""
    script = [sys.executable, "-c", _ON_A_FULL_DISK.format(fill=fill), str(path)]
    done = subprocess.run([*prefix, *script], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    *events, rest = done.stdout.splitlines()
    return [decode_event(event.encode()) for event in events], rest


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_checkpoint_whole(path: Path) -> None:
    """A disk of one megabyte, mounted where only the script sees it."""
    mount = f"mount -t tmpfs -o size=1m tmpfs {path.parent}"
    private = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*private, mount], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody mount a small disk")
    (first, second), rest = on_a_full_disk(path, _FILL_DISK, *private, f'{mount} && exec "$@"', "sh")
    assert first == CheckpointSaved(path=str(path), epoch=1)
    assert isinstance(second, Warned) and second.problem == "disk_full"
    assert str(path) in str(second.detail)
    assert rest == f"1 {sorted([FILE_NAME, 'film'])}"


def test_a_power_cut_leaves_the_earlier_checkpoints(path: Path, names_on_disk: dict[Path, set[str]]) -> None:
    save_epochs(path, {1: 3.0, 2: 2.0})
    assert names_on_disk[path.parent] >= {FILE_NAME, "checkpoint-1.safetensors"}


@pytest.mark.parametrize("has_hard_links", [True, False])
def test_a_full_disk_leaves_the_earlier_checkpoints_whole(
    small_disk: Path, fill_disk: Callable[[], None], monkeypatch: pytest.MonkeyPatch, has_hard_links: bool
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))  # as FAT does

    if not has_hard_links:
        monkeypatch.setattr(os, "link", refuse)
    path, said = small_disk / FILE_NAME, list[AnyEvent]()
    save_epochs(path, {1: 3.0, 2: 2.0})
    save_epochs(path, {2: 1.5})
    fill_disk()
    before = {each.name: file_hash(each) for each in small_disk.iterdir()}
    assert before.keys() == {"hog", FILE_NAME, "checkpoint-1.safetensors", "checkpoint-2.safetensors"}
    kept = checkpoints(path, trained()[1], said)
    kept.save(3)
    kept.wait()
    assert [each.problem for each in said if isinstance(each, Warned)] == ["disk_full"]
    assert {each.name: file_hash(each) for each in small_disk.iterdir()} == before


@pytest.mark.slow
def test_a_file_that_may_not_grow_leaves_the_old_checkpoint_whole(path: Path) -> None:
    (first, second), rest = on_a_full_disk(path, _LIMIT_FILES)
    assert first == CheckpointSaved(path=str(path), epoch=1)
    assert isinstance(second, Warned)
    assert str(path) in str(second.detail)
    assert rest == f"1 {[FILE_NAME]}"


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_organiser_goes_on_without_a_truncated_checkpoint(tmp_path: Path) -> None:
    path = DataFolder(tmp_path).organiser_of(RUN) / FILE_NAME
    path.parent.mkdir(parents=True)
    save_checkpoint(path, RUN, 12, trained()[1])
    truncate(path)
    with organiser(tmp_path) as worker:
        warned = worker.wait_for(Warned)
        assert warned.problem == "checkpoint_damaged"
        assert str(path) in str(warned.detail)
        worker.wait_for(Published)
