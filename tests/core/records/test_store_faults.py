"""A history whose file is damaged, locked, full or not allowed: told in words; the caller never notices."""

from __future__ import annotations

import math
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.errors import ErrorKind
from core.records.contribution_totals import ContributionDelta
from core.records.database import Database
from core.records.time_series import History
from tests.support.checkout import ROOT

NOW = 1_800_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite"


def values(history: History) -> list[float]:
    """What its graph shows."""
    return [low for low in history.curve("run", "loss", 60.0, NOW).lows if not math.isnan(low)]


def noted(path: Path, value: float = 1.0) -> None:
    """A file with one value and one deed in it."""
    history, _ = History.open(path)
    history.record("run", "loss", NOW, value)
    history.store.contributions.add("run", ContributionDelta("A run", samples=64))
    assert history.flush()
    history.close()


@contextmanager
def held(path: Path, how: str) -> Iterator[sqlite3.Connection]:
    """Somebody else has the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        if how == "exclusive":
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield other


def spoil(path: Path) -> None:
    """Every byte of it, in its place."""
    with path.open("r+b") as file:
        file.write(b"\xa5" * path.stat().st_size)


DAMAGES = {
    "no database": lambda content: b"Dear diary, " * 1000,
    "truncated": lambda content: content[: len(content) // 2],
    "truncated in its first page": lambda content: content[:700],
    "a damaged middle": lambda content: content[:4096] + b"\xa5" * (len(content) - 4096),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_put_aside_and_a_new_one_begun(path: Path, damage: object) -> None:
    assert callable(damage)
    noted(path)
    path.write_bytes(damage(path.read_bytes()))
    broken = path.read_bytes()
    history, aside = History.open(path)
    history.record("run", "loss", NOW, 2.0)
    assert history.flush()
    aside = aside or history.store.aside
    assert aside == path.with_name("history.sqlite.broken-1")
    assert aside.read_bytes()[:4096] == broken[:4096]
    history.close()
    history, aside = History.open(path)
    assert (values(history), aside, history.is_kept) == ([2.0], None, True)
    history.close()


def test_a_folder_in_its_place_is_put_aside(path: Path) -> None:
    path.mkdir()
    (path / "something").touch()
    history, aside = History.open(path)
    assert aside is not None
    assert (aside / "something").exists()
    history.record("run", "loss", NOW, 2.0)
    assert history.flush()
    history.close()


def test_an_empty_file_is_a_new_one(path: Path) -> None:
    path.touch()
    history, aside = History.open(path)
    assert (aside, history.is_kept) == (None, True)
    history.close()


def test_damage_while_it_is_open_is_put_aside_and_what_is_known_is_carried_over(path: Path) -> None:
    noted(path)
    history, aside = History.open(path)
    assert aside is None
    assert values(history) == [1.0]
    spoil(path)
    history.record("run", "loss", NOW, 2.0)
    history.store.contributions.add("run", ContributionDelta("A run", samples=36))
    assert history.flush()
    assert history.store.aside == path.with_name("history.sqlite.broken-1")
    history.close()
    history, aside = History.open(path)
    assert aside is None
    assert history.store.contributions.all() == {"run": ContributionDelta("A run", samples=100)}
    curve = history.curve("run", "loss", 0.0, NOW)
    assert (list(curve.lows), list(curve.highs)) == ([1.0], [2.0])
    history.close()


def test_a_disk_that_damages_every_file_is_not_filled_with_them(path: Path) -> None:
    def find_damage(_: sqlite3.Connection) -> None:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    database = Database(path, "CREATE TABLE things (name TEXT)", 1, lambda _: None)
    assert [database.write(find_damage) for _ in range(20)] == [False] * 20
    assert len(list(path.parent.glob("*.broken-?"))) == 3
    assert database.trouble is not None
    database.close()


@pytest.mark.parametrize("how", ["write lock", "exclusive"])
def test_a_file_that_another_process_holds_leaves_a_history_in_memory_until_it_lets_go(path: Path, how: str) -> None:
    noted(path, 1.0)
    with held(path, how):
        history, aside = History.open(path)
        assert (aside, history.is_kept) == (None, False)
        assert history.trouble is not None
        assert history.trouble.problem is ErrorKind.HISTORY_NOT_KEPT
        assert "another program" in str(history.trouble.detail)
        history.record("run", "loss", NOW + 1, 2.0)
        history.store.contributions.add("run", ContributionDelta(samples=36))
        assert not history.flush()
        assert max(values(history), default=0.0) in (0.0, 1.0)
        assert [low for low in history.curve("run", "loss", 60.0, NOW + 1).lows if low == 2.0] == [2.0]
    assert history.flush()
    assert history.is_kept
    assert list(history.curve("run", "loss", 1.0, NOW + 1).lows) == [1.0, 2.0]
    assert history.store.contributions.all() == {"run": ContributionDelta("A run", samples=100)}
    history.close()


def test_a_file_that_is_held_at_the_end_does_not_keep_the_program(path: Path) -> None:
    noted(path)
    history, _ = History.open(path)
    history.record("run", "loss", NOW, 2.0)
    with held(path, "write lock"):
        history.close()
        assert not history.is_kept
    history.record("run", "loss", NOW + 1, 3.0)
    assert not history.flush()


def test_a_file_of_a_newer_program_is_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    history, aside = History.open(path)
    assert (aside, history.is_kept) == (None, False)
    assert history.trouble is not None
    assert "newer" in str(history.trouble.detail)
    history.record("run", "loss", NOW, 2.0)
    assert values(history) == [2.0]
    history.close()
    assert path.read_bytes() == before


def test_a_place_where_no_file_can_be_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    history, aside = History.open(tmp_path / "file" / "history.sqlite")
    assert (aside, history.is_kept) == (None, False)
    assert history.trouble is not None
    assert history.trouble.problem is ErrorKind.HISTORY_NOT_KEPT
    history.record("run", "loss", NOW, 2.0)
    assert values(history) == [2.0]
    history.close()


_IN_A_READ_ONLY_FOLDER = """
import os, sys
from pathlib import Path
from core.records.time_series import History
if os.geteuid() == 0:
    os.setuid(65534)
