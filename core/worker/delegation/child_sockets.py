"""The TCP connections of a child process as the kernel sees them, without the child's help: for its parent, in Linux.

A parent may take copies of its child's descriptors (pidfd_getfd(2), Linux 5.6; under Yama's ``ptrace_scope`` 1, too).
A copy is closed at once: a connection ends when the last descriptor of it does.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.security.confinement.kernel import system_call
from core.security.confinement.system_calls import PIDFD_GETFD

ESTABLISHED, CLOSE_WAIT = 1, 8  # <linux/tcp_states.h>
_TIMESTAMPS = 1  # of tcpi_options, <linux/tcp.h>
_INFO = struct.Struct("=B4xB122xQ3I52xQ")


@dataclass(frozen=True)
class TcpInfo:
    """What the kernel counts of a socket since it was opened (``struct tcp_info``).

    ``sent_bytes`` are data and what was sent again of them, ``received_bytes`` data that came for the first time; the
    segments are all there were, modulo 2³². ``unsent_bytes`` wait in the buffer.
    """

    state: int
    has_timestamps: bool
    sent_bytes: int
    received_bytes: int
    sent_segments: int
    received_segments: int
    unsent_bytes: int


@dataclass(frozen=True)
class TcpSocket:
    """A copy of a TCP socket of the child, by its inode; it may also listen, or have ended."""

    inode: int
    copy: socket.socket
    info: TcpInfo


class ChildSockets:
    """Takes copies of the TCP sockets of the process with that id, which must be a descendant."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._others: set[str] = set()

    @contextlib.contextmanager
    def copies(self) -> Iterator[Sequence[TcpSocket]]:
        """All of them, until the block ends; raises OSError where none can be had."""
        if sys.platform != "linux":
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        process = os.pidfd_open(self._pid)
        with contextlib.ExitStack() as ends:
            ends.callback(os.close, process)
            links = dict(_sockets_of(self._pid))
            self._others &= set(links.values())
            yield list(self._copied(process, links, ends))

    def _copied(self, process: int, links: dict[int, str], ends: contextlib.ExitStack) -> Iterator[TcpSocket]:
        for number in (each for each, link in links.items() if link not in self._others):
            copy = _copy(process, number)
            if copy is not None:
                ends.callback(copy.close)
                inode, info = os.fstat(copy.fileno()).st_ino, _info(copy)
                if info is None:
                    self._others.add(_link(inode))
                else:
                    yield TcpSocket(inode, copy, info)


def _link(inode: int) -> str:
    """What the link of a socket's descriptor says."""
    return f"socket:[{inode}]"


def _sockets_of(pid: int) -> Iterator[tuple[int, str]]:
    """The numbers of its descriptors that are sockets, and what their links say."""
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            link = str(entry.readlink())
            if link.startswith("socket:["):
                yield int(entry.name), link


def _copy(process: int, number: int) -> socket.socket | None:
    """A copy of that descriptor of the process behind the pidfd; ``None`` where it is no longer that of a socket."""
    try:
        copied = system_call(PIDFD_GETFD, process, number, 0)
    except OSError as error:
        if error.errno == errno.EBADF:
            return None
        raise
    try:
        return socket.socket(fileno=copied)
    except OSError:
        os.close(copied)
        return None


def _info(copy: socket.socket) -> TcpInfo | None:
    """What the kernel counts of it; ``None`` where it is no TCP socket."""
    if copy.type != socket.SOCK_STREAM or copy.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    try:
        encoded = copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size)
        state, options, received, segments_out, segments_in, unsent, sent = _INFO.unpack(encoded)
    except (OSError, struct.error):
        return None
    return TcpInfo(state, bool(options & _TIMESTAMPS), sent, received, segments_out, segments_in, unsent)
