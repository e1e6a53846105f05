"""hivemind's two averagers, with what it leaves out: the outcome of every round, and downloads that end.

WORKAROUND: the RPC names of an averager contain its class's name, so the subclasses keep hivemind's names:
under any other they would never find a group with plain hivemind peers.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

from hivemind.averaging.control import AveragingStage, StepControl
from hivemind.optim import grad_averager, state_averager
from hivemind.p2p import P2PContext
from hivemind.proto import averaging_pb2
from hivemind.utils import MPFuture
from hivemind.utils.asyncio import achain, as_aiter

from core.worker.swarm.averaging.allreduce import ValidatingAverager
from core.worker.swarm.averaging.state_download import Downloading
from core.worker.swarm.averaging.state_validation import State, Trial, flaw_of, most_bytes
from core.worker.swarm.dht.child_processes import ChildProcesses
from core.worker.swarm.patches.rate_limits import DebouncedEvent

POLL_SECONDS = 0.1

log = logging.getLogger(__name__)

RoundObserver = Callable[[StepControl, float], None]


def _cancel(control: StepControl) -> bool:
    """WORKAROUND: hivemind wakes the averager to see that a round is cancelled before it says that it is.

    On a busy computer the averager looks too early and goes on with a round that nobody waits for. It then
    takes the place of the real one in a group, and both peers stand still for ``averaging_timeout``.
    """
    steps: list[Callable[[], Any]] = [lambda: MPFuture.cancel(control)]
    if control._trigger is not None:
        steps.append(control._trigger.cancel)
    if control._cancel is not None:
        steps.append(lambda: control._cancel.set_result(None))
    for step in steps:
        # MPFuture also wakes an event loop, which may be busy; and two threads may cancel the same round
        with contextlib.suppress(RuntimeError, concurrent.futures.InvalidStateError):
            step()
    return bool(control.cancelled())


StepControl.cancel = _cancel


class _Observed(ValidatingAverager):
    """Tells ``on_round(control, seconds)`` when a round that was not cancelled has ended.

    ``vitals`` watches its process; ``search_seconds`` is how long a group is looked for; ``epoch`` is what
    the groups of its rounds are told where hivemind tells them nothing.
    """

    on_round: RoundObserver | None = None
    vitals: ChildProcesses
    epoch: Callable[[], int] | None = None
    search_seconds: float
    _rounds: tuple[StepControl, ...] = ()
    _settling: DebouncedEvent

    def start(self) -> None:
        """As multiprocessing's; from now on it is looked after."""
        super().start()
        self.vitals.watch("An averaging process", self.pid)

    @property
    def _state_updated(self) -> asyncio.Event:
        return self._settling

    @_state_updated.setter
    def _state_updated(self, _hasty: asyncio.Event) -> None:
        """hivemind puts its own event here when the averager's loop begins."""
        self._settling = DebouncedEvent()

    def step(self, *args: Any, timeout: float | None = None, **kwargs: Any) -> Any:
        """As DecentralizedAverager.step; both averagers schedule every round through it.

        A group is looked for during ``search_seconds`` at the most; what it then exchanges may take longer.
        """
        if self.epoch is not None and kwargs.get("gather") is None:
            kwargs["gather"] = self.epoch()
        search = self.search_seconds if timeout is None else min(timeout, self.search_seconds)
        control = super().step(*args, timeout=search, **kwargs)
        if isinstance(control, StepControl):
            began = time.monotonic()
            self._rounds = (*(each for each in self._rounds if not each.done()), control)
            control.add_done_callback(lambda done: self._report(done, time.monotonic() - began))
        return control

    @property
    def announced(self) -> list[StepControl]:
        """The rounds for which a group is still looked for, or waits."""
        open_rounds = [control for control in self._rounds if not control.done()]
        return [control for control in open_rounds if control.stage != AveragingStage.RUNNING_ALLREDUCE]

    def cancel_rounds(self) -> None:
        """Take back every round that is only announced: then no group waits for us."""
        for control in self.announced:
            control.cancel()

    def stop_searching(self) -> None:
        """Take back every round that has no group yet."""
        for control in self.announced:
            if control.stage != AveragingStage.AWAITING_TRIGGER:
                control.cancel()

    def await_rounds(self, deadline: float) -> None:
        """Let a group that exchanges tensors end, until ``time.monotonic()`` says that: it needs our part."""
        for control in self._rounds:
            with contextlib.suppress(Exception):
                control.result(max(0.0, deadline - time.monotonic()))

    def _report(self, control: StepControl, seconds: float) -> None:
        if self.on_round is not None and not control.cancelled():
            self.on_round(control, seconds)

    async def rpc_aggregate_part(
        self, stream: AsyncIterator[averaging_pb2.AveragingData], context: P2PContext
    ) -> AsyncIterator[averaging_pb2.AveragingData]:
        """As DecentralizedAverager's, but patient with a groupmate that is ready before we are.

        WORKAROUND: hivemind waits for the next event of any round, and answers "bad group" if that was
        another one. A groupmate in client mode then stands still until its all-reduce times out.
        """
        first = await anext(stream)
        for _ in range(int(self.patience.latecomer_seconds / POLL_SECONDS)):
            if first.group_id in self._running_groups:
                break
            await asyncio.sleep(POLL_SECONDS)
        async for message in super().rpc_aggregate_part(achain(as_aiter(first), stream), context):
            yield message


class GradientAverager(grad_averager.GradientAverager, _Observed):
    """Averages gradients; shares no state, because nobody needs another peer's gradient buffers."""

    def __init__(self, *args: Any, vitals: ChildProcesses, **kwargs: Any) -> None:
        self.vitals = vitals
        super().__init__(*args, allow_state_sharing=False, **kwargs)

    def load_state_from_peers(self, **_kwargs: Any) -> None:
        """Nothing: the stock averager would download gradient buffers and throw them away."""


class TrainingStateAverager(state_averager.TrainingStateAverager, _Observed, Downloading):
    """Averages parameters, and downloads the whole state when we are behind."""

    trial: Trial | None = None
    is_passive = False

    def __init__(self, *args: Any, vitals: ChildProcesses, **kwargs: Any) -> None:
        self.vitals = vitals
        super().__init__(*args, **kwargs)

    def load_state_from_peers(self, *args: Any, **kwargs: Any) -> None:
        """As hivemind's; what a peer sends and cannot be used is logged, and we stay where we are.

        WORKAROUND: hivemind would ask the same peer again at once, for ever.
        """
        try:
            super().load_state_from_peers(*args, **kwargs)
        except Exception:
            log.exception("a peer's state cannot be used")

    def step(
        self,
        *args: Any,
        optimizer_step: bool = False,
        averaging_control: StepControl | None = None,
        averaging_opts: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Step, average, or both, as hivemind's; a passive averager only takes the average of the others.

        Its own few samples would move its parameters away from those of the run, and the run's with them.
        """
        if self.is_passive:
            optimizer_step = False
            averaging_opts = averaging_opts and averaging_opts | {"weight": 0.0}
            if averaging_control is not None:
                averaging_control.weight = 0.0
        kwargs |= {"averaging_control": averaging_control, "averaging_opts": averaging_opts}
        return super().step(*args, optimizer_step=optimizer_step, **kwargs)

    def _why_unusable(self, state: State) -> str:
        return flaw_of(state, self, self.trial)

    def _most_bytes(self) -> int:
        return most_bytes(self)
