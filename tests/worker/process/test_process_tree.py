"""Whatever a worker has forked ends with it, however it ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.checkout import ROOT

LIMIT_SECONDS = 60.0

_BEGIN = """
import multiprocessing, os, resource, signal, sys
from core.worker.process.process_tree import WANTED_FILE_DESCRIPTORS, setup_fork_handling
alive = int(sys.argv[1])  # open in every process of the family that lives

def stay():
    while True:
        signal.pause()

def child(what):
    if os.fork() == 0:
        what()
        stay()

def say(word):
    os.write(1, f"{word}\\n".encode())

def exec_sleep():
    os.execvp("sleep", ["sleep", "1000"])

setup_fork_handling()
"""


@contextmanager
def family(script: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that runs the script, and a pipe that ends when the last of its family has ended."""
    gone, alive = os.pipe()
    os.set_inheritable(alive, True)
    process = subprocess.Popen(
        [sys.executable, "-c", _BEGIN + script, str(alive)],
        stdout=subprocess.PIPE,
        pass_fds=(alive,),
        cwd=ROOT,
        text=True,
        start_new_session=True,
    )
    os.close(alive)
    try:
        yield process, gone
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        os.close(gone)


def words(process: subprocess.Popen[str], count: int) -> set[str]:
    """The next lines that the family says."""
    assert process.stdout is not None
    return {process.stdout.readline().strip() for _ in range(count)}


def ends(gone: int) -> bool:
    """Whether the whole family ends in time."""
    readable, _, _ = select.select([gone], [], [], LIMIT_SECONDS)
    return bool(readable) and os.read(gone, 1) == b""


FAMILIES = {
    "a child": "child(lambda: say('born'))",
    "a child and a grandchild": "child(lambda: (say('born'), child(lambda: say('born'))))",
    "a child that became another program": "child(lambda: (say('born'), exec_sleep()))",
    "a child of multiprocessing": "multiprocessing.Process(target=lambda: (say('born'), stay())).start()",
}


@pytest.mark.parametrize("members", ["a child", "a child and a grandchild"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_children_and_grandchildren_die_with_the_parent(members: str, end: signal.Signals) -> None:
    with family(f"{FAMILIES[members]}\nstay()") as (process, gone):
        assert words(process, FAMILIES[members].count("born")) == {"born"}
        process.send_signal(end)
        assert ends(gone)


@pytest.mark.parametrize("members", ["a child that became another program", "a child of multiprocessing"])
def test_however_a_child_was_made_it_dies_with_the_parent(members: str) -> None:
    with family(f"{FAMILIES[members]}\nstay()") as (process, gone):
        assert words(process, 1) == {"born"}
        process.kill()
        assert ends(gone)


def test_a_grandchild_ends_with_the_child_even_while_the_parent_lives() -> None:
    script = "child(lambda: child(lambda: say(os.getppid())))\nos.close(alive)\nstay()"
    with family(script) as (process, gone):
        os.kill(int(words(process, 1).pop()), signal.SIGKILL)
        assert ends(gone)
        assert process.poll() is None


def test_a_child_obeys_sigterm_though_its_parent_does_not() -> None:
    script = "signal.signal(signal.SIGTERM, lambda *_: None)\nchild(lambda: say(os.getpid()))\n"
    with family(script + "os.close(alive)\nstay()") as (process, gone):
        os.kill(int(words(process, 1).pop()), signal.SIGTERM)
        assert ends(gone), "the child has outlived a SIGTERM"
        assert process.poll() is None


def test_hivemind_will_fork_and_may_open_many_files() -> None:
    script = """
say(multiprocessing.get_start_method())
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
say(soft in (WANTED_FILE_DESCRIPTORS, hard) or soft > WANTED_FILE_DESCRIPTORS)
"""
    with family(script) as (process, _gone):
        assert words(process, 2) == {"fork", "True"}
