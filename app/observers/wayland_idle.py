"""The idle time of a Wayland session: the protocol ext-idle-notify-v1, spoken over the socket.

KWin, wlroots' compositors and others have it, GNOME's does not. Requests and events are those of wayland.xml and
ext-idle-notify-v1.xml: an object's id, then size and opcode in 32 bits, then the arguments. Objects are numbered by
the client. The compositor tells when the person becomes idle, and when they come back; between the two nothing is sent.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalSocket

from core.observers.display_servers.wayland_globals import HEADER, IDLE_NOTIFIER, SEAT, interface_of, wayland_socket

IDLE_AFTER_SECONDS = 5.0
_DISPLAY, _REGISTRY, _NOTIFICATION = 1, 2, 5  # 3 and 4 are the seat and the notifier, as they come


class WaylandIdle(QObject):
    """A connection of its own to the compositor, for the first of its seats.

    A program that forbids the screen to be blanked keeps a person from being idle, where the compositor's version of
    the protocol is 1; version 2 has a request that sees the person's input only.
    """

    name = "Wayland"

    def __init__(
        self,
        environment: Mapping[str, str],
        parent: QObject | None = None,
        *,
        idle_after_seconds: float = IDLE_AFTER_SECONDS,
    ) -> None:
        super().__init__(parent)
        self._idle_after_seconds = idle_after_seconds
        self._bound: dict[str, int] = {}  # by interface, the object
        self._version = 1
        self._is_watching = False
        self._idle_since: float | None = None
        self._socket = QLocalSocket(self)
        self._socket.connected.connect(self._on_connected)
        self._socket.readyRead.connect(self._on_words)
        self._socket.disconnected.connect(self.close)
        place = wayland_socket(environment)
        if place is not None:
            self._socket.connectToServer(str(place))

    @property
    def idle_seconds(self) -> float | None:
        """Seconds since the last input, 0 for the first few; ``None`` where the compositor does not tell."""
        if not self._is_watching:
            return None
        return 0.0 if self._idle_since is None else time.monotonic() - self._idle_since

    def refresh(self) -> None:
        """Do nothing: whatever changes is told."""

    def close(self) -> None:
        """Leave the compositor for good."""
        self._is_watching = False
        self._socket.abort()

    def _on_connected(self) -> None:
        self._send(_DISPLAY, 1, struct.pack("=I", _REGISTRY))  # get_registry

    def _on_words(self) -> None:
        while self._socket.bytesAvailable() >= HEADER.size:
            sender, rest = HEADER.unpack(self._socket.peek(HEADER.size).data())
            size, opcode = rest >> 16, rest & 0xFFFF
            if size < HEADER.size:
                return self.close()
            if self._socket.bytesAvailable() < size:
                return None
            self._accept(sender, opcode, bytes(self._socket.read(size).data()[HEADER.size :]))
        return None

    def _accept(self, sender: int, opcode: int, words: bytes) -> None:
        if (sender, opcode) == (_DISPLAY, 0):  # error: the compositor hangs up
            self.close()
        elif (sender, opcode) == (_REGISTRY, 0) and len(words) > HEADER.size:
            self._on_global(words)
        elif sender == _NOTIFICATION:
            self._idle_since = None if opcode else time.monotonic() - self._idle_after_seconds

    def _on_global(self, words: bytes) -> None:
        """Bind the first seat and the notifier; with both, watch."""
        number, _ = HEADER.unpack_from(words)
        interface = interface_of(words)
        if interface not in (SEAT, IDLE_NOTIFIER) or interface in self._bound:
            return
        if interface == IDLE_NOTIFIER:
            (offered,) = struct.unpack("=I", words[-4:])
            self._version = min(offered, 2)
        self._bound[interface] = bound = _REGISTRY + 1 + len(self._bound)
        new = struct.pack("=II", self._version if interface == IDLE_NOTIFIER else 1, bound)
        self._send(_REGISTRY, 0, struct.pack("=I", number) + _string(interface) + new)  # bind
        if len(self._bound) == 2:
            self._watch()

    def _watch(self) -> None:
        """Request ``get_idle_notification``, or ``get_input_idle_notification`` of the newer version."""
        milliseconds = int(self._idle_after_seconds * 1000)
        arguments = struct.pack("=III", _NOTIFICATION, milliseconds, self._bound[SEAT])
        self._send(self._bound[IDLE_NOTIFIER], self._version, arguments)  # their opcodes are 1 and 2
        self._is_watching = True

    def _send(self, sender: int, opcode: int, words: bytes) -> None:
        self._socket.write(HEADER.pack(sender, (HEADER.size + len(words)) << 16 | opcode) + words)


def _string(text: str) -> bytes:
    encoded = text.encode() + b"\0"
    return struct.pack("=I", len(encoded)) + encoded + b"\0" * (-len(encoded) % 4)
