"""The worker's error names a process that has ended, whoever notices it first."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import ErrorKind, UserError
from core.worker.process.watchdog import blame_exited_processes
from core.worker.swarm.dht.child_processes import ChildProcesses


@pytest.fixture
def child() -> Any:
    """A process that lives until it is killed; it stands for an averager's."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.fixture
def swarm(child: subprocess.Popen[bytes]) -> Any:
    """A swarm as far as its processes go."""
    children = ChildProcesses()
    children.watch("An averaging process", child.pid)
    return SimpleNamespace(children=children)


def test_an_error_after_the_end_of_a_process_is_that_end(swarm: Any, child: subprocess.Popen[bytes]) -> None:
    with pytest.raises(UserError) as told, blame_exited_processes(swarm):
        child.kill()
        raise RuntimeError("the pipe is broken")
    assert (told.value.problem, str(told.value.detail)) == (ErrorKind.WORKER_CRASHED, "An averaging process has ended.")
    assert isinstance(told.value.__cause__, RuntimeError)


def test_an_error_while_all_processes_live_or_while_we_leave_is_what_it_is(
    swarm: Any, child: subprocess.Popen[bytes]
) -> None:
    with pytest.raises(RuntimeError), blame_exited_processes(swarm):
        raise RuntimeError("a bug")
    with pytest.raises(UserError, match="full"), blame_exited_processes(swarm):
        child.kill()
        raise UserError(ErrorKind.DISK_FULL, "full")
    swarm.children.stop_watching()
    with pytest.raises(RuntimeError), blame_exited_processes(swarm):
        raise RuntimeError("a bug")
