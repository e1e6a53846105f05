"""When hivemind.Optimizer begins and ends its rounds: no round of one epoch is in the way of the next epoch's."""

from __future__ import annotations

from typing import Any

import hivemind
from hivemind.averaging.control import StepControl

from core.worker.swarm.averaging.averagers import TrainingStateAverager
from core.worker.swarm.averaging.timeouts import silence_seconds

LEFT_OVER = 1.5  # times the time of matchmaking, which a search takes at the least
LATE = 0.8  # of the time for which a group waits for a member that does not begin


class ScheduledOptimizer(hivemind.Optimizer):
    """A hivemind.Optimizer that looks for its own group in every epoch, and for none of an earlier one."""

    state_averager: TrainingStateAverager
    scheduled_grads: StepControl | None
    _last_grads: StepControl | None = None  # of the round of gradients that began last

    def _update_global_epoch(self, *args: Any, **kwargs: Any) -> None:
        """End the epoch as hivemind does, after a search for a group that is left over from its beginning.

        WORKAROUND H44: while one state round is under way, hivemind begins no other. A peer that still looks for a
        group of the last epoch leaves the next round out; the other waits in it for a whole epoch, and leaves out the
        one after. They average their parameters at odd and at even epochs, each alone, for ever.

        WORKAROUND H49: with ``delay_optimizer_step``, hivemind waits for that search before it begins the gradients'
        round, whose group waits for us, but not as long. Its next search ends ours, we begin a moment too late, and
        the others then wait for us. Epoch after epoch, nobody averages anything.
        """
        averager, patience = self.state_averager, LEFT_OVER * self.matchmaking_time
        averager.cancel_searching(patience, self.scheduled_state)
        if self.delay_optimizer_step:
            silence = silence_seconds(self.matchmaking_time)
            averager.end_delayed_updates(min(patience, LATE * silence), self.allreduce_timeout, self.scheduled_state)
        super()._update_global_epoch(*args, **kwargs)

    def _begin_averaging_gradients(self, *args: Any) -> bool:
        """Begin a round as hivemind does, also in an epoch that we end before one could be scheduled.

        WORKAROUND H79: hivemind keeps the round of the last epoch as the scheduled one. Where our last exchange lasts
        until this epoch ends, none is scheduled in its place; hivemind finds that "it was already used elsewhere", and
        averages nothing in this epoch either. It shall do so only where others have ended the epoch before us: they
        exchange already, and who looked for a group all the same would be late for the next one, too, for ever.
        """
        is_late = self.tracker.global_epoch > self.local_epoch
        if self.scheduled_grads is self._last_grads and not is_late:
            self.scheduled_grads = None
        has_begun = bool(super()._begin_averaging_gradients(*args))
        self._last_grads = self.scheduled_grads
        return has_begun

    def _average_gradients_and_load_into_optimizer(self, maybe_step_control: StepControl | None) -> None:
        """As hivemind does; with nothing delayed, nobody is left now whom a left-over search could meet (H44)."""
        super()._average_gradients_and_load_into_optimizer(maybe_step_control)
        if not self.delay_grad_averaging:
            self.state_averager.cancel_searching(LEFT_OVER * self.matchmaking_time, self.scheduled_state)
