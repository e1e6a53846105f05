"""Programs are seen by name while they run: real ones, which the tests start."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.availability.decision import Reason
from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.availability.verdicts import verdict
from core.observers import programs as observed_programs
from core.observers.local_zone import local_now
from core.observers.programs import RunningPrograms, running_pids
from tests.support.computer.named_program import running_program

LOOKS_OF_TWO_MINUTES = 60
PERIOD_SECONDS = 2.0
HIGHEST_SHARE = 0.003


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """That program, which says ``there`` and then waits until its stdin is closed."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        try:
            assert process.stdout.readline().strip() == b"there"
            yield process
        finally:
            process.stdin.close()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program with a name of its own: a shell."""
    path = tmp_path / "bees-in-blender"
    shutil.copy(os.path.realpath("/bin/sh"), path)
    return path


def test_a_program_is_seen_while_it_runs(program: Path) -> None:
    programs = RunningPrograms()
    assert program.name not in (programs.look(running_pids()) or ())
    with running(str(program), "-c", "echo there; read line"):
        assert program.name in (programs.look(running_pids()) or ())
    assert program.name not in (programs.look(running_pids()) or ())


def test_a_process_that_becomes_another_program_is_seen_as_that(program: Path) -> None:
    programs = RunningPrograms()
    becomes = "import os, sys; print('there', flush=True); sys.stdin.read(1); os.execv(*eval(sys.argv[1]))"
    arguments = repr((str(program), [program.name, "-c", "echo again; read line"]))
    with running(sys.executable, "-c", becomes, arguments) as process:
        assert process.stdin and process.stdout
        assert program.name not in (programs.look(running_pids()) or ())
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"again"
        assert program.name in (programs.look(running_pids()) or ())


def test_the_name_of_a_process_that_stays_what_it_is_is_found_out_once(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That takes several files of the kernel's; a computer on which much begins and ends would pay for it each look."""
    named, name = list[int](), observed_programs._name

    def noted_name(pid: int) -> str:
        named.append(pid)
        return name(pid)

    monkeypatch.setattr(observed_programs, "_name", noted_name)
    programs = RunningPrograms()
    with running(str(program), "-c", "echo there; read line") as process:
        looks = [program.name in (programs.look(running_pids()) or ()) for _ in range(LOOKS_OF_TWO_MINUTES + 1)]
        assert all(looks) and named.count(process.pid) == 1


def test_a_process_that_is_dead_but_not_buried_is_seen_no_more_within_two_minutes(program: Path) -> None:
    programs = RunningPrograms()
    with running(str(program), "-c", "echo there; read line") as process:
        for _ in range(10):
            assert program.name in (programs.look(running_pids()) or ())
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        looks = [program.name in (programs.look(running_pids()) or ()) for _ in range(LOOKS_OF_TWO_MINUTES)]
        assert not looks[-1]


def test_a_named_program_with_regex_characters_is_that_name_alone_and_takes_no_time(tmp_path: Path) -> None:
    rules, bomb = AvailabilityRules(programs=("(a+)+$",)), "a" * 100_000 + "!"
    now = local_now()
    begun = time.process_time()
    assert verdict("program", rules, Observation(now, 0.0, programs=frozenset({bomb, "aaa"}))) is None
    assert time.process_time() - begun < 1.0, "as a regular expression it would not end"
    with running_program(tmp_path, "(a+)+$"):
        names = RunningPrograms().look(running_pids())
        assert verdict("program", rules, Observation(now, 0.0, programs=names)) == Reason("program", "(a+)+$")


@pytest.mark.quiet
def test_looking_costs_less_than_three_thousandths_of_a_core() -> None:
    programs = RunningPrograms()
    for _ in range(6):
        programs.look(running_pids())
    begun = time.process_time()
    for _ in range(LOOKS_OF_TWO_MINUTES):
        programs.look(running_pids())
    assert (time.process_time() - begun) / (LOOKS_OF_TWO_MINUTES * PERIOD_SECONDS) < HIGHEST_SHARE
