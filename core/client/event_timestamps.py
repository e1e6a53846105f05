"""When the parts of a session were first seen; the session itself has no clock, so that it can be replayed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.client.hourly_traffic import HourlyTraffic
from core.client.session import Session
from core.protocol.events import Progress, Restarting, RoundFinished
from core.protocol.limits import Traffic

TOLD_WAITING_SECONDS = 5.0  # where epochs last for seconds, each of them has a wait that is over sooner
_NO_TRAFFIC = HourlyTraffic()


@dataclass(frozen=True)
class EventTimestamps:
    """Seconds of ``time.time()``; a front end keeps one and gives each session to ``after``.

    ``waiting_since`` is when a wait for the last step began that goes on; ``counted`` is what the session's workers had
    sent and received, ``traffic`` what of it was in the last hour.
    """

    averaged: RoundFinished | None = None
    averaged_at: float = 0.0
    progress: Progress | None = None
    progress_at: float = 0.0
    waiting_since: float | None = None
    restarting: Restarting | None = None
    restarting_at: float = 0.0
    counted: Traffic | None = None
    traffic: HourlyTraffic = _NO_TRAFFIC

    def after(self, session: Session, now: float) -> EventTimestamps:
        """Return the timestamps after this session was seen at ``now``."""
        timestamps = self
        averaged = last_averaged(session)
        if averaged is not self.averaged:
            timestamps = replace(timestamps, averaged=averaged, averaged_at=now)
        if session.progress is not self.progress:
            is_waiting = session.progress is not None and session.progress.is_waiting
            since = (now if self.waiting_since is None else self.waiting_since) if is_waiting else None
            timestamps = replace(
                timestamps,
                progress=session.progress,
                progress_at=now,
                waiting_since=since,
            )
        if session.traffic is not self.counted:
            earlier = session.earlier_traffic
            before = self.traffic if self.counted else HourlyTraffic(earlier.sent_bytes, earlier.received_bytes)
            timestamps = replace(timestamps, counted=session.traffic, traffic=before.after(session.traffic, now))
        if session.restarting is not self.restarting:
            timestamps = replace(timestamps, restarting=session.restarting, restarting_at=now)
        return timestamps

    def is_waiting_long(self, now: float) -> bool:
        """Return whether it has waited for the last step for so long that a person is told."""
        return self.waiting_since is not None and now - self.waiting_since >= TOLD_WAITING_SECONDS

    def averaged_seconds_ago(self, now: float) -> float | None:
        """Return how long ago a round was averaged with others."""
        return None if self.averaged is None else max(0.0, now - self.averaged_at)

    def seconds_to_next_round(self, now: float) -> float | None:
        """Return the time to the next round, as the last progress event estimated it."""
        if self.progress is None or self.progress.next_step_seconds is None:
            return None
        return max(0.0, self.progress.next_step_seconds - max(0.0, now - self.progress_at))

    def seconds_to_restart(self, now: float) -> float | None:
        """Return the time until the next attempt begins."""
        if self.restarting is None:
            return None
        return max(0.0, self.restarting.seconds - max(0.0, now - self.restarting_at))


def is_averaged(finished: RoundFinished) -> bool:
    """Return whether the run moved by a round with others: one without anybody else, or without a step, is none."""
    return finished.ok and finished.peers > 1 and finished.stepped


def last_averaged(session: Session) -> RoundFinished | None:
    """The latest round of gradients or changes that was averaged with others; or of state, if there is no other."""
    averaged = [each for each in reversed(session.rounds) if is_averaged(each)]
    return next((each for each in averaged if each.kind != "state"), averaged[0] if averaged else None)
