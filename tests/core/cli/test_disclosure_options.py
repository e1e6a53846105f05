"""What a volunteer tells besides a name, on the command line: nothing by default, and said before they agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.cli.parser.arguments import JoinRun, read_arguments
from core.cli.runner.context import effective_settings
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.protocol.types import Disclosure
from core.records.settings import Settings, save_settings
from tests.support.cli_process import ADDRESS, LINK, workerbee

NAMED = Settings(public_name="Ada", may_be_named=True, country="AT")


def told(folder: Path, *options: str, kept: Settings | None = None) -> Disclosure:
    """What `join` tells with these options, beside those settings."""
    folders = Folders.below(folder)
    if kept is not None:
        save_settings(folders.settings_file, kept)
    command = read_arguments(["join", ADDRESS, *options], "1.0")
    assert isinstance(command, JoinRun)
    return effective_settings(command, folders).disclosure


def test_nothing_is_told_by_default_and_a_name_alone_agrees_to_nothing(tmp_path: Path) -> None:
    assert told(tmp_path) == told(tmp_path, "--name", "Ada") == Disclosure()


def test_options_take_the_place_of_the_settings(tmp_path: Path) -> None:
    assert told(tmp_path, "--name", "Ada", "--credit", "--country", "de") == Disclosure(may_be_named=True, country="DE")
    assert told(tmp_path, kept=NAMED) == Disclosure(may_be_named=True, country="AT")
    assert told(tmp_path, "--no-credit", "--country", "none", kept=NAMED) == Disclosure()
    assert told(tmp_path, "--credit", kept=Settings(public_name="Ada")) == Disclosure(may_be_named=True)


def test_who_has_no_name_cannot_be_named(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        told(tmp_path, "--credit")
    assert caught.value.problem is ErrorKind.USAGE and "--name NAME" in str(caught.value.detail)
    assert not told(tmp_path, kept=Settings(may_be_named=True)).may_be_named


@pytest.mark.parametrize("country", ["XX", "Germany", "D", "", "DEU", "0.0.0.0"])
def test_what_is_no_country_is_refused_in_words(tmp_path: Path, country: str) -> None:
    with pytest.raises(UserError, match="ISO 3166"):
        told(tmp_path, "--country", country)


def test_what_is_told_is_said_before_anybody_agrees_and_nothing_else_is(tmp_path: Path) -> None:
    options = ("join", LINK, "--yes", "--samples", "50", "--name", "Ada")
    silent = " ".join(workerbee(tmp_path, *options).out.split())
    assert "Others will see" in silent and "You also tell" not in silent
    done = workerbee(tmp_path, *options, "--credit", "--country", "DE")
    words = " ".join(done.out.split())
    assert done.code == 0, done.err
    assert "You also tell your country (DE) and that model cards of the run may call you by your name" in words
