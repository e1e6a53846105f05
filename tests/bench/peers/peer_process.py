"""One peer of the bench: a process with all its family, what it has said and when; nothing of it survives."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import msgspec
import psutil

from core.files.folders import HOME_VARIABLE
from core.protocol.codec import decode_event
from core.protocol.events import AnyEvent, Failed
from core.protocol.types import Event
from tests.bench.setup import NotMeasured, TooLate
from tests.support.checkout import ROOT

KILL_SECONDS = 5.0
COMMAND_LINE = "core.cli"
"""The module of Workerbee's own peers."""
LOG_TAIL = 300  # characters of a dead peer's log that are told


@dataclass(frozen=True)
class Seen:
    """An event and when its line arrived, in seconds on the monotonic clock."""

    at: float
    event: AnyEvent


class PeerProcess:
    """A context; ``started`` is on the monotonic clock. It must print core.protocol.events."""

    def __init__(self, name: str, module: str, words: Sequence[str], cores: frozenset[int], folder: Path) -> None:
        self.name = name
        self._changed = threading.Condition()
        self._seen: list[Seen] = []
        self._has_ended = False
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / f"{name}.log"
        environment = {**os.environ, HOME_VARIABLE: str(folder / f"{name}.home"), "PYTHONPATH": str(ROOT)}
        with self._log.open("ab") as log, pinned(cores):
            self.started = time.monotonic()
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                cwd=ROOT,
                start_new_session=True,
            )
        self._sessions = {self._process.pid}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The first process's: the client's or the script's."""
        return self._process.pid

    def seen(self) -> tuple[Seen, ...]:
        """All that it has said so far."""
        with self._changed:
            return tuple(self._seen)

    def wait_for(self, is_it: Callable[[AnyEvent], bool], seconds: float, since: int = 0) -> Seen:
        """The first such event, from number ``since`` on; raises TooLate if there is none in time."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                for seen in self._seen[since:]:
                    if is_it(seen.event):
                        return seen
                since = max(since, len(self._seen))
                if self._has_ended:
                    raise NotMeasured(f"{self.name} ended: {self._last_words()}")
                if not self._changed.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                    raise TooLate(f"{self.name} did not get there within {seconds:.0f} s")

    def ask_to_leave(self) -> float:
        """As Ctrl-C or the system would; when that was. Its family is looked up first."""
        self._look_up_sessions()
        asked = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        return asked

    def wait_until_gone(self, seconds: float) -> float | None:
        """When the last of the family was gone, on the monotonic clock; ``None`` if it took longer."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._process.poll()
            if not self.family():
                return time.monotonic()
            time.sleep(0.05)
        return None

    def family(self) -> list[psutil.Process]:
        """Whoever lives in the sessions that this peer has begun."""
        return [process for process in psutil.process_iter() if _session_of(process) in self._sessions]

    def kill(self) -> None:
        """End all of it at once, by process id; nothing of it is left when this returns."""
        self._look_up_sessions()
        deadline = time.monotonic() + KILL_SECONDS
        while time.monotonic() < deadline and (family := self.family()):
            for process in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            self._process.poll()
            time.sleep(0.02)
        self._process.wait(KILL_SECONDS)
        self._reader.join(KILL_SECONDS)

    def peak_memory_bytes(self) -> int:
        """The most memory that the first process has had resident (VmHWM)."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise NotMeasured(f"{self.name} has no VmHWM")

    def _look_up_sessions(self) -> None:
        """The client's worker begins a session of its own."""
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self.pid).children(recursive=True):
                if (session := _session_of(child)) is not None and session != os.getsid(0):
                    self._sessions.add(session)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                at = time.monotonic()
                with contextlib.suppress(msgspec.MsgspecError):
                    seen = Seen(at, decode_event(line))
                    with self._changed:
                        self._seen.append(seen)
                        self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def _last_words(self) -> str:
        failures: list[Event] = [seen.event for seen in self._seen if isinstance(seen.event, Failed)]
        said = str(failures[-1]) if failures else self._log.read_text(errors="replace").strip()[-LOG_TAIL:]
        return " ".join(said.split()) or "without a word"


def _session_of(process: psutil.Process) -> int | None:
    """``None`` for one that has ended or only waits to be reaped by somebody else."""
    try:
        return None if process.status() == psutil.STATUS_ZOMBIE else os.getsid(process.pid)
    except (psutil.Error, OSError):
        return None


@contextmanager
def pinned(cores: frozenset[int]) -> Iterator[None]:
    """What is started meanwhile, by this thread, runs on these cores only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
