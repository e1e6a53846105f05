"""The client's view of whether this computer contributes: ContributionStatus events, one for every change."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.localizable import LocalizedText, localized
from core.protocol.events import ContributionStatus
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import SwarmOptimizer
from core.worker.training.contribution_status import ContributionMonitor


class ContributionReporter:
    """Judges and reports the contribution; may be called from the training loop and from other threads.

    ``connection_problem`` is what is wrong with the connection, for people; empty if nothing is.
    """

    def __init__(
        self,
        channel: WorkerChannel,
        optimizer: SwarmOptimizer,
        monitor: ContributionMonitor,
        connection_problem: Callable[[], LocalizedText],
    ) -> None:
        self._channel, self._optimizer, self._monitor = channel, optimizer, monitor
        self._connection_problem = connection_problem
        self._lock = threading.Lock()
        self._latest: ContributionStatus | None = None

    def report(self) -> None:
        """Send the present status unless the client has it already."""
        self._send(is_in_sync=self._optimizer.is_synchronized_with_peers())

    def report_out_of_sync(self) -> None:
        """Send that we are behind the others, as a newcomer is before it has downloaded their state."""
        self._send(is_in_sync=False)

    def report_waiting(self) -> None:
        """Send that nobody has told how far the run is, and that training begins once somebody has."""
        reason = localized("Waiting for the others' progress: training begins where the run is.")
        self._emit(ContributionStatus(state="starting", reason=reason))

    def _emit(self, status: ContributionStatus) -> None:
        with self._lock:
            if status != self._latest:
                self._latest = status
                self._channel.emit(status)

    def _send(self, *, is_in_sync: bool) -> None:
        # Judged and sent under one lock: else two threads could send their statuses in the wrong order.
        with self._lock:
            others = self._optimizer.tracker.statistics.other_peers()
            status = self._monitor.contribution_status(others, is_in_sync, self._connection_problem())
            if status != self._latest:
                self._latest = status
                self._channel.emit(status)
