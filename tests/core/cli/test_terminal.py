"""The command line at a terminal: consent, keys, signals; the terminal is always as it was before."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.cli.__main__ import main
from tests.core.cli.terminal import Terminal
from tests.support.cli_process import (
    ADDRESS,
    fake,
    found,
    reciting,
    run_found,
)

TRAINING = "to next step"


def join(terminals: list[Terminal], folder: Path, *words: str, part: str = "good", kind: str = "xterm") -> Terminal:
    """`workerbee join` at a terminal."""
    return join_with(terminals, folder, fake(folder, part), *words, kind=kind)


def join_with(
    terminals: list[Terminal], folder: Path, worker: Sequence[str], *words: str, kind: str = "xterm"
) -> Terminal:
    """The same with any worker."""
    terminals.append(Terminal(folder, ["join", ADDRESS, *words], worker, kind))
    return terminals[-1]


def commands(folder: Path) -> str:
    """What the worker has been told."""
    return (folder / "journal").read_text()


def test_a_yes_starts_and_q_leaves(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path)
    terminal.wait_for("Start? [y/N]")
    terminal.type("y\n")
    terminal.wait_for(TRAINING)
    terminal.type("q")
    assert terminal.end() == 0
    assert "Helped for 1 epoch" in terminal.shown
    assert '"leave"' in commands(tmp_path)
    assert terminal.is_as_before


@pytest.mark.parametrize("answer", ["\n", "n\n", "what?\n", "\x04"])
def test_anything_but_a_yes_starts_nothing(terminals: list[Terminal], tmp_path: Path, answer: str) -> None:
    terminal = join(terminals, tmp_path)
    terminal.wait_for("Start? [y/N]")
    terminal.type(answer)
    assert terminal.end() == 0
    assert "Nothing was started" in terminal.shown
    assert '"start"' not in commands(tmp_path)


def test_ctrl_c_at_the_question_before_a_deletion_is_no_accident(terminals: list[Terminal], tmp_path: Path) -> None:
    kept = tmp_path / "home" / "data" / "history.sqlite"
    kept.parent.mkdir(parents=True)
    kept.touch()
    terminals.append(Terminal(tmp_path, ["reset"], ()))
    terminals[0].wait_for("[y/N]")
    terminals[0].type("\x03")
    assert terminals[0].end() == 130 and kept.exists()
    assert terminals[0].shown.endswith("[y/N] ^C\r\n"), terminals[0].shown


def test_what_goes_by_itself_while_a_person_is_asked_is_no_reason_to_delete_nothing(
    terminals: list[Terminal], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the files beside a history do when the window is closed meanwhile."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    history = tmp_path / "home" / "data" / "history.sqlite"
    log = history.with_name("history.sqlite-wal")
    history.parent.mkdir(parents=True)
    for path in (history, log):
        path.touch()
    terminals.append(Terminal(tmp_path, ["reset"], ()))
    terminals[0].wait_for("[y/N]")
    log.unlink()
    terminals[0].type("y\n")
    assert terminals[0].end() == 0, terminals[0].shown
    assert "Deleted." in terminals[0].shown and not history.exists()


def test_ctrl_c_while_modules_are_loaded_is_no_accident_either(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_words: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("core.cli.main.run_command", interrupted)
    assert main() == 130


def test_ctrl_c_at_the_question_starts_nothing(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path)
    terminal.wait_for("Start? [y/N]")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert '"start"' not in commands(tmp_path) and '"leave"' in commands(tmp_path)


def test_ctrl_c_leaves_properly(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "--yes")
    terminal.wait_for(TRAINING)
    terminal.type("\x03")
    assert terminal.end() == 0
    assert "Helped for" in terminal.shown and '"leave"' in commands(tmp_path)
    assert terminal.is_as_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_systems_wish_to_stop_leaves_properly(
    terminals: list[Terminal], tmp_path: Path, number: signal.Signals
) -> None:
    terminal = join(terminals, tmp_path, "--yes")
    terminal.wait_for(TRAINING)
    terminal.process.send_signal(number)
    assert terminal.end() == 0
    assert "Helped for" in terminal.shown and '"leave"' in commands(tmp_path)
    assert terminal.is_as_before


def test_a_stop_while_looking_for_the_swarm_leaves_too(terminals: list[Terminal], tmp_path: Path) -> None:
    connected = {"event": "connected", "peer_id": "12D3KooWme", "peers": 1}
    terminal = join_with(terminals, tmp_path, reciting(tmp_path, {"join": [[connected]]}), "--yes")
    terminal.wait_for("Connected")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == 128 + signal.SIGTERM


def test_a_second_ctrl_c_does_not_wait_for_a_goodbye(terminals: list[Terminal], tmp_path: Path) -> None:
    training = {"event": "training_started", "device": "cpu", "epoch": 0, "parameters": 10}
    play = {**found(run_found()), "deaf": True}
    play["join"].append([training])
    terminal = join_with(terminals, tmp_path, reciting(tmp_path, play), "--yes")
    terminal.wait_for("q or Ctrl-C")
    terminal.type("\x03")
    terminal.wait_for("saying goodbye")
    began = time.monotonic()
    terminal.type("\x03")
    assert terminal.end() == 130
    assert time.monotonic() - began < 5
    assert terminal.is_as_before


def test_a_dumb_terminal_gets_plain_lines(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = join(terminals, tmp_path, "--yes", "--samples", "50", kind="dumb")
    assert terminal.end() == 0
    assert TRAINING not in terminal.shown and "Epoch 8: " in terminal.shown
