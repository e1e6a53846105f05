"""What this computer has sent and received since the worker began: the owner's figures, and those of the fleet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from core.protocol.limits import Traffic
from core.worker.delegation.download_limit import downloads
from core.worker.delegation.tcp_counting import tcp_traffic
from core.worker.swarm import received_bytes, sent_bytes

REPORT_SECONDS = 4.0
"""Longer than between two reports of progress, also of a worker whose window nobody sees."""


def own_traffic() -> Traffic:
    """What the kernel has counted of p2pd's connections with other computers, and what was fetched from the web.

    Where hivemind's messages alone were more, those count: the kernel is not asked outside of Linux, does not see QUIC
    as TCP, counts nothing between peers of one computer, and forgets the last second of a connection.
    """
    counted = tcp_traffic()
    return Traffic(
        sent_bytes=max(counted.sent_bytes, sent_bytes()),
        received_bytes=max(counted.received_bytes, received_bytes()) + downloads().fetched_bytes,
    )


class TrafficReporter:
    """Sends what is new of our traffic, ``REPORT_SECONDS`` after it was told last; for several threads."""

    def __init__(self, emit: Callable[[Traffic], None]) -> None:
        self._emit, self._told, self._told_at = emit, Traffic(), time.monotonic()

    def note_told(self) -> None:
        """A report of progress has just told it."""
        self._told_at = time.monotonic()

    def report(self) -> None:
        """Send it where that is due."""
        if time.monotonic() - self._told_at < REPORT_SECONDS:
            return
        if (traffic := own_traffic()) != self._told:
            self._emit(traffic)
        self._told, self._told_at = traffic, time.monotonic()

    def run(self, leaving: threading.Event) -> None:
        """Report until we leave, whatever else is going on."""
        while not leaving.wait(REPORT_SECONDS / 2):
            self.report()
