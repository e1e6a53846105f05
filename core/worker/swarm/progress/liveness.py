"""Whether the other peers of a run still report anything, how they have gone, and that we are there ourselves."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Mapping

from hivemind.optim.progress_tracker import ProgressTracker

from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.monotonic_clock import steady_time

MIN_STALE_SECONDS = 20.0
STALE_REFRESHES = 2.0  # no look for so many times the longest pause between two
RECONNECT_SECONDS = 15.0  # after a sleep of the computer, in which connections may not be there again


class Liveness:
    """What the reports of others, by subkey, say about whether they are there.

    A record expires after ``expiration_seconds``; one that is gone much earlier was taken back by its peer. The tracker
    looks at least every ``refresh_seconds``, as it says with each look.
    ``others_left_cleanly`` says that the last of the others did that.
    """

    def __init__(self, expiration_seconds: float, refresh_seconds: float) -> None:
        self.others_left_cleanly = False
        self._expiration_seconds = expiration_seconds
        self._stale_seconds = _stale_seconds(refresh_seconds)
        self._looked_at = self._reconnected_at = -math.inf
        self._heard_at: float | None = None

    def update(
        self, before: Mapping[bytes, PeerReport], others: Mapping[bytes, PeerReport], refresh_seconds: float
    ) -> None:
        """Compare the others' reports of a look with those of the look before."""
        now = steady_time()
        if others:
            self._reconnected_at = -math.inf
        elif before and self.is_stale:
            self._reconnected_at = now + RECONNECT_SECONDS
        self._looked_at, self._stale_seconds = now, _stale_seconds(refresh_seconds)
        if any(report != before.get(subkey) for subkey, report in others.items()):
            self._heard_at, self.others_left_cleanly = time.monotonic(), False
        elif before and not others:
            latest = max(report.time for report in before.values())
            self.others_left_cleanly = now - latest < self._expiration_seconds / 2

    @property
    def is_stale(self) -> bool:
        """Whether the last look is so long ago that all we know is old, as after a sleep of the computer.

        Nor do we know anything for a moment after a first look that finds nobody, where somebody was there before.
        """
        now = steady_time()
        return now - self._looked_at > self._stale_seconds or now < self._reconnected_at

    def quiet_seconds(self) -> float | None:
        """Since when nobody else has reported anything new; ``None`` if nobody ever has."""
        return None if self._heard_at is None else time.monotonic() - self._heard_at


def _stale_seconds(refresh_seconds: float) -> float:
    """How old a look is that says nothing any more."""
    return max(MIN_STALE_SECONDS, STALE_REFRESHES * refresh_seconds)


class Presence:
    """Tells the others where we are while we compute nothing.

    WORKAROUND H74: hivemind publishes the progress of those alone who have computed a sample since they began. Of a run
    that is paused nobody who has begun anew since would be seen: a newcomer takes the run for one that begins, and who
    has obeyed a rollback waits for somebody else who has.
    """

    def __init__(self, tracker: ProgressTracker) -> None:
        self._tracker, self._told_epoch, self._due = tracker, -1, -math.inf

    def tell(self) -> None:
        """Publish our progress, once as long as it is the same and others know it; does not wait."""
        now, tracker, mine = steady_time(), self._tracker, self._tracker.local_progress
        if now < self._due and mine.epoch == self._told_epoch:
            return
        self._due, self._told_epoch = now + tracker.metadata_expiration / 2, mine.epoch
        is_measured = tracker.performance_ema.num_updates > 0  # before, hivemind's speed is nearly none, but not quite
        tracker.dht.store(
            tracker.training_progress_key,
            subkey=tracker._local_public_key,
            value=mine.dict() | ({} if is_measured else {"samples_per_second": 0.0}),
            expiration_time=now + tracker.metadata_expiration,
            return_future=True,
        )


def are_all_ahead(others: Iterable[PeerReport], epoch: int) -> bool:
    """Whether all who can be reached have ended the epoch after that one: its rounds are over without us.

    They are an epoch ahead whenever they look a moment earlier than we do.
    """
    reached = [report.epoch for report in others if not report.client_mode]
    return bool(reached) and min(reached) >= epoch + 2


def is_half_ahead(others: Collection[PeerReport], epoch: int) -> bool:
    """Whether that epoch is over for half of the swarm, ourselves included: no group that is left of it has a quorum.

    Fewer liars than that cannot make a swarm look so.
    """
    return 2 * sum(report.epoch > epoch for report in others) >= len(others) + 1
