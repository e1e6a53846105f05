"""The process that trains, as the client sees it: what it says arrives, and nothing of it survives."""

from __future__ import annotations

import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from core.engine.worker_process import WorkerProcess
from core.errors import ErrorKind
from core.files.logs import worker_log
from core.protocol.client_events import WorkerExited
from core.protocol.commands import Check, Join, Leave, Publish, Start
from core.protocol.events import AnyEvent, Connected, Failed, Hello, Left, Progress, SearchFinished, TrainingStarted
from core.protocol.types import PROTOCOL_VERSION
from tests.support.consents import NO_DIGEST
from tests.support.peers import fake_worker
from tests.support.peers.sample_addresses import NOWHERE

LIMIT_SECONDS = 60.0
SOON_SECONDS = 10.0
JOIN = Join(addresses=(NOWHERE,), home="/nowhere")
START = Start(run_id=fake_worker.RUN_ID, organiser=fake_worker.ORGANISER, digest=NO_DIGEST, device="cpu")

_Kind = TypeVar("_Kind")


class Worker(WorkerProcess):
    """A fake worker, and the queue into which it posts."""

    def __init__(self, folder: Path, part: str, hello_limit_seconds: float = LIMIT_SECONDS) -> None:
        self.events: queue.Queue[AnyEvent | WorkerExited] = queue.Queue()
        super().__init__(
            [sys.executable, fake_worker.__file__, str(folder / "journal"), part],
            post=self.events.put,
            logs=folder,
            hello_limit_seconds=hello_limit_seconds,
        )

    def wait_for(self, kind: type[_Kind]) -> _Kind:
        """The next event of that kind; others are passed over."""
        while not isinstance(event := self.events.get(timeout=LIMIT_SECONDS), kind):
            assert not isinstance(event, WorkerExited), f"it ended before it said {kind.__name__}"
        return event

    def wait_for_end(self) -> list[AnyEvent | WorkerExited]:
        """Everything that is still said, its end included."""
        assert self.wait(LIMIT_SECONDS)
        return [self.events.get_nowait() for _ in range(self.events.qsize())]


Hire = Callable[..., Worker]


@pytest.fixture
def hire(tmp_path: Path) -> Iterator[Hire]:
    """Starts fake workers; afterwards nothing of any of them lives."""
    workers: list[Worker] = []

    def start(part: str, hello_limit_seconds: float = LIMIT_SECONDS) -> Worker:
        workers.append(Worker(tmp_path, part, hello_limit_seconds))
        return workers[-1]

    yield start
    for worker in workers:
        worker.kill()
        assert worker.wait(LIMIT_SECONDS)
        assert_nothing_lives(worker.pid)


def family(group: int) -> list[psutil.Process]:
    """Everybody who lives in that process group."""
    return [process for process in psutil.process_iter() if _is_alive_in(process, group)]


def _is_alive_in(process: psutil.Process, group: int) -> bool:
    try:
        return os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, ProcessLookupError):
        return False


def assert_nothing_lives(group: int) -> None:
    """Killed processes take a moment to go."""
    _, alive = psutil.wait_procs(family(group), timeout=SOON_SECONDS)
    assert alive == []


def test_what_a_worker_says_arrives_in_order_and_its_end_comes_last(hire: Hire) -> None:
    worker = hire("good")
    worker.send(JOIN)
    assert isinstance(worker.events.get(timeout=LIMIT_SECONDS), Hello)
    assert isinstance(worker.events.get(timeout=LIMIT_SECONDS), Connected)
    worker.wait_for(SearchFinished)
    worker.send(START)
    worker.wait_for(TrainingStarted)
    worker.wait_for(Progress)
    worker.send(Leave())
    *_, left, end = worker.wait_for_end()
    assert isinstance(left, Left)
    assert end == WorkerExited(0)


def test_a_worker_whose_client_is_gone_says_goodbye(hire: Hire) -> None:
    worker = hire("good")
    worker.send(Publish(manifest=fake_worker.manifest(), home="/nowhere"))
    worker.wait_for(Progress)
    worker.end()
    *_, left, end = worker.wait_for_end()
    assert isinstance(left, Left)
    assert end == WorkerExited(0)


