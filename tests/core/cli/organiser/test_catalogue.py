"""An organiser makes a signed list of runs from posted addresses, and anybody is shown what is on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.catalogue.signed_file import open_catalogue
from core.run.address import JoinAddress
from tests.support.cli_process import ADDRESS, Result, found, reciting, run_found, workerbee
from tests.support.environment.update_server import serving_notices

ORGANISER = ADDRESS.rpartition("/")[2]
HOSTILE = "Bees\u202e\x1b[2J\x07 and “flowers”"


def signed_by(**changes: Any) -> dict[str, Any]:
    """A run of the organiser whose address is pasted."""
    return {**run_found(**changes), "organiser": ORGANISER}


def added(folder: Path, *runs: dict[str, Any], words: tuple[str, ...] = ("Our runs",)) -> Result:
    """What comes of adding the swarm at ADDRESS, which publishes these runs, to a list."""
    worker = reciting(folder, found(*runs))
    return workerbee(folder, "catalogue", "add", "runs.toml", ADDRESS, "--title", *words, worker=worker)


def test_runs_at_a_posted_address_are_listed_signed_and_shown_from_a_server(tmp_path: Path) -> None:
    done = added(tmp_path, signed_by(name=HOSTILE, description="What bees do."), signed_by(id="other"))
    assert done.code == 0 and "has 2 runs and" in done.out, done
    file = tmp_path / "runs.toml"
    read = open_catalogue(file.read_bytes())
    assert read.publisher in done.out and read.catalogue.title == "Our runs"
    listed = JoinAddress.parse(read.catalogue.run[0].address)
    assert listed.peers == (ADDRESS,) and listed.run_id == read.catalogue.run[0].id
    key = tmp_path / "home" / "data" / "catalogue.key"
    assert key.stat().st_mode & 0o777 == 0o600
    with serving_notices() as server:
        server.body = file.read_bytes()
        shown = workerbee(tmp_path, "catalogue", "show", server.address)
        told = workerbee(tmp_path, "catalogue", "show", server.address, "--json")
    assert read.publisher in shown.out and "What bees do." in shown.out and "needs about" in shown.out
    assert "Bees[2J and “flowers”" in shown.out and "\x1b" not in shown.out and "\u202e" not in shown.out
    assert [json.loads(line)["event"] for line in told.out.splitlines()] == ["catalogue", "run", "run"]


def test_a_list_that_was_changed_by_hand_must_be_signed_again(tmp_path: Path) -> None:
    added(tmp_path, signed_by())
    file = tmp_path / "runs.toml"
    publisher = open_catalogue(file.read_bytes()).publisher
    file.write_text(file.read_text().replace("Our runs", "Your runs"))
    refused = workerbee(tmp_path, "catalogue", "show", "runs.toml")
    assert refused.code == 6 and "its signature is wrong" in refused.err, refused
    assert "workerbee catalogue sign runs.toml" in refused.err, "which is what its own publisher has to do"
    assert workerbee(tmp_path, "catalogue", "sign", "runs.toml", "--days", "3").code == 0
    read = open_catalogue(file.read_bytes())
    assert read.publisher == publisher and read.catalogue.title == "Your runs"
    assert (read.catalogue.expires - read.catalogue.made).days == 3


def test_a_run_that_the_address_does_not_vouch_for_is_listed_by_nobody(tmp_path: Path) -> None:
    done = added(tmp_path, signed_by() | {"vouched": False})
    assert done.code == 5 and "vouches for none of the runs" in done.err, done
    assert not (tmp_path / "runs.toml").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("show", "nothing.toml"), "The list could not be read: No such file or directory"),
        (("sign", "nothing.toml"), "cannot be read"),
        (("add", "runs.toml", "nothing"), "No run “nothing” was published from here"),
        (("add", "runs.toml", "/ip4/203.0.113.5/tcp/31337"), "it ends without /p2p/"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    done = workerbee(tmp_path, "catalogue", *words)
    assert done.code not in (0, 6) and why in done.err, done
    assert "Ask its publisher" not in done.err, "nobody else has done anything wrong"
    assert not (tmp_path / "runs.toml").exists()
