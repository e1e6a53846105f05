"""A clock that stands still until a test sets it, in place of ``time.monotonic``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class FakeClock:
    """Tells the second ``now`` whenever it is asked."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now
