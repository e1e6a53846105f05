"""A front end in its smallest form, for tests of ``core.client`` with a fake engine."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from core.availability.rules import AvailabilityRules
from core.client.availability_guard import AvailabilityGuard
from core.client.client import Client
from core.client.computer_watch import ComputerWatch
from core.client.restart_policy import RestartPolicy
from core.client.session import Session
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent
from core.protocol.codec import decode_command
from core.protocol.commands import AnyCommand
from core.protocol.events import RunFound
from core.run.address import JoinAddress
from tests.support.peers import fake_worker
from tests.support.peers.sample_addresses import NOWHERE

LIMIT_SECONDS = 60.0
CHECK_SECONDS = 0.1
ADDRESS = JoinAddress(peers=(NOWHERE,))
PROMPT = RestartPolicy(delays_seconds=(0.01, 0.02, 0.03, 0.04, 0.05))


def children(*, recursive: bool = False) -> list[psutil.Process]:
    """Of this process, but for those of libraries, which live as long as it does.

    torch has one where a tensor was ever shared, and multiprocessing, from Python 3.14 on, where a lock was ever made.
    """
    found = psutil.Process().children(recursive=recursive)
    return [child for child in found if _name(child) not in ("", "torch_shm_manager") and not _is_tracker(child)]


def _is_tracker(process: psutil.Process) -> bool:
    """Whether it is multiprocessing's resource tracker."""
    try:
        return any("resource_tracker" in word for word in process.cmdline())
    except psutil.NoSuchProcess:
        return True


def _name(process: psutil.Process) -> str:
    """Nothing where it has just ended."""
    try:
        name: str = process.name()
    except psutil.NoSuchProcess:
        return ""
    return name


@contextlib.contextmanager
def no_new_children() -> Iterator[None]:
    """Whoever is born in there is gone at the end; what an earlier test has left is that test's affair."""
    before = children()
    yield
    assert [child for child in children() if child not in before] == []


class FrontEnd:
    """A front end in its smallest form: a queue, which ``post`` fills, and a main thread that empties it.

    Its workers are fake ones that play those ``parts``, unless there is a ``worker_command`` that starts real ones,
    which get more time for each thing: ``limit_seconds``. Of each of the ``events``, ``handled_at`` has the time on the
    monotonic clock.
    """

    def __init__(
        self,
        home: Path,
        *parts: str,
        restarts: RestartPolicy = PROMPT,
        worker_command: Sequence[str] = (),
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        self.events: list[ClientEvent] = []
        self.handled_at: list[float] = []
        self.folders = Folders.below(home)
        self._journal, self._limit_seconds = home / "journal", limit_seconds
        self._queue: queue.Queue[ClientEvent] = queue.Queue()
        self.post = self._queue.put
        self.client = Client(
            self.folders,
            self.post,
            worker_command=worker_command or [sys.executable, fake_worker.__file__, str(self._journal), *parts],
            restarts=restarts,
            leave_limit_seconds=3.0,
        )

    @property
    def session(self) -> Session:
        """The picture as it is now."""
        return self.client.session

    def until(self, is_so: Callable[[Session], bool]) -> Session:
        """Handle events until the picture is so."""
        deadline = time.monotonic() + self._limit_seconds
        while not is_so(self.session):
            assert self.session.phase != "ended", self.session
            try:
                event = self._queue.get(timeout=max(deadline - time.monotonic(), 0.01))
            except queue.Empty:
                said = "\n".join(str(event)[:300] for event in self.events[-15:])
                raise AssertionError(f"that was not so in time; {self.session}\nthe last events:\n{said}") from None
            self.events.append(event)
            self.handled_at.append(time.monotonic())
            self.client.handle(event)
        return self.session

    def until_ended(self) -> Session:
        """Handle events until the session has ended."""
        return self.until(lambda session: session.phase == "ended")

    def search(self, address: JoinAddress = ADDRESS) -> RunFound:
        """Join, and find the first run there."""
        self.client.join(address)
        return self.until(lambda session: session.is_search_finished).runs[0]

    def train(self, address: JoinAddress = ADDRESS, **wishes: Any) -> Session:
        """Join, agree, and train until the first samples are computed; on one core, unless something else is wished."""
        asked: dict[str, Any] = {"device": "cpu", "threads": 1}
        self.client.start(self.search(address), **(asked | wishes))
        return self.until(lambda session: session.contributed_samples > 0)

    def happened(self, kind: type) -> list[ClientEvent]:
        """The events of that kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def lives(self) -> list[list[AnyCommand]]:
        """What each worker was told."""
        lives: list[list[AnyCommand]] = []
        for line in self._journal.read_bytes().splitlines():
            if line == fake_worker.BIRTH.encode():
                lives.append([])
            else:
                lives[-1].append(decode_command(line))
        return lives


Open = Callable[..., FrontEnd]


@contextlib.contextmanager
def ruled(front: FrontEnd, watch: ComputerWatch, rules: Callable[[], AvailabilityRules]) -> Iterator[None]:
    """While this lasts, the rules decide for that front end, on a thread of their own."""
    guard, ended = AvailabilityGuard(rules, lambda: watch.seen({}), front.post), threading.Event()

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
