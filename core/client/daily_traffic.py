"""What this program has sent and received since midnight, summed up from its workers' progress reports."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.protocol.events import Progress


@dataclass(frozen=True)
class DailyTraffic:
    """The bytes of one day; ``counted`` is what the newest report had counted, sent and received.

    A report counts a worker's bytes from its start; a count that has fallen is that of another worker.
    """

    day: date | None = None
    sent: int = 0
    received: int = 0
    counted: tuple[int, int] = (0, 0)

    def after(self, progress: Progress | None, day: date) -> DailyTraffic:
        """Return the traffic of that day after that report; ``None``, or the same report again, adds nothing."""
        sent, received = (self.sent, self.received) if day == self.day else (0, 0)
        if progress is None:
            return DailyTraffic(day, sent, received, self.counted)
        counted = (progress.sent_bytes, progress.received_bytes)
        is_new = any(now < before for now, before in zip(counted, self.counted, strict=True))
        before = (0, 0) if is_new else self.counted
        return DailyTraffic(day, sent + counted[0] - before[0], received + counted[1] - before[1], counted)

    @property
    def fields(self) -> dict[str, object]:
        """The fields of an ``Observation``."""
        return {"sent_today": self.sent, "received_today": self.received}
