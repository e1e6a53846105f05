"""The name of a desktop's portal on a session bus (xdg-desktop-portal), and a program there that answers for it."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any

from jeepney import MessageType
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"


class Portal(threading.Thread):
    """Sends whatever ``answers`` gives for a method call; nothing is no answer."""

    def __init__(self, address: str, answers: Callable[[Any], Iterable[Any]]) -> None:
        super().__init__(daemon=True)
        self._answers = answers
        self._connection = open_dbus_connection(address)
        self._connection.send_and_get_reply(message_bus.RequestName(NAME))
        self.start()

    def send(self, message: Any) -> None:
        """Send a signal."""
        self._connection.send(message)

    def run(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            self._serve()

    def close(self) -> None:
        """Leave the bus."""
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self.join()
        self._connection.close()

    def _serve(self) -> None:
        while True:
            message: Any = self._connection.receive()
            if message.header.message_type is MessageType.method_call:
                for answer in self._answers(message):
                    self._connection.send(answer)
