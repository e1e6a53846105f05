"""Real peers on loopback: workers of this checkout, heard through their own pipes, and nothing left of them.

A worker is started as the client starts it, but by itself: nobody kills its group when it dies, so that a test
sees what it does alone. Whoever belongs to it, wherever it has gone, carries a mark in its environment.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import psutil

from core.manifest import ArithmeticGPT, Collaboration, OptimizerSpec, RunInfo, RunManifest, SumsData
from core.messages import (
    AnyCommand,
    AnyEvent,
    Connected,
    Join,
    Leave,
    NetworkMode,
    Progress,
    Publish,
    Published,
    RunFound,
    SearchFinished,
    Start,
    TrainingStarted,
    decode_event,
    encode,
)
from core.runtime import worker_command, worker_environment

LIMIT_SECONDS = 120.0
GONE_SECONDS = 15.0  # generous: a family is gone when five seconds have passed
MARK = "WORKERBEE_TEST_FAMILY"
LOOPBACK = "/ip4/127.0.0.1/tcp/0"
RUN_ID = "tiny-sums"
_numbers = itertools.count(1)

_Kind = TypeVar("_Kind")


def tiny(name: str = "Tiny sums", **collaboration: Any) -> RunManifest:
    """A run whose epochs last some seconds on one slow core; unclipped, so that plain AdamW is its optimizer."""
    numbers: dict[str, Any] = {
        "target_batch_size": 6000,
        "batch_size_per_step": 4,
        "matchmaking_time": 2.0,
        "averaging_timeout": 20.0,
    }
    return RunManifest(
        run=RunInfo(id=RUN_ID, name=name),
        recipe=ArithmeticGPT(layers=1, width=32, heads=2),
        data=SumsData(digits=1),
        optimizer=OptimizerSpec(max_grad_norm=None),
        collaboration=Collaboration(**(numbers | collaboration)),
    )


def marked(mark: str) -> list[psutil.Process]:
    """Every living process that was started with that mark, or by one that was."""
    return [process for process in psutil.process_iter() if _carries(process, mark)]


def _carries(process: psutil.Process, mark: str) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == mark
    except (psutil.Error, OSError):
        return False


def survivors(
    mark: str, processes: Sequence[psutil.Process] = (), seconds: float = GONE_SECONDS
) -> list[str]:
    """Who still lives of those, and of whoever carries the mark, when all should be gone; for an assertion."""
    deadline = time.monotonic() + seconds
    while alive := [*filter(_lives, processes), *marked(mark)]:
        if time.monotonic() > deadline:
            return sorted({f"{process.pid}: {' '.join(_words(process))}" for process in alive})
        psutil.wait_procs(alive, timeout=0.2)
    return []


def _lives(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return ["?"]


class Marked:
    """A process of this test's own and all that comes of it; ``end`` leaves nothing."""

    def __init__(self, command: Sequence[str], log: Path, **environment: str) -> None:
        self.mark = f"{os.getpid()}-{next(_numbers)}"
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**worker_environment(), **environment, MARK: self.mark},
                start_new_session=True,
            )
        self.commands = cast(IO[bytes], self.process.stdin)
        self.lines = cast(IO[bytes], self.process.stdout)

    @property
    def family(self) -> list[psutil.Process]:
        """The process and every other one that lives because of it."""
        return marked(self.mark)

    def wait(self, seconds: float = LIMIT_SECONDS) -> int:
        """Its exit code, once it has ended."""
        return self.process.wait(seconds)

    def end(self) -> None:
        """Kill whatever is left, by its number."""
        for process in (*self.family, psutil.Process()):
            if process.pid != os.getpid():
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        self.process.wait(GONE_SECONDS)
        for pipe in (self.commands, self.lines):
            with contextlib.suppress(OSError):
                pipe.close()
        assert survivors(self.mark) == []

    def last_words(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-6000:]


