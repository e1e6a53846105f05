"""`workerbee join` and the owner's rules: a real program pauses it; a fake engine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
import pytest

from core.availability.decision import FREE
from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.cli.commands.join import heeding_rules
from core.cli.output.json_lines import JsonDisplay
from core.cli.parser.arguments import JoinRun, read_arguments
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext, CurrentSettings, EventLoop
from core.cli.runner.worker_session import WorkerSession
from core.files.disk_space import DiskSpace
from core.files.folders import Folders
from core.hardware.device import Device
from core.observers import computer
from core.protocol.client_events import AvailabilityDecided, ClientEvent
from core.protocol.limits import Traffic
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


class Always:
    """A session of `join --always` by the settings that the owner has, without a worker."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.command = read_arguments(["join", ADDRESS, "--always", *options], "1.0")
        self.folders = Folders.below(folder / "home")
        context = CommandContext(self.folders, EventLoop(), Stop(lambda: None))
        self.worker = WorkerSession(context, JsonDisplay())
        self.posted: list[ClientEvent] = []

    def heeding(self, monkeypatch: pytest.MonkeyPatch) -> AbstractContextManager[None]:
        """While this lasts, the rules decide; what they post is kept, and goes no further."""
        monkeypatch.setattr(self.worker, "post", self.posted.append)
        assert isinstance(self.command, JoinRun)
        current = CurrentSettings(self.command, self.folders)
        return heeding_rules(self.worker, self.command, current, self.folders, Device("cpu"))


@pytest.mark.parametrize("options", [(), ("--upload-rate", "1MB")])
def test_always_trains_on_a_full_disk_too_at_the_pace_of_the_limits(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computer, "free_space", lambda *_: DiskSpace(free_bytes=0))
    session = Always(tmp_path, *options)
    with session.heeding(monkeypatch):
        assert session.worker.guard is not None and session.worker.guard.check()
    decided = [event for event in session.posted if isinstance(event, AvailabilityDecided)]
    assert all(event.decision == FREE for event in decided)
    assert [event.pace.upload_rate for event in decided] == [10**6] * bool(options)


def test_what_always_sends_and_receives_is_counted_for_the_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Always(tmp_path)
    with session.heeding(monkeypatch):
        session.worker.handle(Traffic(sent_bytes=3, received_bytes=4))
    assert '"sent":3,"received":4' in session.folders.contents.traffic_file.read_text()


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
