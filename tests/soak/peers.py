"""Whoever takes part in a soak, as people start it, and whatever can happen to it."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from core.protocol.codec import decode_event
from core.protocol.events import AnyEvent
from tests.bench.local_sgd.recorded_peers import Move, recorded_moves
from tests.bench.local_sgd.recorded_worker import RECORD
from tests.bench.peers.peer_process import Seen
from tests.soak.plan import Kind
from tests.support.environment.network_namespaces import Host
from tests.support.peers import slow_computer
from tests.support.real_peers import GOODBYE_SECONDS, LIMIT_SECONDS, LineProcess, survivors, worker_of
from tests.support.worker_processes import members_of

VERSIONS = "versions-"  # how the names of a member's records begin


@dataclass
class Suffered:
    """A fault that has really happened, on the monotonic clock; ``ended`` is ``None`` as long as it lasts."""

    kind: Kind
    began: float
    ended: float | None = None


class NoSuchPartError(Exception):
    """There is nothing to be killed: the worker is not there, or is still starting."""


@dataclass(frozen=True)
class Place:
    """Where a peer lives: its own folder, the temporary folder of all, and a computer where there are any."""

    folder: Path
    temporary: Path
    host: Host | None = None


def _heard(line: bytes) -> Seen:
    return Seen(time.monotonic(), decode_event(line))


class Member:
    """Somebody who runs `workerbee`; ``starts`` are its processes, the last one is that of now.

    ``left_over`` is whoever of its families was still there when all should have been gone, and ``surprises``
    is what happened to it though nobody did anything.
    """

    def __init__(self, place: Place, *words: str) -> None:
        self.place, self.words = place, words
        self.suffered: list[Suffered] = []
        self.starts: list[LineProcess[Seen]] = []
        self.left_over: list[str] = []
        self.surprises: list[str] = []
        self._family: list[psutil.Process] = []
        self._is_asked_to_leave = False

    @property
    def name(self) -> str:
        """What it is called in the report."""
        return self.place.folder.name

    @property
    def now(self) -> LineProcess[Seen]:
        """Its process."""
        return self.starts[-1]

    @property
    def seen(self) -> list[Seen]:
        """All that it has ever said, in its order."""
        return [seen for start in self.starts for seen in list(start.said)]

    def start(self) -> None:
        """The command is typed; returns at once."""
        within = self.place.host.within if self.place.host else ()
        options = ("--json", "--device", "cpu", "--threads", "1")
        command = [*within, *slow_computer.CLIENT, *self.words, *options]
        told = {
            "WORKERBEE_HOME": self.place.folder,
            "TMPDIR": self.place.temporary,
            RECORD: self.place.folder / VERSIONS,
        }
        environment = {name: str(path) for name, path in told.items()}
        self._is_asked_to_leave = False
        self.starts.append(LineProcess(command, self.place.folder / "client.log", _heard, False, **environment))

    def moves(self) -> dict[str, list[Move]]:
        """The versions of the base weights that each of its workers has had, with local SGD."""
        return {str(path): recorded_moves(path) for path in self.place.folder.glob(f"{VERSIONS}*")}

    def says(self, is_so: Callable[[AnyEvent], bool], seconds: float = LIMIT_SECONDS) -> AnyEvent:
        """The first such event of its present process; waits for it."""
        return self.now.until(lambda seen: is_so(seen.event), 0, seconds).event

    def ask_to_leave(self) -> None:
        """As Ctrl-C does."""
        self._family, self._is_asked_to_leave = self.now.family, True
        self.now.process.terminate()

    def see_it_gone(self) -> None:
        """Wait until nothing of it is there; whoever of its family still is gets noted, and ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.now.process.wait(GOODBYE_SECONDS)
        self.left_over += [f"{self.name}: {each}" for each in survivors(self.now, self._family)]
        self.now.end()

    def leave(self) -> None:
        """Properly, and note how it went. Who was asked before is not asked again: at its very end that kills it."""
        if not self.is_gone() and not self._is_asked_to_leave:
            self.ask_to_leave()
        self.see_it_gone()
        was_deaf = not self.now.said  # it had not yet begun to listen to signals
        code = self.now.process.returncode
        if code and not (was_deaf and code == -signal.SIGTERM):
            self.surprises.append(f"{self.name} left with exit code {code}")

    def is_gone(self) -> bool:
        """Whether its process has ended; if nobody has ended it, that is a surprise."""
        return self.now.process.poll() is not None

    def kill(self) -> None:
        """Only what was typed: the client."""
        self._family = self.now.family
        self.now.process.kill()

    def kill_all(self) -> None:
        """As when the power fails."""
        self._family = self.now.family
        self._signal(signal.SIGKILL)

    def kill_part(self, part: str) -> None:
        """A part of its worker, or the worker itself; raises NoSuchPartError if it has none just now."""
        try:
            whole = {"worker": worker_of(self.now), **members_of(self.now)}
            whole[part].kill()
        except (ValueError, StopIteration, psutil.Error) as error:
            raise NoSuchPartError(part) from error

    def sleep(self) -> None:
        """Nothing of it runs."""
        self._family = self.now.family
        self._signal(signal.SIGSTOP)

    def wake(self) -> None:
        """All of it goes on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)
