"""What a session has sent and received in the last hour, summed up from its progress reports."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.protocol.events import Progress

_SECONDS = 60.0  # of a bucket
_BUCKETS = 60


@dataclass(frozen=True)
class Bucket:
    """The bytes of one minute, which began ``number`` minutes after the clock's zero."""

    number: int
    sent: int
    received: int


def increase(progress: Progress, sent: int, received: int) -> tuple[int, int]:
    """Return the bytes that were sent and received since a report with those counts.

    A report counts a worker's bytes from its start. Between two workers there is none, and the next one is compared
    with 0; where that was missed, a count that has fallen is that of another worker, too.
    """
    if progress.sent_bytes < sent or progress.received_bytes < received:
        return progress.sent_bytes, progress.received_bytes
    return progress.sent_bytes - sent, progress.received_bytes - received


@dataclass(frozen=True)
class HourlyTraffic:
    """The traffic of the last 60 minutes, in buckets of one; the bytes are the counts of the newest report."""

    sent_bytes: int = 0
    received_bytes: int = 0
    buckets: tuple[Bucket, ...] = ()

    def after(self, progress: Progress | None, now: float) -> HourlyTraffic:
        """Return the traffic after that report came at ``now``, in seconds; ``None`` between two workers."""
        if progress is None:
            return replace(self, sent_bytes=0, received_bytes=0)
        sent, received = increase(progress, self.sent_bytes, self.received_bytes)
        number = int(now // _SECONDS)
        *earlier, latest = self.buckets or (Bucket(number, 0, 0),)
        if latest.number != number:
            earlier, latest = [*earlier, latest], Bucket(number, 0, 0)
        latest = Bucket(number, latest.sent + sent, latest.received + received)
        buckets = (*(each for each in earlier if number - _BUCKETS < each.number < number), latest)
        return HourlyTraffic(progress.sent_bytes, progress.received_bytes, buckets)

    def sums(self, now: float) -> tuple[int, int]:
        """Return the bytes that were sent and received within the last hour."""
        recent = [each for each in self.buckets if each.number > now // _SECONDS - _BUCKETS]
        return sum(each.sent for each in recent), sum(each.received for each in recent)
