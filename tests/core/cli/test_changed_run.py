"""`workerbee join` and a run that its organiser changes: a terminal asks again, without one it ends with words."""

from __future__ import annotations

from pathlib import Path

from core.errors import ErrorKind
from core.protocol.codec import decode_command
from core.protocol.commands import Start
from core.run.consent import consent_digest
from tests.core.cli.terminal import Terminal
from tests.support.cli_process import ADDRESS, fake, workerbee
from tests.support.peers import fake_worker

AGREED, CHANGED = consent_digest(fake_worker.manifest()), consent_digest(fake_worker.widened())
UNATTENDED = ("join", ADDRESS, "--device", "cpu", "--samples", "150")  # more than one life of the fake worker
WIDER = "recipe.width: 128 → 256"


def starts(folder: Path) -> list[str]:
    """The digests that workers were told to train, in all commands so far."""
    lines = (folder / "journal").read_bytes().splitlines()
    commands = [decode_command(line) for line in lines if line != fake_worker.BIRTH.encode()]
    return [command.digest for command in commands if isinstance(command, Start)]


def join(terminals: list[Terminal], folder: Path, *parts: str) -> Terminal:
    """`workerbee join` at a terminal, with a fake worker."""
    terminals.append(Terminal(folder, ["join", ADDRESS, "--device", "cpu"], fake(folder, *parts)))
    return terminals[-1]


def test_yes_agrees_to_what_is_printed_first_and_to_no_later_change(tmp_path: Path) -> None:
    result = workerbee(tmp_path, *UNATTENDED, "--yes", worker=fake(tmp_path, "crash_in_training", "be_widened"))
    assert result.code == ErrorKind.RUN_CHANGED.exit_code
    assert ErrorKind.RUN_CHANGED.title in result.err and WIDER in result.err
    assert "workerbee inspect" in result.err
    assert starts(tmp_path) == [AGREED]


def test_other_words_about_the_run_end_nothing(tmp_path: Path) -> None:
    result = workerbee(tmp_path, *UNATTENDED, "--yes", worker=fake(tmp_path, "crash_in_training", "be_described_anew"))
    assert result.code == 0, result.err
    assert starts(tmp_path) == [AGREED, AGREED]


def test_without_a_terminal_an_unchanged_run_needs_no_yes_any_more_and_a_changed_one_does(tmp_path: Path) -> None:
    few = ("join", ADDRESS, "--device", "cpu", "--samples", "20")
    assert workerbee(tmp_path, *few, worker=fake(tmp_path, "good")).code == ErrorKind.USAGE.exit_code
    assert workerbee(tmp_path, *few, "--yes", worker=fake(tmp_path, "good")).code == 0
    again = workerbee(tmp_path, *few, worker=fake(tmp_path, "be_described_anew"))
    assert again.code == 0 and "has not changed since" in again.out
    changed = workerbee(tmp_path, *few, worker=fake(tmp_path, "be_widened"))
    assert changed.code == ErrorKind.USAGE.exit_code and WIDER in changed.out
    assert starts(tmp_path) == [AGREED, AGREED]


def test_a_terminal_shows_what_has_changed_and_asks(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "crash_in_training", "be_widened")
    terminal.wait_for("Start? [y/N]")
    terminal.type("y\n")
    terminal.wait_for("Go on with that? [y/N]")
    assert WIDER in terminal.shown
    assert starts(tmp_path) == [AGREED]
    terminal.shown = ""
    terminal.type("y\n")
    terminal.wait_for("to next step")
    terminal.type("q")
    assert terminal.end() == 0
    assert starts(tmp_path) == [AGREED, CHANGED]


def test_whoever_does_not_agree_again_has_left(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "crash_in_training", "be_widened")
    terminal.wait_for("Start? [y/N]")
    terminal.type("y\n")
    terminal.wait_for("Go on with that? [y/N]")
    terminal.type("n\n")
    assert terminal.end() == 0
    assert starts(tmp_path) == [AGREED]
