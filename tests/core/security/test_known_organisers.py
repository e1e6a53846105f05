"""The memory of who signed which run: trust on first use, and no way back in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.security.known_organisers import KnownOrganisers
from tests.support.cli_process import workerbee


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "known_runs.json"


@pytest.fixture
def known(path: Path) -> KnownOrganisers:
    """What remembers revision 7 of the run "sums", signed by anna."""
    known = KnownOrganisers(path)
    known.remember("sums", "anna", 7)
    return known


def test_a_run_that_was_never_seen_may_be_anybodys(path: Path) -> None:
    KnownOrganisers(path).check("sums", "anna", 1)
    assert not path.exists(), "looking is not agreeing"


@pytest.mark.parametrize("revision", [7, 8])
def test_the_same_organiser_may_go_on(known: KnownOrganisers, revision: int) -> None:
    known.check("sums", "anna", revision)


def test_what_is_known_already_is_not_written_again(path: Path, known: KnownOrganisers) -> None:
    before = path.stat().st_ino
    known.remember("sums", "anna", 7)
    assert path.stat().st_ino == before
    known.remember("sums", "anna", 8)
    assert path.stat().st_ino != before


def test_another_organiser_is_told_from_the_first(known: KnownOrganisers) -> None:
    with pytest.raises(UserError, match="Run sums: It was anna, it is bert") as raised:
        known.check("sums", "bert", 8)
    assert raised.value.problem is ErrorKind.ORGANISER_CHANGED


def test_an_older_revision_is_refused(known: KnownOrganisers) -> None:
    with pytest.raises(UserError, match="Revision 6 is shown, revision 7 was seen") as raised:
        known.check("sums", "anna", 6)
    assert raised.value.problem is ErrorKind.MANIFEST_ROLLED_BACK


def test_other_runs_are_other_affairs(known: KnownOrganisers) -> None:
    known.check("products", "bert", 1)


def test_it_outlives_the_process_that_remembers(known: KnownOrganisers, path: Path) -> None:
    known.remember("products", "bert", 1)
    known.remember("sums", "anna", 9)
    again = KnownOrganisers(path)
    again.check("products", "bert", 1)
    with pytest.raises(UserError, match="revision 9 was seen"):
        again.check("sums", "anna", 8)


def test_a_run_that_is_forgotten_may_be_anybodys_again(known: KnownOrganisers, path: Path) -> None:
    known.remember("products", "bert", 1)
    assert known.forget("sums")
    assert not known.forget("sums"), "there is nothing more to forget"
    known.check("sums", "bert", 1)
    assert KnownOrganisers(path).organisers() == {"products": "bert"}


@pytest.mark.parametrize(
    "damage",
    [b"", b'{"sums": {"organ', b"\xff\xfe", b'{"sums": {"organiser": 1}}', b"[" * 100_000, b"\0" * 64],
    ids=["empty", "cut", "no text", "another shape", "a tower", "zeros after a power cut"],
)
def test_a_damaged_file_is_kept_aside_and_begun_anew(known: KnownOrganisers, path: Path, damage: bytes) -> None:
    path.write_bytes(damage)
    known.check("sums", "bert", 1)
    assert path.with_name("known_runs.json.broken-1").read_bytes() == damage
    known.remember("sums", "bert", 1)
    with pytest.raises(UserError):
        KnownOrganisers(path).check("sums", "anna", 7)


def test_a_file_that_cannot_be_read_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "known_runs.json"
    with pytest.raises(UserError, match=str(path)) as raised:
        KnownOrganisers(path).check("sums", "anna", 1)
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE


def test_a_folder_that_refuses_is_a_problem_in_words() -> None:
    path = Path("/sys/known_runs.json")  # nobody writes there, not even root
    with pytest.raises(UserError, match=str(path)) as raised:
        KnownOrganisers(path).remember("sums", "anna", 1)
    assert raised.value.problem is ErrorKind.FOLDER_NOT_WRITABLE


def test_the_command_says_what_forgetting_means_and_asks_first(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path / "home")
    folders.prepare()
    known = KnownOrganisers(folders.contents.known_organisers_file)
    known.remember("sums", "anna", 7)
    unasked = workerbee(tmp_path, "forget", "sums")
    assert unasked.code == 2 and "add --yes" in unasked.err
    assert "was signed by anna" in unasked.out and "by another way" in unasked.out
    assert known.organisers() == {"sums": "anna"}
    assert workerbee(tmp_path, "forget", "sums", "--yes").code == 0
    known.check("sums", "bert", 1)
    again = workerbee(tmp_path, "forget", "sums", "--yes")
    assert again.code == ErrorKind.USAGE.exit_code and "No organiser of “sums” is known" in again.err
