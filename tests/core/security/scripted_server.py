"""A web server on loopback that answers as it is told, byte for byte: rightly, wrongly, in part or cut off."""

from __future__ import annotations

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.computer.loopback import serving


class ScriptedServer(socketserver.ThreadingTCPServer):
    """``script`` are the next answers, whole as they go over the line; then the connection is closed.

    ``asked`` are the values of the header Range in the requests, in order; empty where there was none.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.script: list[bytes] = []
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        """Of a file there; it is the same for all."""
        return f"http://127.0.0.1:{self.server_address[1]}/file"


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    """Until the block ends."""
    server = ScriptedServer()
    with serving(server):
        yield server


def http_answer(status: str, body: bytes = b"", **headers: object) -> bytes:
    """An answer over HTTP/1.1; an underscore in a header's name stands for a hyphen."""
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


class _Connection(socketserver.StreamRequestHandler):
    server: ScriptedServer

    def handle(self) -> None:
        headers = {}
        while line := self.rfile.readline().strip():
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        self.server.asked.append(headers.get("range", ""))
        self.wfile.write(self.server.script.pop(0))
