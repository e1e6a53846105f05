"""CPU time that others use is told from our own: real busy processes, which the test starts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from core.availability.rules import AvailabilityRules
from core.observers.pressure import OtherCpuUse, memory_pressure
from core.observers.programs import running_pids
from tests.support.computer.memory_cgroup import short_of_memory

BUSY_SECONDS = 1.5
WAIT_SECONDS = 60.0
BUSY = "while True: pass"
WITH_BUSY_CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}])"
WITH_CHILDREN_THAT_END = """
import subprocess, sys
while True:
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.3: pass"])
"""
IDLE = "import sys; sys.stdin.read()"


@contextmanager
def running(source: str) -> Iterator[psutil.Process]:
    """That program and all that it starts, until the end of the test."""
    with subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE) as process:
        family = psutil.Process(process.pid)
        try:
            yield family
        finally:
            for each in (family, *family.children(recursive=True)):
                each.kill()


def used_seconds(family: psutil.Process) -> float:
    """What it and its descendants have computed."""
    times = [each.cpu_times() for each in (family, *family.children(recursive=True)) if each.is_running()]
    return sum(each.user + each.system + each.children_user + each.children_system for each in times)


@pytest.mark.parametrize("source", [BUSY, WITH_BUSY_CHILD, WITH_CHILDREN_THAT_END])
def test_what_a_worker_and_its_children_compute_is_not_other_use(source: str) -> None:
    with running(source) as worker, running(IDLE) as idle:
        by_idle, by_worker = OtherCpuUse(idle.pid), OtherCpuUse(worker.pid)
        assert by_idle.look(running_pids()) is None and by_worker.look(running_pids()) is None
        begun, before = time.monotonic(), used_seconds(worker)
        while used_seconds(worker) - before < BUSY_SECONDS:
            assert time.monotonic() - begun < WAIT_SECONDS
            time.sleep(0.1)
        used, seconds = used_seconds(worker) - before, time.monotonic() - begun
        of_all, of_others = by_idle.look(running_pids()), by_worker.look(running_pids())
    assert of_all is not None and of_others is not None
    told = (of_all - of_others) * (os.cpu_count() or 1) * seconds
    assert told == pytest.approx(used, rel=0.3)


def test_another_busy_program_is_other_use() -> None:
    with running(BUSY) as other, running(IDLE) as worker:
        use = OtherCpuUse(worker.pid)
        assert use.look(running_pids()) is None
        begun, before = time.monotonic(), used_seconds(other)
        while used_seconds(other) - before < BUSY_SECONDS:
            assert time.monotonic() - begun < WAIT_SECONDS
            time.sleep(0.1)
        share = use.look(running_pids())
        seconds = time.monotonic() - begun
    assert share is not None
    assert share * (os.cpu_count() or 1) * seconds >= BUSY_SECONDS * 0.8


def test_two_looks_at_once_and_a_process_that_is_gone_tell_nothing() -> None:
    use = OtherCpuUse()
    assert use.look(running_pids()) is None
    assert use.look(running_pids()) is None
    with running(IDLE) as gone:
        pass
    assert OtherCpuUse(gone.pid).look(running_pids()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("some avg10=12.50 avg60=1.00 avg300=0.10 total=5\nfull avg10=9.00 avg60=1.00 avg300=0.10 total=5\n", 0.125),
        ("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", 0.0),
        ("full avg10=9.00 avg60=1.00 avg300=0.10 total=5\n", None),
        ("some avg10=nan avg60=1.00\n", None),
        ("some", None),
        ("", None),
    ],
)
def test_memory_pressure_is_the_share_of_time_that_some_task_waits(
    tmp_path: Path, text: str, expected: float | None
) -> None:
    (tmp_path / "memory").write_text(text)
    assert memory_pressure(tmp_path / "memory") == expected


def test_a_kernel_that_does_not_say_is_not_seen(tmp_path: Path) -> None:
    assert memory_pressure(tmp_path / "none") is None


@pytest.mark.skipif(not os.access("/proc/pressure/memory", os.R_OK), reason="this kernel tells no pressure")
def test_this_kernel_tells_its_memory_pressure() -> None:
    pressure = memory_pressure()
    assert pressure is not None and 0 <= pressure <= 1


def wait_until(pressure: Callable[[], float | None], is_so: Callable[[float], bool]) -> None:
    """Until that share is as it should be."""
    begun = time.monotonic()
    while not is_so(pressure() or 0.0):
        assert time.monotonic() - begun < WAIT_SECONDS
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="pressure is Linux's")
def test_a_program_that_is_short_of_memory_is_seen_until_it_ends(tmp_path: Path) -> None:
    """A real control group, whose tasks wait for more of the time than the rule allows."""
    allowed = AvailabilityRules().memory_pressure
    assert allowed is not None
    with ExitStack() as ends:
        try:
            of_program = ends.enter_context(short_of_memory(tmp_path))
        except OSError as error:
            pytest.skip(f"no control group can be made here: {error}")
        wait_until(partial(memory_pressure, of_program), lambda share: share > allowed)
        wait_until(memory_pressure, lambda share: share > allowed)
    wait_until(memory_pressure, lambda share: share < allowed)
