"""Two real peers: a program that the owner has named pauses the volunteer, and its end lets it go on.

The volunteer is a real client with real workers and real observers; only the clock by which rests are measured runs
faster than this computer's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.availability.rules import AvailabilityRules
from core.client.availability_guard import AvailabilityGuard
from core.client.computer_watch import ComputerWatch
from core.observers.computer import ComputerObserver
from core.protocol.events import PeersSeen, TrainingStarted
from core.run.address import JoinAddress
from tests.support.client_harness import FrontEnd
from tests.support.computer.named_program import NAME, running_program
from tests.support.computer.scripted_computer import SPEED
from tests.support.peers import slow_computer
from tests.support.real_peers import LIMIT_SECONDS, PeerGroup, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

RULES = AvailabilityRules(battery=False, gpu_share=None, memory_pressure=None, programs=(NAME,))
CHECK_SECONDS = 0.1


@contextmanager
def ruled(front: FrontEnd) -> Iterator[None]:
    """While this lasts, the rules decide for that front end, on a thread of their own."""
    watch = ComputerWatch(
        lambda: ComputerObserver(front.folders.data, frozenset()),
        lambda: RULES,
        clock=lambda: time.monotonic() * SPEED,
        look_seconds=CHECK_SECONDS,
    )
    guard, ended = AvailabilityGuard(lambda: RULES, lambda: watch.seen({}), front.post), threading.Event()

    def decide() -> None:
        while not ended.wait(CHECK_SECONDS):
            guard.check()

    thread = threading.Thread(target=decide)
    watch.start()
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        watch.stop()


def test_a_volunteer_leaves_for_a_program_and_comes_back_after_it(group: PeerGroup, tmp_path: Path) -> None:
    organiser = group.organiser(manifest=tiny())
    organiser.wait_for(TrainingStarted)
    front = FrontEnd(tmp_path / "volunteer", worker_command=slow_computer.WORKER, limit_seconds=LIMIT_SECONDS)
    try:
        with ruled(front):
            front.client.start(front.search(JoinAddress.parse(organiser.posted)), device="cpu", threads=1)
            given = front.until(lambda session: session.contributed_samples > 0).contributed_samples
            organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2)
            with running_program(tmp_path):
                session = front.until(lambda session: session.is_held and session.phase == "paused")
                assert session.pause is not None and session.pause.rule is not None
                assert (session.pause.rule.rule, session.pause.rule.subject) == ("program", NAME)
                assert not session.is_worker_running
                organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 1, since=len(organiser.said))
            session = front.until(lambda session: session.phase == "training" and session.progress is not None)
            assert session.contributed_samples >= given
            organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2, since=len(organiser.said))
    finally:
        front.client.close()
