"""TCP on loopback: a port that is free, and servers in threads."""

from __future__ import annotations

import contextlib
import random
import socket
import socketserver
import threading
from collections.abc import Iterator

LASTING_PORTS = range(12_000, 31_000)  # below those that systems lend to whoever asks for any, and our usual one


def free_port() -> int:
    """A TCP port of loopback on which nobody listens at present, nor is given to whoever asks for any port later."""
    while True:
        port = random.choice(LASTING_PORTS)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextlib.contextmanager
def serving(*servers: socketserver.BaseServer) -> Iterator[None]:
    """Each of these servers serves in a thread until the block ends, and is closed then."""
    threads = [threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            server.server_close()
            thread.join()
