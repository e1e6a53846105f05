"""What is known of the others is old once nobody has looked for long, also where the computer has slept meanwhile."""

from __future__ import annotations

import time

import pytest

from core.worker.swarm.patches import monotonic_clock
from core.worker.swarm.progress.liveness import MIN_STALE_SECONDS, Liveness

HOUR = 3600.0


@pytest.mark.parametrize(("slept", "is_stale"), [(0.0, False), (MIN_STALE_SECONDS / 2, False), (HOUR, True)])
def test_a_look_before_a_sleep_of_the_computer_says_nothing_after_it(
    monkeypatch: pytest.MonkeyPatch, slept: float, is_stale: bool
) -> None:
    awake, elapsed = time.monotonic(), monotonic_clock._elapsed()
    monkeypatch.setattr(time, "monotonic", lambda: awake)  # stands still during a sleep, on Linux and macOS
    monkeypatch.setattr(monotonic_clock, "_elapsed", lambda: elapsed)
    liveness = Liveness(60.0, 3.0)
    assert liveness.is_stale, "nobody has looked yet"
    liveness.update({}, {}, 3.0)
    monkeypatch.setattr(monotonic_clock, "_elapsed", lambda: elapsed + slept)
    assert liveness.is_stale is is_stale
