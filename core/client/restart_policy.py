"""The restart policy of a worker that ended by itself: back-off that begins short and grows."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import ErrorKind

CRASHES = frozenset(
    {ErrorKind.INTERNAL, ErrorKind.WORKER_CRASHED, ErrorKind.STATE_NOT_LOADED, ErrorKind.MODEL_UNLEARNED}
)
"""What a few more attempts may mend."""

RECONNECT_CAUSES = frozenset(
    {ErrorKind.NETWORK_CHANGED, ErrorKind.SWARM_LOST, ErrorKind.RUN_CHANGED, ErrorKind.RUN_ROLLED_BACK}
)
"""Nothing is broken: a worker that begins anew is the way on."""

OUTAGES = frozenset({ErrorKind.NOBODY_ANSWERS, ErrorKind.NO_SUCH_RUN, ErrorKind.CLOCK_WRONG})
"""What may be over soon where the run has been reached before: after a sleep, a network that is not up yet,
or a clock that has not been set; an organiser who starts again answers before it has signed its run."""

GPU_FAILURES = frozenset({ErrorKind.GPU_UNUSABLE, ErrorKind.NO_SUCH_DEVICE})
"""What may be over soon where the device has computed in this session: a driver that is reset or installed anew."""

PASSING = OUTAGES | RECONNECT_CAUSES
"""What somebody who watches a run waits out, once they have seen it."""

_LIMITED = CRASHES | GPU_FAILURES

OBSERVER_RETRY_SECONDS = 15.0
"""Until a run that has been seen is looked for again by somebody who watches it."""


@dataclass(frozen=True)
class RestartPolicy:
    """How often and how soon. A worker that ran well for ``reset_after_seconds`` has earned all attempts again.

    Crashes and failures of a GPU have as many attempts as there are delays, and where the run has been trained in
    before, one every ``max_backoff_seconds`` from then on: what it was may be over by the morning. A network comes back
    sooner or later, and whoever lends a computer over night is not there to try again, so that is tried for ever, and
    at least every ``outage_seconds``: it costs nobody anything, and we help soon after the network is back. A disk that
    is full is tried for ever, too, and at least every ``room_seconds``.
    """

    delays_seconds: tuple[float, ...] = (2.0, 4.0, 8.0, 16.0, 32.0)
    max_backoff_seconds: float = 300.0
    outage_seconds: float = 8.0
    room_seconds: float = 60.0
    reset_after_seconds: float = 60.0

    def next_attempt(
        self, attempt: int, good_running_seconds: float, problem: ErrorKind, *, has_trained: bool = False
    ) -> int | None:
        """Return the attempt that follows this one, where 0 is the first start; ``None``: there is no other."""
        following = 1 if good_running_seconds >= self.reset_after_seconds else attempt + 1
        last = self.last_attempt(problem, has_trained=has_trained)
        return None if last is not None and following > last else following

    def last_attempt(self, problem: ErrorKind, *, has_trained: bool = False) -> int | None:
        """Return the attempt after which there is no other; ``None`` where it is tried for ever."""
        return len(self.delays_seconds) if problem in _LIMITED and not has_trained else None

    def delay_seconds(self, attempt: int, problem: ErrorKind) -> float:
        """How long to wait before that attempt."""
        if attempt == 1 and problem in RECONNECT_CAUSES:
            return 0.0
        is_rare = attempt > len(self.delays_seconds)
        seconds = self.max_backoff_seconds if is_rare else self.delays_seconds[attempt - 1]
        if problem in _LIMITED:
            return seconds
        return min(seconds, self.room_seconds if problem is ErrorKind.DISK_FULL else self.outage_seconds)
