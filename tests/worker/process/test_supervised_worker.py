"""A real worker outlives an exception in each of its threads, and one that stays ends it in words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import ErrorKind
from core.protocol.codec import decode_event, encode
from core.protocol.commands import Leave, Publish
from core.protocol.events import AnyEvent, Evaluated, Failed, Left, TrainingStarted
from core.run.multiaddr import Multiaddr
from tests.support.environment.x11_desktop import wait_for
from tests.support.real_peers import LOOPBACK, LineProcess, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

ORGANISERS = {
    "command reader",
    "event writer",
    "child processes",
    "publisher",
    "leave",
    "peer monitor",
    "LAN peers",
    "connection monitor",
}


@contextmanager
def organiser(folder: Path, *arguments: str) -> Iterator[LineProcess[AnyEvent]]:
    """A worker that publishes a run, with threads that throw."""
    command = [sys.executable, "-m", "tests.support.peers.throwing_worker", *arguments]
    worker = LineProcess[AnyEvent](command, folder / "worker.log", decode_event)
    try:
        publish = Publish(
            manifest=tiny(target_batch_size=400), home=str(folder), listen=(Multiaddr(LOOPBACK),), threads=1
        )
        worker.stdin.write(encode(publish))
        worker.stdin.flush()
        yield worker
    finally:
        worker.end()


def failed_in(log: str) -> set[str]:
    """The threads of an organiser that have failed, by their names."""
    return {name for name in ORGANISERS if f"the thread “{name}” failed" in log}


def test_a_worker_outlives_an_exception_in_each_of_its_threads(tmp_path: Path) -> None:
    with organiser(tmp_path, "1") as worker:
        worker.wait_for(Evaluated, lambda event: event.epoch >= 2)
        log = tmp_path / "worker.log"
        wait_for(lambda: failed_in(log.read_text()) == ORGANISERS, f"a failure of each thread in {log}")
        worker.stdin.write(encode(Leave()))
        worker.stdin.flush()
        assert worker.wait_for(Left).contributed_samples > 0
        assert worker.ended() == 0


def test_a_thread_that_cannot_work_ends_the_worker_in_words(tmp_path: Path) -> None:
    with organiser(tmp_path, "99", "peer monitor") as worker:
        worker.wait_for(TrainingStarted)
        failed = worker.wait_for(Failed)
        assert ErrorKind.from_key(failed.problem) is ErrorKind.INTERNAL
        assert "“peer monitor” failed 4 times" in str(failed.detail) and "RuntimeError" in str(failed.detail)
        assert worker.ended() == 1