history, aside = History.open(Path(sys.argv[1]) / "history.sqlite")
history.record("run", "loss", 1_800_000_000, 1.0)
print(aside, history.is_kept, history.flush(), history.trouble.problem.key)
print(history.curve("run", "loss", 0.0, 1_800_000_000).lows.tolist())
history.close()
"""


@pytest.mark.parametrize("is_there", [False, True])
def test_a_read_only_folder_is_told_in_words(is_there: bool) -> None:
    """As somebody who may only read it, because root may write everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        if is_there:
            noted(Path(folder) / "history.sqlite")
            (Path(folder) / "history.sqlite").chmod(0o444)
        Path(folder).chmod(0o555)
        answer = subprocess.run(
            [sys.executable, "-B", "-c", _IN_A_READ_ONLY_FOLDER, folder],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        Path(folder).chmod(0o755)
    assert answer.stdout.splitlines() == ["None False False history_not_kept", "[1.0]"], answer.stderr


_WITH_A_LIMIT = """
import resource, sys
from pathlib import Path
from core.records.time_series import History
history, _ = History.open(Path(sys.argv[1]))
for second in range(int(sys.argv[2])):
    history.record("run", "loss", 1_800_000_000 + second, second)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
print(history.flush(), history.is_kept, history.trouble is not None)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
print(history.flush(), history.is_kept, history.trouble is not None)
history.close()
"""


def test_a_disk_that_takes_no_more_is_told_and_what_waited_is_saved_later(path: Path) -> None:
    """A limit on the size of files stands in for the full disk."""
    answer = subprocess.run(
        [sys.executable, "-c", _WITH_A_LIMIT, str(path), "500"], capture_output=True, text=True, cwd=ROOT
    )
    assert answer.stdout.splitlines() == ["False False True", "True True False"], answer.stderr
    history, aside = History.open(path)
    assert aside is None
    lows = history.curve("run", "loss", 600.0, NOW + 499).lows
    assert [low for low in lows if not math.isnan(low)] == list(range(500))
    history.close()
