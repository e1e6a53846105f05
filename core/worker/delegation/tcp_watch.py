"""The looks at p2pd's TCP connections: what they move is counted, and their uploads keep to the owner's limit."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from core.worker.delegation.child_sockets import ChildSockets, TcpSocket
from core.worker.delegation.tcp_counting import IsCounted, TcpCounter, TcpTraffic, leaves_computer
from core.worker.delegation.tcp_pacing import SharedLimit, TcpPacer

LIMITED_LOOK_SECONDS = 0.25
LOOK_SECONDS = 1.0

log = logging.getLogger(__name__)


class TcpWatch:
    """Watches a descendant, by its process id: `look` again and again, after as many seconds as it returns."""

    def __init__(
        self, pid: int, shared: SharedLimit, traffic: TcpTraffic, is_counted: IsCounted = leaves_computer
    ) -> None:
        self._sockets, self._shared = ChildSockets(pid), shared
        self._counter, self._pacer = TcpCounter(traffic, is_counted), TcpPacer()
        self._is_refused = False

    def look(self) -> float:
        """Count what it has moved, and pace it as the limit is now; the seconds until the next look. Never raises."""
        limit = self._shared.limit
        try:
            with self._sockets.copies() as copies:
                self._look_at(copies, limit)
        except (ProcessLookupError, FileNotFoundError):
            pass  # it has ended
        except OSError as error:
            if not self._is_refused:
                log.warning("what p2pd sends is neither counted by the kernel nor limited: %s", error)
            self._is_refused = True
            self._shared.state = "free" if limit is None else "refused"
        return LOOK_SECONDS if limit is None else LIMITED_LOOK_SECONDS

    def _look_at(self, copies: Sequence[TcpSocket], limit: int | None) -> None:
        self._counter.count(copies)
        self._pacer.pace(copies, limit)
        self._shared.state = "free" if limit is None else "limited"
        self._is_refused = False
