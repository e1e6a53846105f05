"""One window for each person: a second start raises the first window and delivers what it was given."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from PySide6.QtCore import QLockFile, QObject, Signal

from app.desktop.launch_request import MAX_BYTES, LaunchRequest, decode, encode

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

REPLY = b"ok\n"
PATIENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.1

Delivery = Literal["delivered", "no_answer"]


def meeting_place(home: Path) -> Path:
    """The place where the processes of one person and one home meet: a short path without a suffix."""
    return _runtime_folder() / f"workerbee-{zlib.crc32(str(home).encode()):08x}"


def _runtime_folder() -> Path:
    """The session's own folder; or one below /tmp that is nobody else's. Raises OSError."""
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/nonexistent")
    if runtime.is_dir() and os.access(runtime, os.W_OK) and len(str(runtime)) < 70:
        return runtime
    owner = os.getuid() if os.name == "posix" else 0
    folder = Path(tempfile.gettempdir()) / f"workerbee-{owner}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if os.name == "posix" and (folder.stat().st_uid != owner or folder.is_symlink()):
        raise PermissionError(f"{folder} belongs to somebody else")
    return folder


class SingleInstance(QObject):
    """Makes sure that one person has one window: the first process owns a place and listens there, others deliver.

    Signals:
        handed_over: another process has delivered its LaunchRequest.
    """

    handed_over = Signal(object)

    def __init__(self, place: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._socket = str(place.with_suffix(".sock"))
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
            _Caller(socket, self.handed_over.emit)


class _Caller(QObject):
    """One that has come: reads a line, answers, and goes with its socket."""

    def __init__(self, socket: QLocalSocket, on_request: Callable[[object], None]) -> None:
        super().__init__(socket)
        self._socket = socket
        self._on_request = on_request
        socket.setReadBufferSize(MAX_BYTES + 1)
        socket.disconnected.connect(socket.deleteLater)
        socket.readyRead.connect(self._read)
        self._read()

    def _read(self) -> None:
        if not self._socket.canReadLine():
            if self._socket.bytesAvailable() > MAX_BYTES:
                self._socket.abort()
            return
        try:
            request = decode(bytes(self._socket.readLine(MAX_BYTES).data()))
        except msgspec.MsgspecError:
            self._socket.abort()
            return
        self._socket.write(REPLY)
        self._socket.flush()
        self._on_request(request)


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