class Peer(Marked):
    """A real worker; ``said`` is every event so far. It is not heard while ``is_heard`` is cleared."""

    def __init__(self, home: Path) -> None:
        super().__init__(worker_command(), home / "logs" / "worker.log")
        self.home = home
        self.said: list[AnyEvent] = []
        self.raw: list[bytes] = []
        self.is_heard = threading.Event()
        self.is_heard.set()
        fcntl.fcntl(self.lines.fileno(), fcntl.F_SETPIPE_SZ, 4096)  # soon full when nobody hears
        self._news = threading.Condition()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def send(self, command: AnyCommand) -> None:
        """Give it a command."""
        self.commands.write(encode(command))
        self.commands.flush()

    def wait_for(
        self,
        kind: type[_Kind],
        is_so: Callable[[_Kind], bool] = lambda _: True,
        *,
        since: int = 0,
        seconds: float = LIMIT_SECONDS,
    ) -> _Kind:
        """The first event of that kind that is so, at or after that place in ``said``; waits for it."""
        deadline = time.monotonic() + seconds
        with self._news:
            while True:
                for event in self.said[since:]:
                    if isinstance(event, kind) and is_so(event):
                        return event
                since = max(since, len(self.said))
                is_over = not self._listener.is_alive() or time.monotonic() > deadline
                assert not is_over, f"no such {kind.__name__}; {self._account()}"
                self._news.wait(0.5)

    def all(self, kind: type[_Kind], since: int = 0) -> list[_Kind]:
        """Every event of that kind so far."""
        return [event for event in list(self.said[since:]) if isinstance(event, kind)]

    def leave(self) -> int:
        """Ask it to, and give its exit code."""
        with contextlib.suppress(OSError):
            self.send(Leave())
        return self.wait()

    @property
    def peer_id(self) -> str:
        """Its libp2p id."""
        return self.wait_for(Connected).peer_id

    @property
    def address(self) -> str:
        """Where others find it, whoever it is: its p2pd listens there."""
        ports = [
            connection.laddr.port
            for process in self.family
            if process.name() == "p2pd"
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        ]
        return f"/ip4/127.0.0.1/tcp/{ports[0]}/p2p/{self.peer_id}"

    def end(self) -> None:
        """Leave if it lives, then as every process here."""
        self.is_heard.set()
        if self.process.poll() is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self.send(Leave())
                self.wait(GONE_SECONDS)
        super().end()

    def _listen(self) -> None:
        while self.is_heard.wait() and (line := self.lines.readline()):
            with self._news:
                self.raw.append(line)
                self.said.append(decode_event(line))
                self._news.notify_all()
        with self._news:
            self._news.notify_all()

    def _account(self) -> str:
        return (
            f"the exit code is {self.process.poll()}, the last events are\n"
            + "\n".join(map(str, self.said[-12:]))
            + f"\nand the log ends with\n{self.last_words()}"
        )


class Crew:
    """Starts the peers of a test; in the end nothing of any of them lives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._all: list[Marked] = []

    def adopt(self, process: _Process) -> _Process:
        """End that one too."""
        self._all.append(process)
        return process

    def organiser(self, manifest: RunManifest | None = None, home: str = "organiser", **wishes: Any) -> Peer:
        """The first peer of a run, published."""
        peer = self.adopt(Peer(self.folder / home))
        options: dict[str, Any] = {
            "manifest": manifest or tiny(),
            "home": str(peer.home / "data"),
            "listen": (LOOPBACK,),
            "threads": 1,
            "checkpoint_every_epochs": 1,
        }
        peer.send(Publish(**(options | wishes)))
        peer.wait_for(Published)
        return peer

    def seeker(self, address: str, home: str, network: NetworkMode = "direct") -> Peer:
        """A volunteer who has found all runs there are, and has agreed to none."""
        peer = self.adopt(Peer(self.folder / home))
        peer.send(Join(addresses=(address,), home=str(peer.home / "data"), network=network))
        peer.wait_for(SearchFinished)
        return peer

    def volunteer(self, address: str, home: str, network: NetworkMode = "direct") -> Peer:
        """A volunteer who trains."""
        peer = self.seeker(address, home, network)
        found = peer.wait_for(RunFound)
        peer.send(Start(run_id=found.manifest.run.id, organiser=found.organiser, device="cpu", threads=1))
        peer.wait_for(TrainingStarted)
        peer.wait_for(Progress)
        return peer

    def end(self) -> None:
        """The last to come is the first to go."""
        with contextlib.ExitStack() as stack:
            for process in self._all:
                stack.callback(process.end)
            self._all = []


_Process = TypeVar("_Process", bound=Marked)


@contextlib.contextmanager
def crew(folder: Path) -> Iterator[Crew]:
    """A crew, and its end."""
    hired = Crew(folder)
    try:
        yield hired
    finally:
        hired.end()


def kill(process: Marked, number: signal.Signals = signal.SIGKILL) -> list[psutil.Process]:
    """Send the signal to that process alone; its family of the moment before."""
    family = process.family
    process.process.send_signal(number)
    return family
