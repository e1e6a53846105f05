"""The memory of who signed which run: trust on first use, and no way back in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ClientError, Problem
from core.security.known_organisers import KnownRuns


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "known_runs.json"


@pytest.fixture
def known(path: Path) -> KnownRuns:
    """What remembers revision 7 of the run "sums", signed by anna."""
    known = KnownRuns(path)
    known.remember("sums", "anna", 7)
    return known


def test_a_run_that_was_never_seen_may_be_anybodys(path: Path) -> None:
    KnownRuns(path).check("sums", "anna", 1)
    assert not path.exists(), "looking is not agreeing"


@pytest.mark.parametrize("revision", [7, 8])
def test_the_same_organiser_may_go_on(known: KnownRuns, revision: int) -> None:
    known.check("sums", "anna", revision)


def test_what_is_known_already_is_not_written_again(path: Path, known: KnownRuns) -> None:
    before = path.stat().st_ino
    known.remember("sums", "anna", 7)
    assert path.stat().st_ino == before
    known.remember("sums", "anna", 8)
    assert path.stat().st_ino != before


def test_another_organiser_is_told_from_the_first(known: KnownRuns) -> None:
    with pytest.raises(ClientError, match="It was anna, it is bert") as raised:
        known.check("sums", "bert", 8)
    assert raised.value.problem is Problem.ORGANISER_CHANGED


def test_an_older_revision_is_refused(known: KnownRuns) -> None:
    with pytest.raises(ClientError, match="Revision 6 is shown, revision 7 was seen") as raised:
        known.check("sums", "anna", 6)
    assert raised.value.problem is Problem.MANIFEST_ROLLED_BACK


def test_other_runs_are_other_affairs(known: KnownRuns) -> None:
    known.check("products", "bert", 1)


def test_it_outlives_the_process_that_remembers(known: KnownRuns, path: Path) -> None:
    known.remember("products", "bert", 1)
    known.remember("sums", "anna", 9)
    again = KnownRuns(path)
    again.check("products", "bert", 1)
    with pytest.raises(ClientError, match="revision 9 was seen"):
        again.check("sums", "anna", 8)


@pytest.mark.parametrize(
    "damage",
    [b"", b'{"sums": {"organ', b"\xff\xfe", b'{"sums": {"organiser": 1}}', b"[" * 100_000, b"\0" * 64],
    ids=["empty", "cut", "no text", "another shape", "a tower", "zeros after a power cut"],
)
def test_a_damaged_file_is_kept_aside_and_begun_anew(known: KnownRuns, path: Path, damage: bytes) -> None:
    path.write_bytes(damage)
    known.check("sums", "bert", 1)
    assert path.with_name("known_runs.json.broken-1").read_bytes() == damage
    known.remember("sums", "bert", 1)
    with pytest.raises(ClientError):
        KnownRuns(path).check("sums", "anna", 7)


def test_a_file_that_cannot_be_read_is_a_problem_in_words(path: Path) -> None:
    path.mkdir()
    with pytest.raises(ClientError, match=str(path)) as raised:
        KnownRuns(path).check("sums", "anna", 1)
    assert raised.value.problem is Problem.FOLDER_NOT_WRITABLE


def test_a_folder_that_refuses_is_a_problem_in_words() -> None:
    path = Path("/sys/known_runs.json")  # nobody writes there, not even root
    with pytest.raises(ClientError, match=str(path)) as raised:
        KnownRuns(path).remember("sums", "anna", 1)
    assert raised.value.problem is Problem.FOLDER_NOT_WRITABLE
