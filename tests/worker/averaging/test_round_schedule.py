"""Whether an epoch's round of gradients begins where the last epoch's is still the scheduled one (H79)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from hivemind.averaging.control import StepControl

from core.worker.swarm.averaging.round_schedule import ScheduledOptimizer


class Control:
    """A round; it has ended unless it was only scheduled."""

    def __init__(self, *, has_ended: bool) -> None:
        self.triggered = has_ended
        self._has_ended = has_ended

    def done(self) -> bool:
        return self._has_ended


class BetweenEpochs(ScheduledOptimizer):
    """As much of one as the beginning of a round needs; rounds end at once, and peers are counted by the test."""

    local_epoch = 4

    def __init__(self, *, global_epoch: int) -> None:
        self.status_loglevel = 0
        three = SimpleNamespace(num_peers=3)
        self.tracker = cast(Any, SimpleNamespace(global_epoch=global_epoch, global_progress=three))
        self.grad_averager = cast(Any, SimpleNamespace(step=self._step))
        self.scheduled_grads = None
        self.scheduled_state = None

    def _step(self, *, control: StepControl | None, **_options: Any) -> Any:
        return control or Control(has_ended=True)

    def __del__(self) -> None:
        """Nothing was started."""


def test_a_round_begins_although_none_was_scheduled_since_the_last_one() -> None:
    optimizer = BetweenEpochs(global_epoch=4)
    assert [optimizer._begin_averaging_gradients(None) for _ in range(3)] == [True] * 3


def test_who_hears_that_others_have_begun_that_round_leaves_it_out_to_be_there_for_the_next_one() -> None:
    optimizer = BetweenEpochs(global_epoch=4)
    assert optimizer._begin_averaging_gradients(None)
    optimizer.tracker.global_epoch = 5
    assert not optimizer._begin_averaging_gradients(None)
    optimizer.tracker.global_epoch = 4
    assert optimizer._begin_averaging_gradients(None)


def test_a_round_that_was_scheduled_in_time_begins_also_where_others_have_begun_it() -> None:
    """They wait for us in it."""
    optimizer = BetweenEpochs(global_epoch=4)
    assert optimizer._begin_averaging_gradients(None)
    scheduled = optimizer.scheduled_grads = cast(StepControl, Control(has_ended=False))
    optimizer.tracker.global_epoch = 5
    assert optimizer._begin_averaging_gradients(None) and optimizer.scheduled_grads is scheduled
