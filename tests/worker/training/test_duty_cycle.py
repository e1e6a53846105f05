"""A device computes as large a share of the time as it may, in bursts of one micro-batch."""

from __future__ import annotations

import pytest

from core.worker.training.duty_cycle import CREDIT_SECONDS, DutyCycle


class Loop:
    """A training loop by a clock of its own; ``bursts`` are how long it has computed without a rest."""

    def __init__(self) -> None:
        self.now = self.computed = 0.0
        self.bursts = [0.0]
        self.cycle = DutyCycle(lambda: self.now)

    def compute(self, seconds: float) -> None:
        """One micro-batch, and the rest after it."""
        with self.cycle.computing():
            self.now += seconds
        self.computed += seconds
        self.bursts[-1] += seconds
        if self.cycle.rest_seconds > 0:
            self.now += self.cycle.rest_seconds
            self.bursts.append(0.0)

    def do_something_else(self, seconds: float) -> None:
        """Wait for other peers, say."""
        self.now += seconds
        self.bursts.append(0.0)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("micro_batch_seconds", [0.004, 0.05, 0.7])
def test_the_share_is_kept_and_no_burst_is_longer_than_a_micro_batch(share: float, micro_batch_seconds: float) -> None:
    loop = Loop()
    loop.cycle.share = share
    while loop.now < 100:
        loop.compute(micro_batch_seconds)
    assert loop.computed / loop.now == pytest.approx(share, rel=0.02)
    assert max(loop.bursts) <= max(micro_batch_seconds, CREDIT_SECONDS) < 1.0


def test_without_a_limit_nothing_rests_and_a_new_share_counts_at_once() -> None:
    loop = Loop()
    loop.compute(0.5)
    assert loop.now == 0.5
    loop.cycle.share = 0.5
    assert loop.cycle.rest_seconds == pytest.approx(0.5)
    loop.cycle.share = 1.0
    assert loop.cycle.rest_seconds == 0.0


def test_waiting_for_others_is_rest_and_is_not_saved_up_for_a_long_burst() -> None:
    loop = Loop()
    loop.cycle.share = 0.5
    loop.compute(0.1)
    loop.do_something_else(60.0)
    began = loop.now
    while loop.now < began + 1:
        loop.compute(0.05)
    assert max(loop.bursts) <= CREDIT_SECONDS + 0.05
