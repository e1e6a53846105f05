"""Pacing of another process's uploads by the kernel, without its help: for its parent, in Linux.

A parent may take copies of its child's descriptors (pidfd_getfd(2), Linux 5.6; under Yama's ``ptrace_scope`` 1, too),
and SO_MAX_PACING_RATE (socket(7)) then bounds what TCP sends, whatever queueing discipline the interface has. A copy is
closed at once: a connection ends when the last descriptor of it does. UDP, and so QUIC, is not paced.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import mmap
import os
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from core.security.confinement.kernel import system_call
from core.security.confinement.system_calls import PIDFD_GETFD
from core.worker.delegation.upload_budget import Connection, UploadBudget

LOOK_SECONDS = 0.25
IDLE_LOOK_SECONDS = 1.0
_SO_MAX_PACING_RATE, _TCP_NOTSENT_LOWAT = 47, 25
_NO_LIMIT = 0xFFFFFFFF
_BUFFERED_SECONDS = 0.25  # of a connection's rate that may wait in its buffer: pings stand in line behind it
_LEAST_BUFFERED_BYTES = 16_384
_HEADER_BYTES = 52  # of a segment: IPv4 and TCP with timestamps
_INFO_BYTES = 208
_ESTABLISHED, _CLOSE_WAIT = 1, 8  # <linux/tcp_states.h>
_SEGS_OUT, _NOTSENT_BYTES, _BYTES_SENT = (struct.Struct(form) for form in ("=136xI", "=144xI", "=200xQ"))

UploadState = Literal["free", "limited", "refused"]
"""Nothing is limited; the limit is kept; or this computer lets nobody take a child's sockets."""
_STATES: tuple[UploadState, ...] = ("free", "limited", "refused")

log = logging.getLogger(__name__)


class SharedLimit:
    """An upload limit in bytes a second, and what has come of it, in memory that processes share by forking."""

    def __init__(self) -> None:
        self._memory, self._form = mmap.mmap(-1, 16), struct.Struct("=Q")

    @property
    def limit(self) -> int | None:
        """What may be sent in a second, ``None`` for as much as goes."""
        return int(self._form.unpack_from(self._memory, 0)[0]) or None

    @limit.setter
    def limit(self, bytes_a_second: int | None) -> None:
        self._form.pack_into(self._memory, 0, bytes_a_second or 0)

    @property
    def state(self) -> UploadState:
        """What the process has found that keeps the limit."""
        return _STATES[int(self._form.unpack_from(self._memory, 8)[0])]

    @state.setter
    def state(self, state: UploadState) -> None:
        self._form.pack_into(self._memory, 8, _STATES.index(state))


class TcpPacer:
    """Keeps a child's uploads to the shared limit: `look` again and again, after as many seconds as it returns."""

    def __init__(self, pid: int, shared: SharedLimit) -> None:
        self._pid, self._shared = pid, shared
        self._budget: UploadBudget | None = None
        self._others: set[str] = set()

    def look(self) -> float:
        """Pace what the child sends, as the limit is now; the seconds after which to look again. Never raises."""
        limit = self._shared.limit
        try:
            if limit is not None:
                if self._budget is None or self._budget.limit != limit:
                    self._budget = UploadBudget(limit)
                self._pace(self._budget)
            elif self._budget is not None:
                self._budget = None
                self._lift()
            self._shared.state = "free" if limit is None else "limited"
        except ProcessLookupError:
            pass  # it has ended
        except OSError as error:
            if self._shared.state != "refused":
                log.warning("the upload cannot be limited: %s", error)
            self._shared.state = "refused"
        return IDLE_LOOK_SECONDS if limit is None else LOOK_SECONDS

    def _pace(self, budget: UploadBudget) -> None:
        with contextlib.ExitStack() as copies:
            sockets = {key: copies.enter_context(each) for key, each in self._sockets()}
            connections = [each for key, copy in sockets.items() if (each := _connection(key, copy)) is not None]
            for key, rate in budget.rates(connections, time.monotonic()).items():
                _set_rate(sockets[key], round(rate))

    def _lift(self) -> None:
        for _, copy in self._sockets():
            with copy:
                _set_rate(copy, _NO_LIMIT)

    def _sockets(self) -> Iterator[tuple[int, socket.socket]]:
        """Copies of its TCP sockets by their inodes, each to be closed; raises OSError where none can be had."""
        if sys.platform != "linux":
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        process = os.pidfd_open(self._pid)
        try:
            links = dict(_sockets_of(self._pid))
            self._others &= set(links.values())
            for number, link in links.items():
                if link not in self._others and (copy := _copied(process, number)) is not None:
                    if copy.type == socket.SOCK_STREAM and copy.family in (socket.AF_INET, socket.AF_INET6):
                        yield int(link[len("socket:[") : -1]), copy
                    else:
                        copy.close()
                        self._others.add(link)
        finally:
            os.close(process)


def _sockets_of(pid: int) -> Iterator[tuple[int, str]]:
    """The numbers of its descriptors that are sockets, with ``socket:[INODE]``."""
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            link = str(entry.readlink())
            if link.startswith("socket:["):
                yield int(entry.name), link


def _copied(process: int, number: int) -> socket.socket | None:
    """A copy of that descriptor, ``None`` where it has just been closed."""
    with contextlib.suppress(_ClosedError):
        return socket.socket(fileno=take_descriptor(process, number))
    return None


class _ClosedError(Exception):
    """The descriptor is no longer open."""


def take_descriptor(process: int, number: int) -> int:
    """A copy of that descriptor of the process behind the pidfd; raises OSError where the kernel refuses."""
    try:
        return system_call(PIDFD_GETFD, process, number, 0)
    except OSError as error:
        if error.errno == errno.EBADF:
            raise _ClosedError from error
        raise


def _connection(key: int, copy: socket.socket) -> Connection | None:
    """What the kernel counts of it (``struct tcp_info``); ``None`` of one that only listens or has ended."""
    with contextlib.suppress(OSError):
        info = copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
        if len(info) >= _INFO_BYTES and info[0] in (_ESTABLISHED, _CLOSE_WAIT):
            segments, unsent, sent = (form.unpack_from(info)[0] for form in (_SEGS_OUT, _NOTSENT_BYTES, _BYTES_SENT))
            return Connection(key, sent + segments * _HEADER_BYTES, unsent)
    return None


def _set_rate(copy: socket.socket, rate: int) -> None:
    is_lifted = rate >= _NO_LIMIT
    buffered = _NO_LIMIT if is_lifted else max(_LEAST_BUFFERED_BYTES, round(rate * _BUFFERED_SECONDS))
    with contextlib.suppress(OSError):
        copy.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, struct.pack("=I", min(max(rate, 1), _NO_LIMIT)))
        copy.setsockopt(socket.IPPROTO_TCP, _TCP_NOTSENT_LOWAT, struct.pack("=I", buffered))
