"""A stand-in for a Wayland compositor: it tells the globals that it is said to have, and knows no other request."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path


def global_event(number: int, interface: str, version: int = 1) -> bytes:
    """An event ``wl_registry.global`` of object 2, as wayland.xml has it."""
    name = interface.encode() + b"\0"
    words = struct.pack("=II", number, len(name)) + name + b"\0" * (-len(name) % 4) + struct.pack("=I", version)
    return event(2, 0, words)


def event(sender: int, opcode: int, words: bytes) -> bytes:
    """Any event of an object."""
    return struct.pack("=II", sender, (8 + len(words)) << 16 | opcode) + words


DONE = event(3, 0, struct.pack("=I", 1))
"""The answer to the request ``sync``, when that made object 3."""


@contextlib.contextmanager
def compositor(folder: Path, *interfaces: str) -> Iterator[dict[str, str]]:
    """One that offers these, as the environment of a program of its session."""
    words = [global_event(number, each) for number, each in enumerate(interfaces, 1)]
    with raw_compositor(folder, [*words, DONE]) as environment:
        yield environment


@contextlib.contextmanager
def raw_compositor(folder: Path, said: Sequence[bytes]) -> Iterator[dict[str, str]]:
    """One that says this to each that connects, part by part, and then nothing."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "wl"))
        server.listen()
        clients: list[socket.socket] = []

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = server.accept()
                    clients.append(client)
                    for part in said:
                        client.sendall(part)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield {"XDG_RUNTIME_DIR": str(folder), "WAYLAND_DISPLAY": "wl"}
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for client in clients:
                client.close()
