"""What the sessions of a front end have sent and received in the last hour."""

from __future__ import annotations

from dataclasses import dataclass

from core.protocol.events import Progress
from core.protocol.limits import Traffic

_SECONDS = 60.0  # of a bucket
_BUCKETS = 60


@dataclass(frozen=True)
class Bucket:
    """The bytes of one minute, which began ``number`` minutes after the clock's zero."""

    number: int
    sent: int
    received: int


def increase(report: Progress | Traffic, sent: int, received: int) -> tuple[int, int]:
    """Return the bytes that were sent and received since a report with those counts; one that has fallen begins anew.

    A worker's report counts from its start, a session's from that of the front end.
    """
    if report.sent_bytes < sent or report.received_bytes < received:
        return report.sent_bytes, report.received_bytes
    return report.sent_bytes - sent, report.received_bytes - received


@dataclass(frozen=True)
class HourlyTraffic:
    """The traffic of the last 60 minutes, in buckets of one; the bytes are the newest counts."""

    sent_bytes: int = 0
    received_bytes: int = 0
    buckets: tuple[Bucket, ...] = ()

    def after(self, traffic: Traffic, now: float) -> HourlyTraffic:
        """Return the traffic after a session had that at ``now``, in seconds."""
        sent, received = increase(traffic, self.sent_bytes, self.received_bytes)
        number = int(now // _SECONDS)
        *earlier, latest = self.buckets or (Bucket(number, 0, 0),)
        if latest.number != number:
            earlier, latest = [*earlier, latest], Bucket(number, 0, 0)
        latest = Bucket(number, latest.sent + sent, latest.received + received)
        buckets = (*(each for each in earlier if number - _BUCKETS < each.number < number), latest)
        return HourlyTraffic(traffic.sent_bytes, traffic.received_bytes, buckets)

    def sums(self, now: float) -> tuple[int, int]:
        """Return the bytes that were sent and received within the last hour."""
        recent = [each for each in self.buckets if each.number > now // _SECONDS - _BUCKETS]
        return sum(each.sent for each in recent), sum(each.received for each in recent)
