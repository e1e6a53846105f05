"""TCP on loopback: a port that is free, and servers in threads."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def free_port() -> int:
    """A TCP port of loopback on which nobody listens at present."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
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
