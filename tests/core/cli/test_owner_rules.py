"""`workerbee join` and the owner's rules: a real program pauses it; a fake engine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.records.settings import Settings, save_settings
from tests.core.cli.terminal import Terminal
from tests.core.cli.test_terminal import TRAINING, commands, join
from tests.support.cli_process import ADDRESS, argv, environment, fake
from tests.support.computer.named_program import NAME, running_program


@pytest.fixture(autouse=True)
def _rules(tmp_path: Path) -> None:
    """The settings of an owner who has named a program, and of whose computer nothing else matters."""
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), programs=(NAME,))
    save_settings(Folders.below(tmp_path / "home").settings_file, Settings(availability=rules))


@pytest.fixture
def program(tmp_path: Path) -> Iterator[None]:
    """That program, which runs."""
    with running_program(tmp_path):
        yield


def test_a_program_pauses_a_run_that_is_trained_and_a_key_resumes_it(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "--yes", part="go_through_epochs")
    terminal.wait_for(TRAINING)
    with running_program(tmp_path):
        terminal.wait_for("r: resume now")
        assert NAME in terminal.shown and '"leave"' in commands(tmp_path)
        terminal.type("r")
        terminal.wait_for("ignored")
    terminal.type("q")
    assert terminal.end() == 0


def test_another_key_ignores_it_until_midnight(program: None, terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "--yes", part="go_through_epochs")
    terminal.wait_for("i: ignore this")
    terminal.type("i")
    terminal.wait_for("ignored until 2")
    terminal.type("q")
    assert terminal.end() == 0


def test_nothing_is_computed_while_it_runs_from_the_beginning_on(
    program: None, terminals: list[Terminal], tmp_path: Path
) -> None:
    terminal = join(terminals, tmp_path, "--yes")
    terminal.wait_for("r: resume now")
    assert '"start"' not in commands(tmp_path)
    terminal.type("q")
    assert terminal.end() == 0 and "Left before the training began" in terminal.shown


def test_always_trains_whatever_runs(program: None, terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "--yes", "--always")
    terminal.wait_for(TRAINING)
    terminal.type("q")
    assert terminal.end() == 0 and "Helped for" in terminal.shown


def test_rules_that_are_changed_while_it_trains_hold_at_once(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "--yes", part="go_through_epochs")
    terminal.wait_for(TRAINING)
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), hours=("." * 24,) * 7)
    save_settings(Folders.below(tmp_path / "home").settings_file, Settings(availability=rules))
    terminal.wait_for("outside your hours")
    terminal.type("q")
    assert terminal.end() == 0


def test_a_program_reads_of_it_in_json(program: None, tmp_path: Path) -> None:
    command = argv(["join", ADDRESS, "--yes", "--json"], fake(tmp_path, "good"))
    with subprocess.Popen(command, env=environment(tmp_path), cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        decided = next(line for line in map(json.loads, process.stdout) if line["event"] == "availability")
        process.terminate()
        process.stdout.read()
    assert (decided["free"], decided["rule"]) == (False, "program")
    assert NAME in decided["words"]
