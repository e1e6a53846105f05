"""How long to wait for a host: as its earlier answers have taken, and as TCP waits for its acknowledgements."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_SECONDS = 4.0  # before anything is known of a host, which may have to be dialled first
LEAST_SECONDS = 2.0  # computers do other things, too
MOST_SECONDS = 4.0  # so that a host that is gone costs less than five seconds
_GAIN, _VARIATION_GAIN, _VARIATIONS = 1 / 8, 1 / 4, 4


@dataclass
class RetransmissionTimeout:
    """Smoothed latency and its variation, in seconds; RFC 6298, section 2."""

    latency: float | None = None
    variation: float = 0.0

    def see(self, seconds: float) -> None:
        """An answer has taken so long."""
        if self.latency is None:
            self.latency, self.variation = seconds, seconds / 2
            return
        self.variation += _VARIATION_GAIN * (abs(self.latency - seconds) - self.variation)
        self.latency += _GAIN * (seconds - self.latency)

    @property
    def seconds(self) -> float:
        """After which an answer is not waited for."""
        if self.latency is None:
            return FIRST_SECONDS
        return min(MOST_SECONDS, max(LEAST_SECONDS, self.latency + _VARIATIONS * self.variation))
