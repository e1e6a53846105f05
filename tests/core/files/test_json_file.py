"""A small file holds one value: read within a bound, replaced whole, put aside when it is damaged."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.json_file import JsonFile


def file_at(path: Path) -> JsonFile[dict[str, int]]:
    """A file of counts, of at most 100 bytes."""
    return JsonFile(path, dict[str, int], max_bytes=100)


def test_what_is_written_is_read_again_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "counts.json"
    assert file_at(path).read() is None and not path.exists()
    file_at(path).write({"epochs": 3})
    assert file_at(path).read() == {"epochs": 3}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff", b"[]", b'{"a": "b"}', b"[" * 90, b'{"a": 1}' + b" " * 100, b'{"a": ' * 100_000],
    ids=["empty", "cut", "no text", "a list", "no number", "nested", "too long", "a tower"],
)
def test_a_damaged_file_is_put_aside_whole_and_counts_as_none(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "counts.json"
    path.write_bytes(damage)
    file = file_at(path)
    assert file.read() is None
    assert file.quarantined == tmp_path / "counts.json.broken-1"
    assert file.quarantined.read_bytes() == damage
    file.write({"a": 1})
    assert file.read() == {"a": 1}


def test_what_would_not_be_read_again_is_refused_and_what_was_there_stays(tmp_path: Path) -> None:
    file = file_at(tmp_path / "counts.json")
    file.write({"epochs": 3})
    with pytest.raises(OSError, match="File too large"):
        file.write({"epochs" * 20: 3})
    assert file.read() == {"epochs": 3} and file.quarantined is None


def test_what_a_killed_process_has_half_written_is_removed_and_another_ones_file_is_not(tmp_path: Path) -> None:
    half, being_written = tmp_path / ".notes.json.killed.tmp", tmp_path / ".notes.json.other.tmp"
    for path in (half, being_written):
        path.write_bytes(b"{")
    an_hour_ago = time.time() - 3600
    os.utime(half, (an_hour_ago, an_hour_ago))
    JsonFile[list[int]](tmp_path / "notes.json", list[int]).write([1])
    assert sorted(path.name for path in tmp_path.iterdir()) == [being_written.name, "notes.json"]


def test_a_folder_in_its_place_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "counts.json").mkdir()
    assert file_at(tmp_path / "counts.json").read() is None
    assert (tmp_path / "counts.json.broken-1").is_dir()


def test_a_disk_that_refuses_is_an_error_or_only_logged(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = file_at(tmp_path / "file" / "counts.json")
    with pytest.raises(OSError, match="Not a directory"):
        file.read()
    with pytest.raises(OSError, match="exists"):
        file.write({})
    assert file.load() is None
    assert not file.save({})


@given(st.binary(max_size=120))
def test_no_content_whatever_is_fatal(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(content)
    file = file_at(path)
    assert file.load() is None or file.quarantined is None
    if file.quarantined:
        file.quarantined.unlink()
