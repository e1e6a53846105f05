"""How the bench's own peers say how they do: in Workerbee's protocol, at Workerbee's rhythm.

So one reader reads them all, and what reporting costs, it costs everybody.
"""

from __future__ import annotations

import sys
import time

from core.protocol.codec import encode
from core.protocol.events import Progress
from core.protocol.types import Event

REPORT_SECONDS = 0.5


def emit(event: Event) -> None:
    """The event as one line on stdout."""
    sys.stdout.write(encode(event).decode())
    sys.stdout.flush()


class Reporter:
    """Counts a loop's samples and the longest time it stood still; tells both twice a second."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._reported = self._stalled = 0.0
        self._contributed = 0

    def note(self, samples: int, stood_still_seconds: float) -> None:
        """A micro-batch has been computed, and handing it over took so long."""
        self._contributed += samples
        self._stalled = max(self._stalled, stood_still_seconds)

    def tell_if_due(self, epoch: int, my_samples: int = 0, swarm_samples: int = 0, peers: int = 1) -> None:
        """The first one at once."""
        if time.monotonic() - self._reported < REPORT_SECONDS:
            return
        emit(
            Progress(
                epoch=epoch,
                samples=swarm_samples,
                target=self._target,
                samples_per_second=None,
                swarm_samples_per_second=None,
                peers=peers,
                clients=0,
                loss=None,
                my_samples=my_samples,
                contributed_samples=self._contributed,
                stalled_seconds=round(self._stalled, 4),
            )
        )
        self._reported, self._stalled = time.monotonic(), 0.0
