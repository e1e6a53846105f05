"""The pace that the owner's client asks for: of the computing, of the line, and of what is told of it.

Downloads keep to their limit from the moment in which the command has come, since some precede training.
"""

from __future__ import annotations

import threading

from core.protocol.commands import SetPace
from core.protocol.limits import Paced
from core.worker.delegation.tcp_pacing import UploadState
from core.worker.delegation.upload_limit import limit_upload
from core.worker.process.channel import WorkerChannel
from core.worker.roles.line_monitor import LineMonitor
from core.worker.training.trainer import Trainer

LOOK_SECONDS = 2.0  # between two looks at what has come of an upload limit
_BITS = 8


class PaceKeeper:
    """Passes on each new pace of the channel, and tells what has come of it."""

    def __init__(self, trainer: Trainer, line_monitor: LineMonitor, channel: WorkerChannel) -> None:
        self._trainer, self._line_monitor, self._channel = trainer, line_monitor, channel
        self._limits: tuple[int | None, int | None] = (None, None)
        self._told = Paced(compute_share=1.0)

    def run(self, leaving: threading.Event) -> None:
        """Until we leave; raises UserError where the process that limits uploads has ended."""
        while not leaving.is_set():
            self._keep(self._channel.pace)
            self._channel.pace_changed.wait(LOOK_SECONDS)
            self._channel.pace_changed.clear()

    def _keep(self, pace: SetPace) -> None:
        self._trainer.duty_cycle.share, self._trainer.report_seconds = pace.compute_share, pace.report_seconds
        (before, _), limits = self._limits, (pace.upload_bytes_a_second, pace.download_bytes_a_second)
        if limits != self._limits:
            self._limits = limits
            self._line_monitor.limit_to(*(None if limit is None else limit * _BITS for limit in limits))
        limit = pace.upload_bytes_a_second
        state: UploadState = "free"
        if limit is not None or before is not None:
            state = limit_upload(limit)
        paced = Paced(compute_share=pace.compute_share, upload="free" if limit is None else state)
        if paced != self._told and (limit is None or state != "free"):  # else the limit has not been looked at yet
            self._told = paced
            self._channel.emit(paced)
