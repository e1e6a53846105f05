"""The window as it is, with a door at the back: what a line on a socket says is done as a person would.

    python -m tests.bench.window.instrumented_window [--minimised] DOOR [WORKER …]

It opens what `app.startup` opens, and prints the events that reach it; nothing in `app` knows of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app import application
from app import startup as start
from app.application import Application
from app.desktop.launch_request import MINIMISED, LaunchRequest
from core.protocol.codec import encode
from core.protocol.peers import PeersSeen
from core.protocol.types import Event
from tests.bench.window.actions import Deeds


class Door(QObject):
    """Hears a deed and its words on a line; answers each with a line of JSON."""

    def __init__(self, watched: Application, path: str) -> None:
        super().__init__(watched)
        self._deeds = Deeds(watched, lambda: watched.bridge.event_arrived.disconnect(_tell))
        self._server = QLocalServer(self)
        self._server.newConnection.connect(self._welcome)
        if not self._server.listen(path):
            raise OSError(f"{path}: {self._server.errorString()}")

    def _welcome(self) -> None:
        guest = self._server.nextPendingConnection()
        guest.readyRead.connect(partial(self._hear, guest))

    def _hear(self, guest: QLocalSocket) -> None:
        while guest.canReadLine():
            name, *words = bytes(guest.readLine().data()).decode().split()
            deed: Callable[..., Any] = getattr(self._deeds, name)
            guest.write(json.dumps(deed(*words)).encode() + b"\n")


def watched(door: str) -> type[Application]:
    """The application, with such a door, and talkative."""

    class Watched(Application):
        def __init__(self, *positional: Any, **named: Any) -> None:
            super().__init__(*positional, **named)
            self.door = Door(self, door)
            self.bridge.event_arrived.connect(_tell)

    return Watched


def _tell(event: object) -> None:
    """All but what is long and of no use to the bench."""
    if isinstance(event, Event) and not isinstance(event, PeersSeen):
        sys.stdout.buffer.write(encode(event))
        sys.stdout.buffer.flush()


def main() -> int:
    """Until the person, or the bench, quits."""
    is_minimised = sys.argv[1] == MINIMISED
    door, *worker = sys.argv[1 + is_minimised :]
    application.Application = watched(door)  # type: ignore[misc]
    return start.open_window(LaunchRequest(is_minimised=is_minimised), worker_command=worker or None)


if __name__ == "__main__":
    sys.exit(main())
