"""The owner's programs come first: a worker leaves the processor to whatever else wants it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from core.protocol.events import Progress
from core.worker.process.cpu_priority import COMPUTING_NICENESS, NETWORK_NICENESS
from tests.support.real_peers import PeerGroup
from tests.worker.training.test_slowed_peer import computing

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="niceness of threads is Linux's"),
    pytest.mark.timeout(900),
]

SHARE = 0.25  # of what another program gets; without a priority of its own the worker's session gets as much
WATCHED_SECONDS = 8.0  # of the other program's computing
PRINT_NICENESS = """
import os, sys, threading
from core.worker.process.cpu_priority import CPU_PRIORITY
idle = threading.Event()
CPU_PRIORITY.lower()
threading.Thread(target=idle.wait, daemon=True).start()
child = os.fork()
if not child:
    os._exit(os.getpriority(os.PRIO_PROCESS, 0))
CPU_PRIORITY.lower_computing()
threads = sorted({os.getpriority(os.PRIO_PROCESS, int(each)) for each in os.listdir("/proc/self/task")})
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), *threads)
"""


@contextlib.contextmanager
def usual_niceness() -> Iterator[None]:
    """What is started has the usual niceness, not that of tests; skips where only root could give it."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    except PermissionError:
        pytest.skip("the niceness of tests cannot be taken back")
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)


def told_niceness() -> list[int]:
    """That of a child, and those of the threads of a process in a session of its own."""
    command = [sys.executable, "-c", PRINT_NICENESS]
    told = subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=True)
    return [int(each) for each in told.stdout.split()]


def test_children_come_after_the_owners_programs_and_all_threads_that_compute_after_them() -> None:
    with usual_niceness():
        assert told_niceness() == [NETWORK_NICENESS, COMPUTING_NICENESS]


def test_a_niceness_that_was_chosen_is_kept() -> None:
    chosen = os.getpriority(os.PRIO_PROCESS, 0)
    assert chosen > 0, "as tests are started"
    assert told_niceness() == [chosen, chosen]


@pytest.mark.real
@pytest.mark.slow
def test_another_program_on_its_processor_gets_nearly_all_of_it_while_a_worker_trains(group: PeerGroup) -> None:
    with usual_niceness():
        worker = group.cold.organiser(manifest=computing())
        worker.wait_for(Progress, lambda progress: bool(progress.loss))
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    try:
        theirs, ours = psutil.Process(busy.pid), worker.family
        core = min(os.sched_getaffinity(0))
        theirs.cpu_affinity([core])
        for process in ours:
            for thread in process.threads():
                with contextlib.suppress(ProcessLookupError):  # it has ended since
                    os.sched_setaffinity(thread.id, {core})
        before, began = computed(ours), computed([theirs])
        while computed([theirs]) - began < WATCHED_SECONDS:
            time.sleep(0.2)
        assert 0 < computed(ours) - before < SHARE * (computed([theirs]) - began)
    finally:
        busy.kill()
        busy.wait()


def computed(processes: list[psutil.Process]) -> float:
    """The processor's seconds that they have had."""
    return sum(sum(each.cpu_times()[:2]) for each in processes)
