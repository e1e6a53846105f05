"""The mirror's folder: a state, the one before it, and an index that always names a whole one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file

from core.errors import ErrorKind
from core.protocol.commands import MIRROR_ROUNDS
from core.protocol.events import AnyEvent, Warned
from core.records.published.mirror import INDEX_NAME
from core.worker.mirror.index import MirrorIndex, decode_index
from core.worker.mirror.writer import MirrorWriter
from tests.worker.mirror.mirrored_run import MirroredRun, start_thread


class Organiser:
    """A peer that keeps a mirror."""

    def __init__(self, folder: Path, run_id: str = "sums", every: int = MIRROR_ROUNDS) -> None:
        self.folder, self.run = folder, MirroredRun()
        self.told: list[AnyEvent] = []
        self.writer = MirrorWriter(folder, run_id, self.run.as_optimizer, every, self.told.append, start_thread)

    def train(self, rounds: int = MIRROR_ROUNDS) -> None:
        """Go on by so many rounds, and see to the mirror at the end."""
        self.run.take_rounds(rounds)
        self.writer.refresh(int(self.run.steps))
        self.writer.wait()

    @property
    def index(self) -> MirrorIndex:
        """Of the folder."""
        return decode_index((self.folder / INDEX_NAME).read_bytes())

    @property
    def names(self) -> set[str]:
        """Of everything in the folder."""
        return {path.name for path in self.folder.iterdir()}


def test_the_index_tells_what_the_file_is(tmp_path: Path) -> None:
    organiser = Organiser(tmp_path / "www" / "run")
    organiser.train()
    index = organiser.index
    encoded = (organiser.folder / index.file).read_bytes()
    assert (index.run_id, index.epoch, index.version) == ("sums", 2, organiser.run.outer.version())
    assert index.file == f"2-{index.root}.safetensors"
    assert (index.size_bytes, index.sha256) == (len(encoded), hashlib.sha256(encoded).hexdigest())
    assert organiser.told == []


def test_the_file_is_one_of_safetensors_with_the_very_bits(tmp_path: Path) -> None:
    organiser = Organiser(tmp_path)
    organiser.train()
    tensors = load_file(tmp_path / organiser.index.file)
    names = [*(f"weights.{each}" for each in range(3)), "outer_steps", *(f"momentum.{each}" for each in range(3))]
    assert all(map(torch.equal, [tensors[name] for name in names], organiser.run.state()))
    assert len(tensors) == len(names)


def test_anybody_may_read_what_a_web_server_shall_send(tmp_path: Path) -> None:
    organiser = Organiser(tmp_path)
    organiser.train()
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o644}


@pytest.mark.parametrize(("every", "written"), [(1, [1, 2, 3, 4]), (2, [0, 2, 2, 4]), (3, [0, 0, 3, 3])])
def test_it_is_written_as_often_as_the_organiser_says(tmp_path: Path, every: int, written: list[int]) -> None:
    organiser, steps = Organiser(tmp_path / "www", every=every), list[int]()
    for _ in written:
        organiser.train(1)
        steps.append(organiser.index.outer_steps if organiser.folder.exists() else 0)
    assert steps == written


def test_the_state_before_stays_until_the_next_and_older_ones_go(tmp_path: Path) -> None:
    organiser = Organiser(tmp_path)
    organiser.train()
    first = organiser.index.file
    organiser.train()
    second = organiser.index.file
    assert organiser.names == {INDEX_NAME, first, second}
    organiser.train()
    assert organiser.names == {INDEX_NAME, second, organiser.index.file}


def test_what_an_interrupted_write_has_left_goes_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / f".4-{'a' * 32}.safetensors.x1y2.tmp").write_bytes(b"half")
    (tmp_path / "model.safetensors").write_bytes(b"the organiser's own")
    organiser = Organiser(tmp_path)
    organiser.train()
    assert organiser.names == {INDEX_NAME, organiser.index.file, "model.safetensors"}


def test_a_restarted_peer_goes_on_with_the_folder(tmp_path: Path) -> None:
    Organiser(tmp_path).train(6)
    organiser = Organiser(tmp_path)
    before = organiser.index.file
    organiser.train(2)  # fewer steps than there
    assert organiser.index.outer_steps == 2
    assert organiser.names == {INDEX_NAME, before, organiser.index.file}


def test_a_damaged_index_is_replaced(tmp_path: Path) -> None:
    (tmp_path / INDEX_NAME).write_bytes(b"{")
    organiser = Organiser(tmp_path)
    organiser.train()
    assert organiser.index.outer_steps == 2


def test_a_full_disk_is_said_once_and_the_mirror_stays_whole(small_disk: Path, fill_disk: Callable[[], None]) -> None:
    organiser = Organiser(small_disk / "www")
    organiser.train()
    before = organiser.index
    organiser.run.weights[0].data = torch.randn(2**20)  # larger than what is left
    fill_disk()
    organiser.run.outer.state[organiser.run.weights[0]]["momentum_buffer"] = torch.zeros(2**20)
    organiser.train()
    organiser.train()
    (warning,) = organiser.told
    assert isinstance(warning, Warned)
    assert warning.problem == ErrorKind.DISK_FULL.key
    assert organiser.index == before
    assert organiser.names == {INDEX_NAME, before.file}
    (small_disk / "hog").unlink()
    organiser.run.weights[0].data = torch.randn(20, 30)
    organiser.run.outer.state[organiser.run.weights[0]]["momentum_buffer"] = torch.zeros(20, 30)
    organiser.train()
    assert organiser.index.outer_steps == 8


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    organiser = Organiser(tmp_path / "file" / "www")
    organiser.train()
    (warning,) = organiser.told
    assert isinstance(warning, Warned)
    assert warning.problem == ErrorKind.FOLDER_NOT_WRITABLE.key
    assert str(organiser.folder) in str(warning.detail)


def test_the_mirror_of_another_run_is_left_alone(tmp_path: Path) -> None:
    other = Organiser(tmp_path, "images")
    other.train()
    before = other.names
    organiser = Organiser(tmp_path)
    organiser.train()
    (warning,) = organiser.told
    assert isinstance(warning, Warned)
    assert "the run “images”" in str(warning.detail)
    assert other.names == before


@pytest.mark.parametrize(
    "name",
    ["../x.safetensors", "https://example.org/1.safetensors", "/etc/passwd", "1-x.safetensors", "", "a/b", "..%2f"],
)
def test_no_index_leads_out_of_its_folder(tmp_path: Path, name: str) -> None:
    organiser = Organiser(tmp_path)
    organiser.train()
    lying = msgspec.json.decode((tmp_path / INDEX_NAME).read_bytes()) | {"file": name}
    with pytest.raises(ValueError, match="index cannot be read"):
        decode_index(msgspec.json.encode(lying))
