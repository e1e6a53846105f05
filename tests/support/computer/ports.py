"""The TCP ports of this computer."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A TCP port of loopback on which nobody listens at present."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
