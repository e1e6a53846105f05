"""Who has agreed to be named in a run's model cards is kept beside the run, and asked of nobody again."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from core.files.locks import PeerFiles
from core.protocol.commands import MOST_CONTRIBUTORS, Contributor
from core.records.published.contributors import MOST_KEPT, ContributorFile
from core.records.published.export import export_request
from core.records.published.runs import PublishedRun
from core.run.block_list import Block, BlockList
from tests.support.real_peers import RUN_ID, tiny


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "contributors.json"


def key(number: int) -> str:
    """The hash of somebody's key."""
    return f"{number:032x}"


def agreeing(path: Path, *names: str) -> ContributorFile:
    """A file in which these agree, the first with one sample, the next with two, and so on; peer ids are numbers."""
    file = ContributorFile(path)
    for number, name in enumerate(names):
        file.add(key(number), name, str(number))
    file.save({key(number): number + 1 for number in range(len(names))})
    return file


def test_who_agrees_is_known_after_a_restart_by_the_name_that_was_told_last(path: Path) -> None:
    agreeing(path, "Ada", "Ben").add(key(0), "Ada", "0")
    again = ContributorFile(path)
    again.add(key(1), "Benjamin", "1")
    again.save({key(0): 1, key(1): 9})
    assert ContributorFile(path).contributors() == [
        Contributor(name="Benjamin", samples=9),
        Contributor(name="Ada", samples=1),
    ]
    assert path.stat().st_mode & 0o777 == 0o600


def test_who_withdraws_or_gives_up_their_name_is_forgotten_with_their_samples(path: Path) -> None:
    file = agreeing(path, "Ada", "Ben", "Eve")
    file.remove(key(0))
    file.add(key(1), " \u202e\n", "1")
    file.save({key(0): 100})
    assert [each.name for each in ContributorFile(path).contributors()] == ["Eve"]
    assert b"Ada" not in path.read_bytes()


def test_the_keys_of_one_name_are_one_and_a_sum_that_was_lost_does_not_fall(path: Path) -> None:
    file = agreeing(path, "Ada", "Ben", "Ada")
    assert file.contributors() == [Contributor(name="Ada", samples=4), Contributor(name="Ben", samples=2)]
    file.save({})
    assert file.contributors()[0].samples == 4


def test_nobody_is_named_who_is_blocked_or_has_no_samples_yet(path: Path) -> None:
    file = agreeing(path, "Ada", "Ben")
    file.add(key(7), "Eve", "7")
    assert [each.name for each in file.contributors(blocked={"1"})] == ["Ada"]


def test_of_very_many_keys_those_with_the_fewest_samples_are_forgotten(path: Path) -> None:
    name = "\U0001f41d" * 40
    agreeing(path, *[name] * (MOST_KEPT + 3))
    kept = msgspec.json.decode(path.read_bytes())
    assert len(kept) == MOST_KEPT and key(0) not in kept and key(3) in kept
    assert ContributorFile(path).contributors()[0].name == name


@pytest.mark.parametrize("damaged", [b"", b"[]", b'{"a": 1}', b'{"' + b"0" * 32 + b'": {"name": "x", "peer_id": 3}}'])
def test_a_damaged_file_is_set_aside_and_counts_as_empty(path: Path, damaged: bytes) -> None:
    path.write_bytes(damaged)
    assert ContributorFile(path).contributors() == []
    assert [each.read_bytes() for each in path.parent.iterdir()] == [damaged]
    agreeing(path, "Ada")
    assert ContributorFile(path).contributors() == [Contributor(name="Ada", samples=1)]


def test_an_export_is_asked_to_name_a_hundred_of_those_who_are_not_blocked_and_to_count_the_others(
    tmp_path: Path,
) -> None:
    files = PeerFiles(tmp_path)
    agreeing(files.contributors_file, *(f"Bee {number}" for number in range(150)))
    blocks = (Block(peer_id="149", until=time.time() + 1000), Block(peer_id="148", until=time.time() - 1000))
    files.block_list_file.write_bytes(msgspec.json.encode(BlockList(run_id=RUN_ID, blocks=blocks)))
    asked = export_request(PublishedRun(files, tiny()), tmp_path, tmp_path / "model")
    assert asked.contributors[0] == Contributor(name="Bee 148", samples=149)
    assert len(asked.contributors) == MOST_CONTRIBUTORS and asked.further_contributors == 49
