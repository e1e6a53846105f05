"""The worker's end of the pipe: commands in, events out, and an orderly end when the client is gone."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import threading
import time
from functools import partial

import msgspec

from core.protocol.codec import MAX_LINE_BYTES, decode_command, encode
from core.protocol.commands import SAVE_LIMIT_SECONDS, AnyCommand, Leave, SetPace, TestNetwork
from core.protocol.events import AnyEvent, Hello, Progress, StateLoading
from core.protocol.experts import ExpertsSeen
from core.protocol.limits import Traffic
from core.protocol.peers import PeersSeen
from core.worker.delegation.download_limit import downloads
from core.worker.process.supervisor import StartThread

GOODBYE_LIMIT_SECONDS = 5.0
_QUEUE_LENGTH = 1000
_DROPPABLE = (Progress, Traffic, PeersSeen, ExpertsSeen, StateLoading)  # a later event of the same kind replaces it

log = logging.getLogger(__name__)


class UnfinishedWork:
    """What the end of this process waits for; a context manager, which several threads may have entered at once."""

    def __init__(self) -> None:
        self._count, self._changed = 0, threading.Condition()

    def __enter__(self) -> None:
        with self._changed:
            self._count += 1

    def __exit__(self, *_error: object) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until there is none, so many seconds at the most; whether there was any to wait for."""
        with self._changed:
            is_any = self._count > 0
            self._changed.wait_for(lambda: self._count == 0, seconds)
        return is_any


class WorkerChannel:
    """The worker's end of the pipe to its client, which owns the process's standard streams.

    ``leaving`` is set once somebody has asked us to leave, ``test_requested`` when the person wants to know
    again whether others can reach us, ``pace_changed`` with every new ``pace``. What is ``unfinished`` when we are
    asked to leave is finished first. ``start`` begins to read and write.
    """

    def __init__(self, commands_fd: int, events_fd: int) -> None:
        self.leaving, self.test_requested = threading.Event(), threading.Event()
        self.pace, self.pace_changed = SetPace(), threading.Event()
        self.unfinished = UnfinishedWork()
        self._commands_fd, self._events_fd = commands_fd, events_fd
        self._commands: queue.SimpleQueue[AnyCommand | None] = queue.SimpleQueue()
        self._events: queue.Queue[bytes | None] = queue.Queue(_QUEUE_LENGTH)
        self._is_written = threading.Event()
        self._half_line, self._is_started = b"", False

    @classmethod
    def take_over_stdio(cls) -> WorkerChannel:
        """Take the standard streams away from everybody else in this process and its children.

        WORKAROUND H36: a thread that reads ``sys.stdin`` makes hivemind's forked DHT process hang for ever, so
        the pipes move to private descriptors; descriptor 0 becomes empty and descriptor 1 the log.
        """
        commands_fd, events_fd = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        os.register_at_fork(after_in_child=partial(_close_all, [commands_fd, events_fd]))
        return cls(commands_fd, events_fd)

    def greet(self, hello: Hello) -> AnyCommand | None:
        """Say hello and wait for the first command, ``None`` if there is none, while this process has one thread only.

        So it can be confined as that command needs, before anything else happens in it; ``start`` reads on.
        """
        with contextlib.suppress(OSError):
            _write_all(self._events_fd, encode(hello))
        while self._commands.empty():
            self._read_once(is_first=True)
        return self._commands.get()

    def start(self, start_thread: StartThread) -> None:
        """Read commands and write events in two threads of the worker's supervisor; the second call does nothing."""
        if self._is_started:
            return
        self._is_started = True
        start_thread("event writer", self._write)
        start_thread("command reader", self._read)

    def emit(self, event: AnyEvent) -> None:
        """Send an event. Never waits: a client that does not read misses progress events first, and then all."""
        if isinstance(event, _DROPPABLE) and self._events.qsize() > _QUEUE_LENGTH // 2:
            return
        try:
            self._events.put_nowait(encode(event))
        except queue.Full:
            log.warning("the client does not read; it misses %s", type(event).__name__)

    def next_command(self) -> AnyCommand | None:
        """Wait for the next command; ``None`` once we are asked to leave."""
        return self._commands.get()

    def leave(self) -> None:
        """Ask this process to leave, as the client's Leave does; after GOODBYE_LIMIT_SECONDS it is killed.

        What is unfinished then has SAVE_LIMIT_SECONDS in all, and the goodbye its seconds again.
        """
        if not self.leaving.is_set():
            _kill_process_group_after(GOODBYE_LIMIT_SECONDS, self.unfinished, time.monotonic() + SAVE_LIMIT_SECONDS)
        self.leaving.set()
        self._commands.put(None)

    def close(self, timeout: float = 2.0) -> None:
        """Wait until the last events have reached the client, ``timeout`` seconds at most."""
        with contextlib.suppress(queue.Full):
            self._events.put(None, timeout=timeout)
        self._is_written.wait(timeout)

    def _write(self) -> None:
        while (line := self._events.get()) is not None:
            try:
                _write_all(self._events_fd, line)
            except OSError:
                log.info("the client no longer listens")
                break
        self._is_written.set()

    def _read(self) -> None:
        self._take(b"")
        while self._read_once():
            pass

    def _take(self, piece: bytes, *, is_first: bool = False) -> None:
        """Accept the commands in what has been read; where the first one is waited for, leave the others for later."""
        self._half_line += piece
        while b"\n" in self._half_line and (self._commands.empty() or not is_first):
            line, _, self._half_line = self._half_line.partition(b"\n")
            self._accept(line)

    def _read_once(self, *, is_first: bool = False) -> bool:
        """Wait for some bytes and accept the commands in them; false, and a wish to leave, where no more will come."""
        piece = _read_piece(self._commands_fd)
        self._take(piece, is_first=is_first)
        is_too_long = len(self._half_line) > MAX_LINE_BYTES
        if is_too_long:
            log.error("a command of more than %d bytes", MAX_LINE_BYTES)
        if is_too_long or not piece:
            log.info("the client is gone")
            self.leave()
            return False
        return True

    def _accept(self, line: bytes) -> None:
        try:
            command = decode_command(line)
        except msgspec.MsgspecError as error:
            log.error("this is not a command: %s", error)
            return
        if isinstance(command, Leave):
            self.leave()
        elif isinstance(command, TestNetwork):
            self.test_requested.set()
        elif isinstance(command, SetPace):
            self.pace = command
            downloads().limit = command.download_bytes_a_second
            self.pace_changed.set()
        else:
            self._commands.put(command)


def _write_all(events_fd: int, line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[os.write(events_fd, view) :]


def _read_piece(commands_fd: int) -> bytes:
    try:
        return os.read(commands_fd, 65536)
    except OSError:
        return b""


def _close_all(descriptors: list[int]) -> None:
    """Close them once: in a child of a child, their numbers stand for something else."""
    while descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptors.pop())


def _kill_process_group_after(seconds: float, unfinished: UnfinishedWork, until: float) -> None:
    """End everything that hangs while we leave: the process group, ourselves included.

    What is unfinished by then has time ``until`` that moment of the monotonic clock; once it is finished, we have so
    many ``seconds`` again.
    """

    def kill() -> None:
        if unfinished.wait(max(0.0, until - time.monotonic())) and time.monotonic() < until:
            _kill_process_group_after(seconds, unfinished, until)
            return
        log.error("the goodbye took more than %.0f s", seconds)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)

    # A timer of its own, because it must fire whatever the supervised threads do.
    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()
