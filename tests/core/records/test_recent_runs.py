"""The runs that were looked at: the latest first, few, and never a reason to fail."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ErrorKind
from core.records.recent_runs import MOST_RUNS, RecentRun, RecentRuns

RUN = RecentRun(
    run_id="arithmetic-demo",
    name="Learning to add",
    organiser="12D3KooWx",
    address="workerbee://join?peer=x",
    last_state="trained",
    at=1_800_000_000.0,
)


def changed(**fields: Any) -> RecentRun:
    """The same run, otherwise."""
    return msgspec.structs.replace(RUN, **fields)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recent_runs.json"


def test_without_a_file_there_are_none(path: Path) -> None:
    runs = RecentRuns(path)
    assert (runs.all(), runs.aside, runs.trouble) == ((), None, None)
    assert not path.exists()


def test_what_was_remembered_is_there_after_a_restart_the_latest_first(path: Path) -> None:
    other = changed(run_id="other")
    runs = RecentRuns(path)
    runs.remember(RUN)
    runs.remember(other)
    assert runs.all() == RecentRuns(path).all() == (other, RUN)


def test_a_run_is_remembered_once_with_its_last_state(path: Path) -> None:
    runs = RecentRuns(path)
    for run in (RUN, changed(run_id="other"), changed(last_state="failed")):
        runs.remember(run)
    assert [(run.run_id, run.last_state) for run in runs.all()] == [
        ("arithmetic-demo", "failed"),
        ("other", "trained"),
    ]


def test_runs_of_one_name_by_two_organisers_are_two(path: Path) -> None:
    runs = RecentRuns(path)
    runs.remember(RUN)
    runs.remember(changed(organiser="12D3KooWy"))
    assert len(runs.all()) == 2
    runs.forget(RUN.run_id, RUN.organiser)
    assert [run.organiser for run in RecentRuns(path).all()] == ["12D3KooWy"]


def test_what_nobody_knows_can_be_forgotten(path: Path) -> None:
    RecentRuns(path).forget("unknown", "nobody")
    assert RecentRuns(path).all() == ()


def test_the_oldest_give_way(path: Path) -> None:
    runs = RecentRuns(path)
    for number in range(MOST_RUNS + 5):
        runs.remember(changed(run_id=f"run-{number}"))
    assert [run.run_id for run in RecentRuns(path).all()] == [f"run-{number}" for number in range(24, 4, -1)]


@pytest.mark.parametrize(
    "content",
    [b"", b"{]", b"\xff\xfe", b'[{"run_id": "x"}]', b"[" * 50_000, b"7", b" " * 2_000_000],
    ids=["empty", "no JSON", "no text", "half a run", "nested", "a number", "huge"],
)
def test_a_damaged_file_is_put_aside(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    runs = RecentRuns(path)
    assert runs.all() == ()
    assert runs.aside == path.with_name("recent_runs.json.broken-1")
    assert runs.aside.read_bytes() == content
    runs.remember(RUN)
    assert RecentRuns(path).all() == (RUN,)


@pytest.mark.parametrize("letter", ["🐝", "\x01", '"'])
def test_the_longest_runs_that_may_be_remembered_are_read_again(path: Path, letter: str) -> None:
    runs = RecentRuns(path)
    for number in range(MOST_RUNS):
        runs.remember(changed(run_id=f"run-{number}", address=letter * 16_000, name=letter * 200))
    again = RecentRuns(path)
    assert (again.all(), again.aside) == (runs.all(), None)


def test_a_folder_in_its_place_is_put_aside(path: Path) -> None:
    path.mkdir(parents=True)
    runs = RecentRuns(path)
    runs.remember(RUN)
    assert runs.aside is not None
    assert RecentRuns(path).all() == (RUN,)


def test_a_disk_that_refuses_is_told_in_words_and_the_run_remembered_for_now(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    runs = RecentRuns(tmp_path / "file" / "recent_runs.json")
    runs.remember(RUN)
    assert runs.all() == (RUN,)
    assert runs.trouble is not None
    assert runs.trouble.problem is ErrorKind.HISTORY_NOT_KEPT


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": math.nan},
        {"at": math.inf},
        {"at": -1.0},
        {"name": "x" * 1000},
        {"name": "\ud800"},
        {"run_id": ""},
    ],
)
def test_what_could_not_be_read_again_is_not_written(path: Path, wrong: dict[str, Any]) -> None:
    runs = RecentRuns(path)
    runs.remember(RUN)
    runs.remember(changed(**wrong))
    assert runs.all() == RecentRuns(path).all() == (RUN,)


@given(st.binary(max_size=200))
def test_no_file_whatever_stops_the_program(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(content)
    runs = RecentRuns(path)
    assert runs.aside is None or runs.all() == ()
    if runs.aside:
        runs.aside.unlink()