def test_speaking_to_a_dead_worker_is_no_error(hire: Hire) -> None:
    worker = hire("die_before_hello")
    assert worker.wait_for_end() == [WorkerExited(1)]
    worker.send(Check())
    worker.end()
    worker.kill()


def test_a_worker_that_does_not_listen_keeps_nobody_waiting(hire: Hire) -> None:
    worker = hire("be_silent")
    begin = time.monotonic()
    for _ in range(1000):
        worker.send(Publish(manifest=fake_worker.manifest(), home="/nowhere"))
    assert time.monotonic() - begin < SOON_SECONDS
    worker.kill()
    assert worker.wait_for_end() == [WorkerExited(-9)]


def test_killing_ends_the_children_and_their_children(hire: Hire) -> None:
    worker = hire("have_children")
    worker.send(JOIN)
    worker.wait_for(SearchFinished)
    worker.send(START)
    worker.wait_for(TrainingStarted)
    assert len(family(worker.pid)) == 3
    worker.kill()
    assert worker.wait_for_end()[-1] == WorkerExited(-9)
    assert_nothing_lives(worker.pid)


def test_a_dead_worker_is_noticed_although_its_children_hold_the_pipe(hire: Hire) -> None:
    worker = hire("die_before_children")
    assert isinstance(worker.events.get(timeout=LIMIT_SECONDS), Hello)
    assert worker.events.get(timeout=SOON_SECONDS) == WorkerExited(-9)
    assert_nothing_lives(worker.pid)


def test_a_worker_has_a_process_group_of_its_own(hire: Hire) -> None:
    worker = hire("train_and_ignore_leave")
    worker.wait_for(Hello)
    assert os.getpgid(worker.pid) == worker.pid != os.getpgrp()
    assert os.getsid(worker.pid) == worker.pid


@pytest.mark.parametrize("part", ["talk_nonsense", "talk_before_hello", "talk_without_end"])
def test_a_worker_that_talks_nonsense_is_stopped(hire: Hire, part: str) -> None:
    worker = hire(part)
    assert worker.wait_for(Failed).problem == ErrorKind.WORKER_NONSENSE.key
    assert worker.wait_for_end() == [WorkerExited(-9)]


def test_a_worker_of_another_version_is_stopped(hire: Hire) -> None:
    worker = hire("speak_a_newer_protocol")
    failed = worker.wait_for(Failed)
    assert failed.problem == ErrorKind.PROTOCOL_MISMATCH.key
    assert f"protocol {PROTOCOL_VERSION + 1}," in str(failed.detail)
    assert worker.wait_for_end() == [WorkerExited(-9)]


def test_a_worker_that_never_says_hello_is_stopped(hire: Hire) -> None:
    worker = hire("be_silent", hello_limit_seconds=0.5)
    assert worker.wait_for(Failed).problem == ErrorKind.ENGINE_MISSING.key
    assert worker.wait_for_end() == [WorkerExited(-9)]


def test_half_a_line_is_a_death_and_not_nonsense(hire: Hire) -> None:
    worker = hire("die_in_a_line")
    assert isinstance(worker.events.get(timeout=LIMIT_SECONDS), Hello)
    assert worker.wait_for_end() == [WorkerExited(1)]


def test_what_a_worker_complains_of_is_in_the_log(hire: Hire, tmp_path: Path) -> None:
    hire("die_before_hello").wait_for_end()
    assert "No module named core.worker" in worker_log(tmp_path).read_text()


def test_a_program_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        WorkerProcess([str(tmp_path / "python")], post=lambda event: None, logs=tmp_path)


def test_a_worker_is_of_the_same_core_wherever_a_person_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.engine.worker_command import worker_command

    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "worker.py").write_text("raise SystemExit(77)")
    monkeypatch.chdir(tmp_path)
    events: queue.Queue[AnyEvent | WorkerExited] = queue.Queue()
    worker = WorkerProcess(worker_command(tmp_path), post=events.put, logs=tmp_path)
    assert isinstance(events.get(timeout=LIMIT_SECONDS), Hello)
    worker.end()
    assert worker.wait(LIMIT_SECONDS)
