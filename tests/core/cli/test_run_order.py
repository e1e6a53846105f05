"""`workerbee join A --then B`: several runs in an order, with a fake engine whose swarms are as the test says."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import ErrorKind
from core.protocol.codec import decode_command
from core.protocol.commands import Start
from tests.core.cli.terminal import Terminal
from tests.support.cli_process import ADDRESS, LIMIT_SECONDS, argv, environment, fake, workerbee
from tests.support.environment.x11_desktop import wait_for
from tests.support.peers import fake_worker

FIRST = f"workerbee://join?peer={ADDRESS.replace('/', '%2F')}&run=alpha"
SECOND = f"workerbee://join?peer={ADDRESS.replace('/', '%2F')}&run=beta"
WORDS = ("join", FIRST, "--then", SECOND, "--device", "cpu", "--always", "--yes")


def be(folder: Path, alpha: str = "open", beta: str = "open") -> None:
    """From now on the two runs are so."""
    new = folder / "world.new"
    new.write_text(json.dumps({"alpha": alpha, "beta": beta}))
    new.rename(folder / "world")


def started(folder: Path) -> list[str]:
    """The runs that workers were told to train, one after the other."""
    journal = folder / "journal"
    lines = journal.read_bytes().splitlines() if journal.exists() else []
    commands = [decode_command(line) for line in lines if line != fake_worker.BIRTH.encode()]
    return [command.run_id for command in commands if isinstance(command, Start)]


@contextlib.contextmanager
def joining(folder: Path, *words: str) -> Iterator[Path]:
    """The command while it runs; what it prints is in the file. In the end it is interrupted, and ends well."""
    log = folder / "log"
    with log.open("w") as written:
        words = (*(words or WORDS), "--json")
        command = argv(words, fake(folder, "follow_world"))
        process = subprocess.Popen(command, env=environment(folder), stdout=written, stderr=subprocess.STDOUT)
    try:
        yield log
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT_SECONDS) in (0, 143), log.read_text()
    finally:
        process.kill()
        process.wait()


def told(log: Path, event: str) -> list[dict[str, Any]]:
    """The objects of that kind which it has printed."""
    objects = (json.loads(line) for line in log.read_text().splitlines() if line.startswith("{"))
    return [each for each in objects if each["event"] == event]


@pytest.mark.parametrize("how", ["finished", "paused"])
def test_when_the_first_run_ends_the_second_is_helped_without_a_question(tmp_path: Path, how: str) -> None:
    be(tmp_path)
    with joining(tmp_path) as log:
        wait_for(lambda: told(log, "progress"), "training in the first", LIMIT_SECONDS)
        assert started(tmp_path) == ["alpha"]
        be(tmp_path, alpha=how)
        wait_for(lambda: started(tmp_path) == ["alpha", "beta"], "the second", LIMIT_SECONDS)
        (switched,) = told(log, "switched")
        assert (switched["run"], switched["before"], switched["reason"]) == ("beta", "Alpha", how)
        assert switched["words"].startswith("Helping “Beta”: “Alpha”")


def test_a_run_that_cannot_be_reached_and_was_never_agreed_to_is_left_out(tmp_path: Path) -> None:
    be(tmp_path, alpha="unreachable")
    with joining(tmp_path) as log:
        wait_for(lambda: started(tmp_path) == ["beta"], "the second", LIMIT_SECONDS)
        assert "It is left out." in log.read_text()


def test_a_run_that_has_changed_is_not_trained_and_named_when_nothing_else_is_left(tmp_path: Path) -> None:
    be(tmp_path)
    assert workerbee(tmp_path, *WORDS, "--samples", "20", worker=fake(tmp_path, "follow_world")).code == 0
    be(tmp_path, alpha="changed")
    refused = workerbee(tmp_path, *(word for word in WORDS if word != "--yes"), worker=fake(tmp_path, "follow_world"))
    assert refused.code == ErrorKind.USAGE.exit_code, "nobody can be asked"
    assert started(tmp_path) == ["alpha"]


def test_limits_hold_for_all_runs_together_and_each_has_its_own_last_line(tmp_path: Path) -> None:
    be(tmp_path)
    done = workerbee(tmp_path, *WORDS, "--samples", "50", worker=fake(tmp_path, "follow_world"))
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1].startswith("Alpha: Helped for") and "interrupted" not in done.out
    wrong = workerbee(tmp_path, "join", FIRST, "--return-after", "1h")
    assert wrong.code == ErrorKind.USAGE.exit_code and "--then" in wrong.err


def test_a_peer_that_does_not_train_helps_one_run_only(tmp_path: Path) -> None:
    be(tmp_path)
    wrong = workerbee(tmp_path, *WORDS, "--no-train", worker=fake(tmp_path, "follow_world"))
    assert wrong.code == ErrorKind.USAGE.exit_code and "leave --then out" in wrong.err
    assert started(tmp_path) == []


def test_at_a_terminal_the_last_line_of_a_run_is_not_drawn_over(tmp_path: Path, terminals: list[Terminal]) -> None:
    be(tmp_path)
    terminal = Terminal(tmp_path, (*WORDS, "--samples", "50"), fake(tmp_path, "follow_world"))
    terminals.append(terminal)
    assert terminal.end() == 0
    assert [line.split(":")[0] for line in terminal.lines if "Helped for" in line] == ["Alpha"], terminal.shown
    assert "interrupted" not in terminal.shown
