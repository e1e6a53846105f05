"""What this program has sent and received since midnight, summed up from its workers' progress reports."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.client.hourly_traffic import increase
from core.protocol.events import Progress


@dataclass(frozen=True)
class DailyTraffic:
    """The bytes of one day; ``counted`` is what the newest report had counted, sent and received."""

    day: date | None = None
    sent: int = 0
    received: int = 0
    counted: tuple[int, int] = (0, 0)

    def after(self, progress: Progress | None, day: date) -> DailyTraffic:
        """Return the traffic of that day after that report; ``None``, or the same report again, adds nothing."""
        sent, received = (self.sent, self.received) if day == self.day else (0, 0)
        if progress is None:
            return DailyTraffic(day, sent, received, self.counted)
        more_sent, more_received = increase(progress, *self.counted)
        counted = (progress.sent_bytes, progress.received_bytes)
        return DailyTraffic(day, sent + more_sent, received + more_received, counted)

    @property
    def fields(self) -> dict[str, object]:
        """The fields of an ``Observation``."""
        return {"sent_today": self.sent, "received_today": self.received}
