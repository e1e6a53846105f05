"""What this computer has sent and received since the worker began: the owner's figures, and those of the fleet."""

from __future__ import annotations

from typing import NamedTuple

from core.worker.delegation.download_limit import downloads
from core.worker.delegation.tcp_counting import tcp_traffic
from core.worker.swarm import received_bytes, sent_bytes


class Traffic(NamedTuple):
    """Bytes in each direction since the worker began; they only grow."""

    sent_bytes: int
    received_bytes: int


def own_traffic() -> Traffic:
    """What the kernel has counted of p2pd's connections with other computers, and what was fetched from the web.

    Where hivemind's messages alone were more, those count: the kernel is not asked outside of Linux, does not see QUIC
    as TCP, counts nothing between peers of one computer, and forgets the last second of a connection.
    """
    counted = tcp_traffic()
    return Traffic(
        max(counted.sent_bytes, sent_bytes()),
        max(counted.received_bytes, received_bytes()) + downloads().fetched_bytes,
    )
