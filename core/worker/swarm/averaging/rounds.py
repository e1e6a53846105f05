"""The averaging rounds that an averager has begun, as the worker's process sees them, and who hears of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hivemind.averaging.control import AveragingStage, StepControl

from core.localizable import Detail
from core.protocol.events import RoundFinished
from core.worker.swarm.averaging.state_validation import Trial


@dataclass(frozen=True)
class Listeners:
    """Callbacks: rounds that ended, progress of a download, refused states (peer id, why).

    ``on_download`` is told the received bytes, whether they are all, and whether they are only the rest of a state.
    ``trial`` tells what is wrong with the model's present parameters, another peer's; empty if nothing is. With local
    SGD ``on_caught_up`` hears how many rounds the others were ahead, and whether our own changes were kept.
    """

    on_round: Callable[[RoundFinished], None]
    on_download: Callable[[int, bool, bool], None]
    on_refusal: Callable[[str, Detail], None]
    trial: Trial
    on_caught_up: Callable[[int, bool], None] = lambda _rounds, _kept: None


class Rounds:
    """All rounds of one averager that have not ended.

    ``on_finished(control, seconds, epoch)`` is called when one that was not cancelled has ended, with the epoch in
    which it was begun; ``search_seconds`` is how long a group is looked for. ``told``, if given, returns what the
    groupmates of a round are told: a tuple that begins with its epoch. Where they are told anything else, the last
    argument of ``on_finished`` is ``None``.
    """

    def __init__(
        self,
        search_seconds: float,
        on_finished: Callable[[StepControl, float, int | None], None] = lambda control, seconds, epoch: None,
        told: Callable[[], tuple[Any, ...]] | None = None,
    ) -> None:
        self.search_seconds, self.told = search_seconds, told
        self._on_finished = on_finished
        self._started: dict[StepControl, float] = {}

    def add(self, control: StepControl, told: Any) -> None:
        """Observe a round that has just been begun, and of which the group was ``told`` that."""
        started, epoch = time.monotonic(), told[0] if isinstance(told, tuple) else None
        self._started = {each: then for each, then in self._started.items() if not each.done()} | {control: started}
        control.add_done_callback(lambda done: self._finished(done, time.monotonic() - started, epoch))

    @property
    def announced(self) -> list[StepControl]:
        """The rounds for which a group is still looked for, or waits."""
        open_rounds = [control for control in self._started if not control.done()]
        return [control for control in open_rounds if control.stage != AveragingStage.RUNNING_ALLREDUCE]

    @property
    def is_exchanging(self) -> bool:
        """Whether tensors are exchanged with a group at present."""
        stages = [control.stage for control in self._started if not control.done()]
        return AveragingStage.RUNNING_ALLREDUCE in stages

    def cancel_announced(self) -> None:
        """Cancel every round that has not begun to exchange tensors, so that no group waits for us."""
        for control in self.announced:
            control.cancel()

    def cancel_searching(self, min_seconds: float = 0.0, but: StepControl | None = None) -> bool:
        """Cancel every round that has looked for a group for so long and has none; whether there was one."""
        begun_before = time.monotonic() - min_seconds
        begun_long_ago = [each for each, started in self._started.items() if started <= begun_before]
        left_over = [each for each in begun_long_ago if each is not but and _is_searching(each)]
        for control in left_over:
            control.cancel()
        return bool(left_over)

    def wait_until(self, deadline: float) -> None:
        """Wait for rounds that exchange tensors, whose groups need our part, until that ``time.monotonic()``."""
        for control in self._started:
            with contextlib.suppress(Exception):
                control.result(max(0.0, deadline - time.monotonic()))

    def _finished(self, control: StepControl, seconds: float, epoch: int | None) -> None:
        if not control.cancelled():
            self._on_finished(control, seconds, epoch)


def _is_searching(control: StepControl) -> bool:
    """Whether a round looks for a group and has none."""
    return not control.done() and control.stage not in (
        AveragingStage.AWAITING_TRIGGER,
        AveragingStage.RUNNING_ALLREDUCE,
    )
