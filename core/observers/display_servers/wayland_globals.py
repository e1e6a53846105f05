"""What a Wayland compositor offers: the interfaces of its globals, asked over its socket (wayland.xml).

A request or event is an object's id, then size and opcode in 32 bits, then the arguments. Objects are numbered by the
client; the compositor's answers are untrusted, and bounded in time and size.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

SEAT, IDLE_NOTIFIER = "wl_seat", "ext_idle_notifier_v1"
HEADER = struct.Struct("=II")
LARGEST_NAME = 256
_DISPLAY, _REGISTRY, _CALLBACK = 1, 2, 3
_PATIENCE_SECONDS = 2.0
_MOST_BYTES = 256 * 1024  # a compositor offers some dozens of globals, of less than a hundred bytes each


def is_wayland_session(environment: Mapping[str, str]) -> bool:
    """Whether a Wayland compositor shows the session; an X server in it knows of the input to X11's windows only."""
    return bool(environment.get("WAYLAND_DISPLAY")) or environment.get("XDG_SESSION_TYPE") == "wayland"


def wayland_socket(environment: Mapping[str, str]) -> Path | None:
    """Return the socket of the session's compositor; ``None`` where the environment does not tell it."""
    place = Path(environment.get("XDG_RUNTIME_DIR", ""), environment.get("WAYLAND_DISPLAY") or "wayland-0")
    return place if place.is_absolute() else None


def interface_of(words: bytes) -> str:
    """Return the interface that an event ``wl_registry.global`` names: its number, the name's length, the name."""
    _, length = HEADER.unpack_from(words)
    return words[HEADER.size : HEADER.size + min(length, LARGEST_NAME)].rstrip(b"\0").decode("ascii", "replace")


def tells_idle_time(environment: Mapping[str, str]) -> bool:
    """Whether the compositor offers a seat and ``ext-idle-notify-v1``; false where it does not answer in seconds."""
    place = wayland_socket(environment)
    try:
        return place is not None and {SEAT, IDLE_NOTIFIER} <= set(_globals(place))
    except OSError:
        return False


def _globals(place: Path) -> Iterator[str]:
    """The interfaces, up to the answer to a request ``sync`` that follows ``get_registry``; raises OSError."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_PATIENCE_SECONDS)
        connection.connect(str(place))
        for opcode, new in ((1, _REGISTRY), (0, _CALLBACK)):
            connection.sendall(struct.pack("=III", _DISPLAY, (HEADER.size + 4) << 16 | opcode, new))
        for sender, opcode, words in _events(connection, deadline):
            if sender != _REGISTRY:  # the answer to sync, or an error
                return
            if opcode == 0 and len(words) > HEADER.size:
                yield interface_of(words)


def _events(connection: socket.socket, deadline: float) -> Iterator[tuple[int, int, bytes]]:
    """Each event's object, opcode and arguments, up to nonsense or too many bytes; raises OSError."""
    received, total = b"", 0
    while total < _MOST_BYTES:
        while len(received) >= HEADER.size:
            sender, rest = HEADER.unpack_from(received)
            size = rest >> 16
            if size < HEADER.size:
                return
            if len(received) < size:
                break
            yield sender, rest & 0xFFFF, received[HEADER.size : size]
            received = received[size:]
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        more = connection.recv(4096)
        if not more:
            return
        received, total = received + more, total + len(more)
