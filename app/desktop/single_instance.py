"""One window for each person: a second start raises the first window, and commands from a terminal reach it."""

from __future__ import annotations

import os
import socket as sockets
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from PySide6.QtCore import QLockFile, QObject, Signal

from app.desktop.launch_request import LaunchRequest, decode, encode
from core.control.messages import MAX_BYTES, ControlCommand, ControlReply
from core.control.messages import encode as encode_reply
from core.control.place import socket_path

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

REPLY = b"ok\n"
PATIENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.1

Delivery = Literal["delivered", "no_answer"]


class SingleInstance(QObject):
    """Makes sure that one person has one window: the first process owns a place and listens there, others deliver.

    Signals:
        handed_over: another process has delivered its LaunchRequest.

    Attributes:
        on_command: answers a command from a terminal; while there is none, whoever sends one is hung up on.
    """

    handed_over = Signal(object)

    def __init__(self, place: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.on_command: Callable[[ControlCommand], ControlReply] | None = None
        self._socket = str(socket_path(place))
        self._lock = QLockFile(str(place.with_suffix(".lock")))
        self._lock.setStaleLockTime(0)  # only the death of its owner makes a lock stale
        self._server: QLocalServer | None = None

    def is_first(self) -> bool:
        """Whether this process owns the place, which it takes if no living process has it."""
        return self._lock.isLocked() or self._lock.tryLock(0)

    @property
    def owner_pid(self) -> int | None:
        """The id of the process that owns the place."""
        answer = self._lock.getLockInfo()
        pid = answer[1] if len(answer) == 4 else answer[0]
        return int(pid) or None

    def listen(self) -> bool:
        """Listen for later starts; only for the owner of the lock, who may remove the socket of a dead one."""
        from PySide6.QtNetwork import QLocalServer

        assert self._lock.isLocked(), "only the first one listens"
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._receive)
        QLocalServer.removeServer(self._socket)
        return self._server.listen(self._socket)

    def deliver(self, request: LaunchRequest, patience_seconds: float = PATIENCE_SECONDS) -> Delivery:
        """Deliver a request to the owner; waits for one that is just starting, and gives up on one that hangs."""
        from PySide6.QtCore import QDeadlineTimer, QThread

        deadline = QDeadlineTimer(int(patience_seconds * 1000))
        while True:
            if _deliver_once(self._socket, encode(request), deadline.remainingTime()):
                return "delivered"
            if deadline.hasExpired():
                return "no_answer"
            QThread.msleep(int(_RETRY_SECONDS * 1000))

    def close(self) -> None:
        """Give the place up, so that another process can own it."""
        if self._server is not None:
            self._server.close()
        self._lock.unlock()

    def _receive(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()):
            if _is_ours(int(socket.socketDescriptor())):
                caller = _Caller(socket)
                caller.asked.connect(self._answer)
                caller.read()
            else:
                socket.abort()
                socket.deleteLater()

    def _answer(self, caller: _Caller, request: LaunchRequest | ControlCommand) -> None:
        if isinstance(request, LaunchRequest):
            caller.reply(REPLY)
            self.handed_over.emit(request)
        elif self.on_command is not None:
            caller.reply(encode_reply(self.on_command(request)))
        else:
            caller.hang_up()


class _Caller(QObject):
    """One that has come: reads a line, is answered, and goes with its socket.

    Signals:
        asked: the caller itself, and its LaunchRequest or ControlCommand.
    """

    asked = Signal(object, object)

    def __init__(self, socket: QLocalSocket) -> None:
        super().__init__(socket)
        self._socket = socket
        socket.setReadBufferSize(MAX_BYTES + 1)
        socket.disconnected.connect(socket.deleteLater)
        socket.readyRead.connect(self.read)

    def read(self) -> None:
        """Read what is there; a line that is no request ends the connection."""
        if not self._socket.canReadLine():
            if self._socket.bytesAvailable() > MAX_BYTES:
                self.hang_up()
            return
        try:
            request = decode(bytes(self._socket.readLine(MAX_BYTES).data()))
        except msgspec.MsgspecError:
            self.hang_up()
            return
        self.asked.emit(self, request)

    def reply(self, line: bytes) -> None:
        """Send the caller an answer, one line of JSON."""
        self._socket.write(line)
        self._socket.flush()

    def hang_up(self) -> None:
        """End the connection at once, without an answer."""
        self._socket.abort()


def _is_ours(descriptor: int) -> bool:
    """Whether a process of this person is at the other end (SO_PEERCRED, unix(7)); elsewhere its rights must do."""
    if not sys.platform.startswith("linux"):
        return True
    with sockets.socket(fileno=os.dup(descriptor)) as connection:
        told = connection.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, struct.calcsize("3i"))
    _pid, uid, _gid = struct.unpack("3i", told)
    return bool(uid == os.getuid())


def _deliver_once(name: str, line: bytes, limit_ms: int) -> bool:
    from PySide6.QtNetwork import QLocalSocket

    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(limit_ms):
        return False
    socket.write(line)
    socket.flush()
    answer = b""
    while not answer.endswith(b"\n") and socket.waitForReadyRead(limit_ms):
        answer += bytes(socket.readAll().data())
    return answer == REPLY
