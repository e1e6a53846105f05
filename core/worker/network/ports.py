"""The port that a peer listens on: the same one at every start, and none that another program uses."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from core.errors import ErrorKind, UserError
from core.files.json_file import JsonFile
from core.run.multiaddr import USUAL_PORT, Multiaddr, readable_multiaddrs
from core.worker.delegation.network import free_port
from core.worker.network.reachability import all_interfaces

Port = Annotated[int, Meta(ge=1, le=65535)]
_NO_SUCH_NETWORK = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)  # a computer without IPv6


def fixed_listen(path: Path) -> tuple[Multiaddr, ...]:
    """The multiaddrs of all interfaces with the port kept in ``path``, so that a posted address stays valid."""
    file: JsonFile[int] = JsonFile(path, Port)
    port = file.read()
    if port is None:
        port = _free_port()
        file.write(port)
    return all_interfaces(port)


def free_fixed_listen(path: Path) -> tuple[Multiaddr, ...]:
    """As ``fixed_listen``, for a peer whose address nobody has posted: a port that is in use now is replaced."""
    listen = fixed_listen(path)
    try:
        refuse_taken_ports(listen)
    except UserError:
        path.unlink()
        listen = fixed_listen(path)
    return listen


def port_of(listen: Sequence[str]) -> int:
    """The port of the first of these multiaddrs that has one; 0, any free port, where none has."""
    return next((each.port for each in readable_multiaddrs(listen) if each.port is not None), 0)


def _free_port() -> int:
    for port in (USUAL_PORT, 0):
        with suppress(OSError):
            return free_port("", port, is_shared=False)
    raise UserError(ErrorKind.PORT_TAKEN)


def refuse_taken_ports(listen: Sequence[str]) -> None:
    """Raise UserError where another program listens on one of those ports already.

    WORKAROUND H37: p2pd would share the port, and connections go astray.
    """
    for address in readable_multiaddrs(listen):
        if address.ip is None or address.tcp_endpoint is None:
            continue
        try:
            free_port(*address.tcp_endpoint, is_shared=True)
        except OSError as error:
            if error.errno not in _NO_SUCH_NETWORK:
                raise UserError(ErrorKind.PORT_TAKEN, f"{address}: {error.strerror}.") from error
