"""Pacing of another process's uploads by the kernel, with copies of its sockets (`ChildSockets`).

SO_MAX_PACING_RATE (socket(7)) bounds what TCP sends, whatever queueing discipline the interface has. UDP, and so QUIC,
is not paced.
"""

from __future__ import annotations

import contextlib
import mmap
import socket
import struct
import time
from collections.abc import Sequence
from typing import Literal

from core.worker.delegation.child_sockets import CLOSE_WAIT, ESTABLISHED, TcpSocket
from core.worker.delegation.upload_budget import Connection, UploadBudget

_SO_MAX_PACING_RATE, _TCP_NOTSENT_LOWAT = 47, 25
_NO_LIMIT = 0xFFFFFFFF
_BUFFERED_SECONDS = 0.25  # of a connection's rate that may wait in its buffer: pings stand in line behind it
_LEAST_BUFFERED_BYTES = 16_384
_HEADER_BYTES = 52  # of a segment: IPv4 and TCP with timestamps

UploadState = Literal["free", "limited", "refused"]
"""Nothing is limited; the limit is kept; or this computer lets nobody take a child's sockets."""
_STATES: tuple[UploadState, ...] = ("free", "limited", "refused")


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
    """Keeps a process's uploads to a limit, by what it has sent from one look to the next."""

    def __init__(self) -> None:
        self._budget: UploadBudget | None = None

    def pace(self, sockets: Sequence[TcpSocket], limit: int | None) -> None:
        """Let these be all of its sockets, and send together so many bytes a second from now on, or as much as goes."""
        if limit is not None:
            if self._budget is None or self._budget.limit != limit:
                self._budget = UploadBudget(limit)
            _pace(sockets, self._budget)
        elif self._budget is not None:
            self._budget = None
            for each in sockets:
                _set_rate(each.copy, _NO_LIMIT)


def _pace(sockets: Sequence[TcpSocket], budget: UploadBudget) -> None:
    copies = {each.inode: each.copy for each in sockets}
    connections = [_connection(each) for each in sockets if each.info.state in (ESTABLISHED, CLOSE_WAIT)]
    for key, rate in budget.rates(connections, time.monotonic()).items():
        _set_rate(copies[key], round(rate))


def _connection(paced: TcpSocket) -> Connection:
    sent = paced.info.sent_bytes + paced.info.sent_segments * _HEADER_BYTES
    return Connection(paced.inode, sent, paced.info.unsent_bytes)


def _set_rate(copy: socket.socket, rate: int) -> None:
    is_lifted = rate >= _NO_LIMIT
    buffered = _NO_LIMIT if is_lifted else max(_LEAST_BUFFERED_BYTES, round(rate * _BUFFERED_SECONDS))
    with contextlib.suppress(OSError):
        copy.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, struct.pack("=I", min(max(rate, 1), _NO_LIMIT)))
        copy.setsockopt(socket.IPPROTO_TCP, _TCP_NOTSENT_LOWAT, struct.pack("=I", buffered))
