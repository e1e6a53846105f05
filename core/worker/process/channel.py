"""The worker's side of the pipe: commands in, events out, goodbye when the client is gone."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import threading

import msgspec

from core.protocol.codec import MAX_LINE_BYTES, decode_command, encode
from core.protocol.commands import AnyCommand, Leave, TestNetwork
from core.protocol.events import AnyEvent, PeersSeen, Progress, StateLoading

GOODBYE_LIMIT_SECONDS = 5.0
_QUEUE_LENGTH = 1000
_DROPPABLE = (Progress, PeersSeen, StateLoading)  # what a later event of the same kind makes up for

log = logging.getLogger(__name__)


class WorkerChannel:
    """Owns the process's standard streams. ``leaving`` is set once somebody has asked us to leave.

    ``test_asked`` is set when the person wants to know again whether others can reach us.
    """

    def __init__(self, commands_fd: int, events_fd: int) -> None:
        self.leaving, self.test_asked = threading.Event(), threading.Event()
        self._commands: queue.SimpleQueue[AnyCommand | None] = queue.SimpleQueue()
        self._events: queue.Queue[bytes | None] = queue.Queue(_QUEUE_LENGTH)
        self._writer = threading.Thread(target=self._write, args=(events_fd,), daemon=True)
        self._writer.start()
        threading.Thread(target=self._read, args=(commands_fd,), daemon=True).start()

    @classmethod
    def claim(cls) -> WorkerChannel:
        """Take the streams away from everybody else in this process and its children.

        WORKAROUND H36: a thread that reads ``sys.stdin`` makes hivemind's forked DHT process hang for ever, so
        the pipes move to private descriptors; descriptor 0 becomes empty and descriptor 1 the log.
        """
        commands_fd, events_fd = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        os.register_at_fork(after_in_child=lambda: _close_all(commands_fd, events_fd))
        return cls(commands_fd, events_fd)

    def emit(self, event: AnyEvent) -> None:
        """Say what happened. Never waits: a client that does not listen misses progress, not the rest."""
        if isinstance(event, _DROPPABLE) and self._events.qsize() > _QUEUE_LENGTH // 2:
            return
        with contextlib.suppress(queue.Full):
            self._events.put_nowait(encode(event))

    def next_command(self) -> AnyCommand | None:
        """Wait for the next command; ``None`` once we are asked to leave."""
        return self._commands.get()

    def leave(self) -> None:
        """Ask this process to leave, as a command of the client would; a clock sees that it does."""
        if not self.leaving.is_set():
            _end_family_after(GOODBYE_LIMIT_SECONDS)
        self.leaving.set()
        self._commands.put(None)

    def close(self, timeout: float = 2.0) -> None:
        """Let the last events reach the client."""
        with contextlib.suppress(queue.Full):
            self._events.put(None, timeout=timeout)
        self._writer.join(timeout)

    def _write(self, events_fd: int) -> None:
        while (line := self._events.get()) is not None:
            try:
                view = memoryview(line)
                while view:
                    view = view[os.write(events_fd, view) :]
            except OSError:
                log.info("the client no longer listens")
                return

    def _read(self, commands_fd: int) -> None:
        pending = b""
        while piece := _read_piece(commands_fd):
            *lines, pending = (pending + piece).split(b"\n")
            for line in lines:
                self._accept(line)
            if len(pending) > MAX_LINE_BYTES:
                log.error("a command of more than %d bytes", MAX_LINE_BYTES)
                break
        log.info("the client is gone")
        self.leave()

    def _accept(self, line: bytes) -> None:
        try:
            command = decode_command(line)
        except msgspec.MsgspecError as error:
            log.error("this is no command: %s", error)
            return
        if isinstance(command, Leave):
            self.leave()
        elif isinstance(command, TestNetwork):
            self.test_asked.set()
        else:
            self._commands.put(command)


def _read_piece(commands_fd: int) -> bytes:
    try:
        return os.read(commands_fd, 65536)
    except OSError:
        return b""


def _close_all(*descriptors: int) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _end_family_after(seconds: float) -> None:
    """Whatever hangs while we leave, and if nobody is left to end us: end the group, ourselves included."""

    def end() -> None:
        log.error("the goodbye took more than %.0f s", seconds)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
