"""What is known of the others is old once nobody has looked for long, also where the computer has slept meanwhile."""

from __future__ import annotations

import time

import pytest
from hivemind.p2p import PeerID

from core.uptime import seconds_since_start
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches import monotonic_clock
from core.worker.swarm.progress import liveness as module
from core.worker.swarm.progress.liveness import MIN_STALE_SECONDS, RECONNECT_SECONDS, Liveness

HOUR = 3600.0
SOMEBODY = {b"its key": PeerReport(PeerID(b"it"), 7, 16, 1.0, 0.0, client_mode=False)}


@pytest.mark.parametrize(("slept", "is_stale"), [(0.0, False), (MIN_STALE_SECONDS / 2, False), (HOUR, True)])
def test_a_look_before_a_sleep_of_the_computer_says_nothing_after_it(
    monkeypatch: pytest.MonkeyPatch, slept: float, is_stale: bool
) -> None:
    awake, elapsed = time.monotonic(), seconds_since_start()
    monkeypatch.setattr(time, "monotonic", lambda: awake)  # stands still during a sleep, on Linux and macOS
    monkeypatch.setattr(monotonic_clock, "seconds_since_start", lambda: elapsed)
    liveness = Liveness(60.0, 3.0)
    assert liveness.is_stale, "nobody has looked yet"
    liveness.update({}, {}, 3.0)
    monkeypatch.setattr(monotonic_clock, "seconds_since_start", lambda: elapsed + slept)
    assert liveness.is_stale is is_stale


class Clock:
    """Moves on when it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(module, "steady_time", lambda: self.now)


def test_who_sees_nobody_after_a_sleep_waits_a_moment_for_the_connections_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, liveness = Clock(monkeypatch), Liveness(60.0, 3.0)
    liveness.update({}, SOMEBODY, 3.0)
    clock.now += HOUR
    liveness.update(SOMEBODY, {}, 3.0)
    for _ in range(3):
        clock.now += RECONNECT_SECONDS / 4
        liveness.update({}, {}, 3.0)
        assert liveness.is_stale
    clock.now += RECONNECT_SECONDS / 4
    assert not liveness.is_stale, "they have gone"


def test_who_sees_somebody_after_a_sleep_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, liveness = Clock(monkeypatch), Liveness(60.0, 3.0)
    liveness.update({}, SOMEBODY, 3.0)
    clock.now += HOUR
    liveness.update(SOMEBODY, {}, 3.0)
    clock.now += 1.0
    assert liveness.is_stale
    liveness.update({}, SOMEBODY, 3.0)
    assert not liveness.is_stale


def test_who_has_not_slept_does_not_wait_for_those_who_have_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, liveness = Clock(monkeypatch), Liveness(60.0, 3.0)
    liveness.update({}, SOMEBODY, 3.0)
    clock.now += 3.0
    liveness.update(SOMEBODY, {}, 3.0)
    assert not liveness.is_stale
