"""When a crashed worker is started again: soon at first, then later and later, then not at all."""

from __future__ import annotations

from dataclasses import dataclass

from core.problems import Problem

CRASHES = frozenset(
    {
        Problem.INTERNAL,
        Problem.WORKER_CRASHED,
        Problem.STATE_NOT_LOADED,
        Problem.NETWORK_CHANGED,
        Problem.SWARM_LOST,
    }
)
"""What another attempt may mend; every other problem is final, but for outages."""

OUTAGES = frozenset({Problem.NOBODY_ANSWERS})
"""What may be over soon where the run has been reached before: a network that is not up yet after a sleep."""


@dataclass(frozen=True)
class RestartPolicy:
    """How often and how soon. A worker that ran well for ``good_seconds`` has earned all attempts again."""

    delays_seconds: tuple[float, ...] = (2.0, 4.0, 8.0, 16.0, 32.0)
    good_seconds: float = 120.0

    def next_attempt(self, attempt: int, good_running_seconds: float) -> int | None:
        """The attempt that follows this one, where 0 is the first start; ``None``: there is no other."""
        following = 1 if good_running_seconds >= self.good_seconds else attempt + 1
        return following if following <= len(self.delays_seconds) else None

    def delay_seconds(self, attempt: int) -> float:
        """How long to wait before that attempt."""
        return self.delays_seconds[attempt - 1]
