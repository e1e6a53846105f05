"""A worker's scope, by a real systemd user manager: a share of its own for all of its processes, until they end."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import psutil
import pytest

from core.observers.desktop_bus.worker_scope import give_scope, scope_of
from core.service.unit import CPU_AND_IO_WEIGHT
from tests.core.service.user_manager import UserManager, why_not
from tests.support.environment.x11_desktop import wait_for

WORKERBEE = str(Path(sys.executable).with_name("workerbee"))
END_SECONDS = 60.0


def groups_of(process: psutil.Process) -> str:
    """Its control groups, a line each; none of one that has ended."""
    try:
        return Path(f"/proc/{process.pid}/cgroup").read_text(encoding="utf-8")
    except OSError:
        return ""


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")
def test_all_processes_of_a_worker_are_in_a_scope_of_small_weight_which_ends_with_them(tmp_path: Path) -> None:
    run_file = tmp_path / "run.toml"
    with UserManager(tmp_path) as manager:
        assert manager.run(WORKERBEE, "run", "new", str(run_file)).returncode == 0
        manager.bus_address()
        client = manager.start(WORKERBEE, "publish", str(run_file), "--no-train", "--json")
        assert client.stdout is not None
        next(line for line in client.stdout if json.loads(line)["event"] == "published")
        (worker,) = psutil.Process(client.pid).children()
        scope = scope_of(worker.pid)
        family = [worker, *worker.children(recursive=True)]
        assert len(family) > 3, "averagers, p2pd and who starts it"
        wait_for(lambda: all(f"/{scope}" in groups_of(each) for each in family if each.is_running()), "all of them")
        assert f"/{scope}" not in groups_of(psutil.Process(client.pid))
        weights = [manager.property_of(scope, name) for name in ("CPUWeight", "IOWeight")]
        assert weights == [str(CPU_AND_IO_WEIGHT)] * 2
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=END_SECONDS)
        psutil.wait_procs(family, END_SECONDS)
        assert not any(each.is_running() for each in family)
        wait_for(lambda: manager.property_of(scope, "LoadState") == "not-found", "the scope's end")


@pytest.mark.real
@pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")
def test_children_that_a_worker_started_before_systemd_answered_are_in_its_scope_too(tmp_path: Path) -> None:
    with UserManager(tmp_path) as manager:
        worker = manager.start("sh", "-c", "sh -c 'echo started; sleep 600; true' & wait")
        assert worker.stdout is not None
        assert worker.stdout.readline() == "started\n"
        wait_for(lambda: len(psutil.Process(worker.pid).children(recursive=True)) == 2, "a child's child")
        children = psutil.Process(worker.pid).children(recursive=True)
        try:
            give_scope(worker.pid, manager.bus_address)
            family = [psutil.Process(worker.pid), *children]
            wait_for(lambda: all(f"/{scope_of(worker.pid)}" in groups_of(each) for each in family), "all of them")
        finally:
            for each in children:
                each.kill()


def test_without_a_user_manager_nothing_happens(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    give_scope(2**22 + 1, lambda: "")
    wait_for(lambda: "the worker has no scope of its own" in caplog.text, "the thread's answer")
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
