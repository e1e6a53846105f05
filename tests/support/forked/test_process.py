"""A forked process is one like any other: a process group, an environment, a network and an end of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from core.engine.worker_command import worker_environment
from tests.support.checkout import ROOT
from tests.support.client_harness import children
from tests.support.environment.network_namespaces import Internet
from tests.support.forked.process import ForkedProcess, can_fork
from tests.support.forked.server import MARK, MARK_LENGTH, NETWORKS

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-P", "-m", "json.tool", "--compact"]  # ends with its standard input
A_MARK = "somebody".ljust(MARK_LENGTH, "-")
LIMIT_SECONDS = 60.0
ASKER = """
import os, sys
from core.engine.worker_command import worker_environment
from tests.support.forked.server import MARK, MARK_LENGTH
from tests.support.forked.process import ForkedProcess
process = ForkedProcess(sys.argv[1:], sys.stderr.buffer, {**worker_environment(), MARK: "x" * MARK_LENGTH})
print(os.getppid(), process.pid, flush=True)
sys.stdin.read()
"""

Fork = Callable[..., ForkedProcess]


@pytest.fixture
def fork(tmp_path: Path) -> Iterator[Fork]:
    """Forks such processes; none of them lives afterwards."""
    forked: list[ForkedProcess] = []

    def fork_one(*within: str, command: Sequence[str] = COMMAND) -> ForkedProcess:
        with (tmp_path / "log").open("ab") as log:
            environment = {**worker_environment(), "WISH": "tea", MARK: A_MARK}
            forked.append(ForkedProcess([*within, *command], log, environment))
        return forked[-1]

    yield fork_one
    for process in forked:
        process.kill()
        process.wait(LIMIT_SECONDS)
        process.stdin.close()
        process.stdout.close()


def test_it_reads_writes_and_ends_with_its_own_code(fork: Fork) -> None:
    right, wrong = fork(), fork()
    for process, text in ((right, b'{"a": [1, 2]}'), (wrong, b"{")):
        assert process.poll() is None
        process.stdin.write(text)
        process.stdin.close()
    assert (right.stdout.read(), right.wait(LIMIT_SECONDS)) == (b'{"a":[1,2]}\n', 0)
    assert (wrong.stdout.read(), wrong.wait(LIMIT_SECONDS)) == (b"", 1)


def test_it_leads_a_process_group_of_our_session_and_is_known_by_its_mark(fork: Fork) -> None:
    process = fork()
    assert os.getpgid(process.pid) == process.pid
    assert os.getsid(process.pid) == os.getsid(0)
    assert psutil.Process(process.pid).environ()[MARK] == A_MARK
    assert Path(psutil.Process(process.pid).cwd()) == Path.cwd()
    assert not {process.pid} & {child.pid for child in children(recursive=True)}


def test_a_signal_ends_it_and_is_its_exit_code(fork: Fork) -> None:
    killed, asked = fork(), fork()
    killed.kill()
    asked.terminate()
    assert (killed.wait(LIMIT_SECONDS), asked.wait(LIMIT_SECONDS)) == (-signal.SIGKILL, -signal.SIGTERM)
    assert not psutil.pid_exists(killed.pid)
    with pytest.raises(subprocess.TimeoutExpired):
        fork().wait(0.1)


def test_who_is_killed_with_locks_of_hivemind_holds_up_nobody_else(fork: Fork) -> None:
    command = [sys.executable, "-m", "tests.support.forked.own_locks"]
    killed = fork(command=command)
    assert killed.stdout.readline() == b"True\n"
    killed.kill()
    killed.wait(LIMIT_SECONDS)
    assert fork(command=command).stdout.readline() == b"True\n"


def test_no_server_outlives_whoever_has_asked_it() -> None:
    command = [sys.executable, "-c", ASKER, *COMMAND]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=worker_environment(), cwd=ROOT) as asker:
        assert asker.stdin is not None and asker.stdout is not None
        child = psutil.Process(int(asker.stdout.readline().split()[1]))
        server = child.parent()
        assert server is not None and server.pid != asker.pid
        asker.kill()
    _, alive = psutil.wait_procs([server, child], timeout=LIMIT_SECONDS)
    assert alive == []


@pytest.mark.networks
def test_it_may_be_in_a_network_of_its_own(fork: Fork, net: Internet) -> None:
    host = net.host()
    assert can_fork([*host.within, *COMMAND])
    process = fork(*host.within)
    theirs = Path(f"/proc/{process.pid}/ns/net").stat().st_ino
    assert theirs == (NETWORKS / host.namespace).stat().st_ino
    host.ask_names_of(host)
    assert not can_fork([*host.within, *COMMAND]), "ip mounts its settings"


def test_other_programs_are_not_forked() -> None:
    assert not can_fork(["/usr/bin/python3", "-m", "core.worker"])
    assert not can_fork(["env", *COMMAND])
