"""The worker's process: started, spoken to in lines, and ended with all of its children."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, BinaryIO, Literal, cast

import msgspec

from core.engine.worker_command import worker_environment
from core.errors import ErrorKind, UserError
from core.files.logs import keep_small, open_worker_log, worker_log
from core.files.temp_folder import sweep_temp_folders
from core.localizable import Detail, localized
from core.protocol.client_events import WorkerExited
from core.protocol.codec import MAX_LINE_BYTES, decode_event, encode
from core.protocol.commands import AnyCommand
from core.protocol.events import AnyEvent, Failed
from core.protocol.types import PROTOCOL_VERSION

HELLO_LIMIT_SECONDS = 60.0
READER_LIMIT_SECONDS = 5.0
LOG_LOOK_SECONDS = 10.0
if sys.platform == "win32":
    _NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _NEW_GROUP = 0


class WorkerProcess:
    """A worker and its forked children; raises OSError if it cannot be started, UserError if its log cannot be written.

    ``post`` is called from other threads: with each event, at last with ``WorkerExited``, after which nothing
    of the family lives. ``logs`` is the folder of its log. Three threads serve a worker: one reads events,
    one writes commands, one waits for its end.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        post: Callable[[AnyEvent | WorkerExited], None],
        logs: Path,
        hello_limit_seconds: float = HELLO_LIMIT_SECONDS,
    ) -> None:
        self._post = post
        self._logs = logs
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._family = threading.Lock()
        self._is_reaped = False
        self._gone = threading.Event()
        self._look_at_log_at = 0.0
        self._process = _spawn(command, logs)
        self._hello_clock = threading.Timer(hello_limit_seconds, self._miss_hello)
        self._hello_clock.daemon = True
        self._reader = threading.Thread(target=self._read, name="worker-events", daemon=True)
        for thread in (
            self._hello_clock,
            self._reader,
            threading.Thread(target=self._write, name="worker-commands", daemon=True),
            threading.Thread(target=self._wait, name="worker-end", daemon=True),
        ):
            thread.start()

    @property
    def pid(self) -> int:
        """The worker's process id, on POSIX also that of its process group."""
        return self._process.pid

    def send(self, command: AnyCommand) -> None:
        """Give the worker a command; returns at once, and a dead worker is not an error."""
        self._lines.put(encode(command))

    def end(self) -> None:
        """Close the worker's stdin, as a client that dies does: the worker says goodbye by its own clock."""
        self._lines.put(None)

    def kill(self) -> None:
        """Kill the worker and all of its children at once."""
        with self._family:
            if not self._is_reaped:
                _kill_group(self._process)

    def wait(self, seconds: float) -> bool:
        """Wait until ``WorkerExited`` is posted; false if that took too long."""
        return self._gone.wait(seconds)

    def _read(self) -> None:
        events = _pipe(self._process.stdout)
        decode = _first_event
        with events:
            while line := events.readline(MAX_LINE_BYTES + 1):
                if not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES:
                    return  # it died in the middle of a line
                try:
                    event = decode(line)
                except UserError as error:
                    self._condemn(error.problem, error.detail)
                    return
                decode = _event
                self._hello_clock.cancel()
                self._tidy_log()
                self._post(event)

    def _write(self) -> None:
        commands = _pipe(self._process.stdin)
        with contextlib.suppress(OSError):  # a dead worker is the waiting thread's affair
            while (line := self._lines.get()) is not None:
                commands.write(line)
                commands.flush()
        with contextlib.suppress(OSError):
            commands.close()

    def _wait(self) -> None:
        """Wait for the process, not for its pipe: forked children of a dead worker keep that open."""
        _await_exit(self._process)
        with self._family:
            _kill_group(self._process)
            returncode = self._process.wait()
            self._is_reaped = True
        self._hello_clock.cancel()
        self.end()
        sweep_temp_folders()
        self._reader.join(READER_LIMIT_SECONDS)
        self._post(WorkerExited(returncode))
        self._gone.set()

    def _miss_hello(self) -> None:
        self._condemn(ErrorKind.ENGINE_MISSING, localized("It has not said a word since it was started."))

    def _condemn(self, problem: ErrorKind, detail: Detail) -> None:
        """Nothing that such a worker says can be trusted: say so, and end it."""
        self._post(Failed(problem=problem.key, detail=detail))
        self.kill()

    def _tidy_log(self) -> None:
        if time.monotonic() >= self._look_at_log_at:
            self._look_at_log_at = time.monotonic() + LOG_LOOK_SECONDS
            with contextlib.suppress(OSError):  # a full disk is not a reason to stop listening
                keep_small(worker_log(self._logs))


class _Greeting(msgspec.Struct):
    """What every version of the protocol begins with; the rest of a newer hello may be unknown to us."""

    event: Literal["hello"]
    protocol: int


def _first_event(line: bytes) -> AnyEvent:
    """The worker's hello; raises UserError for anything else and for another protocol."""
    try:
        greeting = msgspec.json.decode(line, type=_Greeting)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _nonsense(line) from error
    if greeting.protocol != PROTOCOL_VERSION:
        detail = localized("It speaks protocol %1, this program speaks %2.", greeting.protocol, PROTOCOL_VERSION)
        raise UserError(ErrorKind.PROTOCOL_MISMATCH, detail)
    return _event(line)


def _event(line: bytes) -> AnyEvent:
    try:
        return decode_event(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _nonsense(line) from error


def _nonsense(line: bytes) -> UserError:
    if len(line) > MAX_LINE_BYTES:
        words = localized("Its line has more than %1 bytes, and began with %2.", MAX_LINE_BYTES, repr(line[:80]))
        return UserError(ErrorKind.WORKER_NONSENSE, words)
    return UserError(ErrorKind.WORKER_NONSENSE, localized("Its line began with %1.", repr(line[:80])))


def _spawn(command: Sequence[str], logs: Path) -> subprocess.Popen[bytes]:
    """In a group of its own, which a Ctrl-C in our terminal does not reach and which can be killed whole."""
    with open_worker_log(logs) as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=worker_environment(),
            start_new_session=sys.platform != "win32",
            creationflags=_NEW_GROUP,
        )


def _pipe(stream: IO[bytes] | None) -> BinaryIO:
    assert stream is not None, "the worker was started with pipes"
    return cast(BinaryIO, stream)


def _await_exit(process: subprocess.Popen[bytes]) -> None:
    """Until it has ended; unreaped where possible, so that nobody else is given its number."""
    if sys.platform in ("win32", "darwin"):
        process.wait()
    else:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
