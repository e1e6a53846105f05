"""A mouse for a Wayland desktop without one: the protocol ``wlr-virtual-pointer-unstable-v1``, spoken over the socket.

Requests and events are those of wayland.xml and of that protocol: an object's id, then size and opcode in 32 bits,
then the arguments. Objects are numbered by the client.
"""

from __future__ import annotations

import itertools
import socket
import struct
import time
from types import TracebackType

LEFT, RIGHT = 0x110, 0x111  # BTN_LEFT and BTN_RIGHT of linux/input-event-codes.h
_DISPLAY, _REGISTRY = 1, 2
_MANAGER = "zwlr_virtual_pointer_manager_v1"
_STEPS = 12  # of a movement, as of a hand


class VirtualPointer:
    """``with VirtualPointer(socket path, (width, height)) as mouse:``; the size is that of the screen."""

    def __init__(self, path: str, screen: tuple[int, int]) -> None:
        self._screen, self._place = screen, (0, 0)
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(path)
        self._ids = itertools.count(_REGISTRY + 1)
        self._send(_DISPLAY, 1, struct.pack("=I", _REGISTRY))  # get_registry
        number = struct.pack("=I", self._number_of_manager())
        manager, self._pointer = next(self._ids), next(self._ids)
        self._send(_REGISTRY, 0, number + _string(_MANAGER) + struct.pack("=II", 1, manager))  # bind
        self._send(manager, 0, struct.pack("=II", 0, self._pointer))  # create_virtual_pointer, for any seat
        self._wait()

    def __enter__(self) -> VirtualPointer:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._connection.close()

    def move(self, x: int, y: int) -> None:
        """Move there step by step; the compositor has seen every step when it returns."""
        before = self._place
        for step in range(1, _STEPS + 1):
            there = [round(old + (new - old) * step / _STEPS) for old, new in zip(before, (x, y), strict=True)]
            self._send(self._pointer, 1, struct.pack("=IIIII", _now(), *there, *self._screen))
            self._frame()
        self._place = (x, y)

    def press(self, button: int = LEFT) -> None:
        """Press a button, and keep it pressed."""
        self._button(button, 1)

    def release(self, button: int = LEFT) -> None:
        self._button(button, 0)

    def _button(self, button: int, state: int) -> None:
        self._send(self._pointer, 2, struct.pack("=III", _now(), button, state))
        self._frame()

    def _frame(self) -> None:
        self._send(self._pointer, 4, b"")
        self._wait()

    def _number_of_manager(self) -> int:
        """The name of the global that makes virtual pointers."""
        wanted, callback = _string(_MANAGER), self._sync()
        number: int | None = None
        while True:
            sender, opcode, words = self._event()
            if sender == _REGISTRY and opcode == 0 and words[4:].startswith(wanted):
                (number,) = struct.unpack_from("=I", words)
            if sender == callback:
                assert number is not None, "the compositor makes no virtual pointers"
                return number

    def _wait(self) -> None:
        """Until the compositor has done what was asked."""
        callback = self._sync()
        while self._event()[0] != callback:
            pass

    def _sync(self) -> int:
        callback = next(self._ids)
        self._send(_DISPLAY, 0, struct.pack("=I", callback))
        return callback

    def _send(self, sender: int, opcode: int, words: bytes) -> None:
        self._connection.sendall(struct.pack("=II", sender, (8 + len(words)) << 16 | opcode) + words)

    def _event(self) -> tuple[int, int, bytes]:
        sender, rest = struct.unpack("=II", self._received(8))
        words = self._received((rest >> 16) - 8)
        assert (sender, rest & 0xFFFF) != (_DISPLAY, 0), f"the compositor refuses: {words!r}"
        return sender, rest & 0xFFFF, words

    def _received(self, length: int) -> bytes:
        received = b""
        while len(received) < length:
            more = self._connection.recv(length - len(received))
            assert more, "the compositor has hung up"
            received += more
        return received


def _string(text: str) -> bytes:
    encoded = text.encode() + b"\0"
    return struct.pack("=I", len(encoded)) + encoded + b"\0" * (-len(encoded) % 4)


def _now() -> int:
    return int(time.monotonic() * 1000) & 0xFFFFFFFF
