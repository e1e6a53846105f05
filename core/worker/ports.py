"""The ports that an organiser listens on: the same ones every time, and nobody else's."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

from core.folders import write_atomically
from core.problems import ClientError, Problem

USUAL_PORT = 31337


def usual_listen(memory: Path) -> tuple[str, ...]:
    """All interfaces, and the port of last time, so that the address that was posted stays true."""
    try:
        port = int(memory.read_text())
    except (FileNotFoundError, ValueError):
        port = _free_port()
        write_atomically(memory, str(port).encode())
    return (f"/ip4/0.0.0.0/tcp/{port}", *((f"/ip6/::/tcp/{port}",) if socket.has_ipv6 else ()))


def _free_port() -> int:
    for port in (USUAL_PORT, 0):
        with socket.socket() as listener:
            try:
                listener.bind(("", port))
            except OSError:
                continue
            return int(listener.getsockname()[1])
    raise ClientError(Problem.PORT_TAKEN)


def refuse_taken_ports(listen: Sequence[str]) -> None:
    """WORKAROUND: p2pd shares a port that another program listens on, and connections go astray."""
    for address in listen:
        parts = address.split("/")
        if len(parts) < 5 or parts[1] != "ip4" or parts[3] != "tcp":
            continue
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((parts[2], int(parts[4])))
            except OSError as error:
                raise ClientError(Problem.PORT_TAKEN, f"{address}: {error.strerror}.") from error
