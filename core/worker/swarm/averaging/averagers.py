"""hivemind's two averagers as the worker's process uses them: rounds observed, and downloads that end.

What runs in the averager's own process is in ``averager_process.py``, which says how the two halves are connected.

WORKAROUND H15: the RPC names of an averager contain its class's name, so the subclasses keep hivemind's names:
under any other they would never find a group with plain hivemind peers.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hivemind.averaging.control import StepControl
from hivemind.optim import grad_averager, state_averager
from hivemind.p2p import PeerID
from hivemind.utils import MPFuture
from torch import Tensor

from core.localizable import Detail, localized
from core.run.signed_scores import Score
from core.worker.compute.learning_rate import catch_up_schedule
from core.worker.compute.optimizers import tensors_of
from core.worker.compute.process_memory import return_free_memory
from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator, StateAggregator
from core.worker.swarm.aggregation.bandwidths import stated_bandwidth
from core.worker.swarm.aggregation.claimed_weights import ReportedSamples
from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.averaging.rounds import Rounds
from core.worker.swarm.averaging.state_download import StateDownload
from core.worker.swarm.averaging.state_validation import (
    State,
    Trial,
    format_error,
    is_truncated,
    max_bytes,
    trial_error,
)
from core.worker.swarm.dht.child_processes import ChildProcesses
from core.worker.swarm.patches.shunned_peers import NOBODY_BARRED, BarredPeers

USUAL = AggregationRule()
ANSWER_SECONDS = 5.0  # for an averager's process to say something
CANCEL_SECONDS = 1.0
POLL_SECONDS = 0.1

log = logging.getLogger(__name__)


class _LockedPipe:
    """The worker's end of the pipe to an averager's process, for several threads: longer commands are no one write."""

    def __init__(self, pipe: Any) -> None:
        self._pipe, self._lock = pipe, threading.Lock()

    def send(self, command: Any) -> None:
        """Send a command as a Connection does."""
        with self._lock:
            self._pipe.send(command)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pipe, name)


class _ObservedAverager(AveragerProcess):
    """An averager whose ``rounds`` are observed, and whose process is watched with the other ``children``."""

    bandwidth: float | None  # hivemind's, which reads it in `step` only

    def __init__(
        self, *args: Any, rounds: Rounds, children: ChildProcesses, barred: BarredPeers = NOBODY_BARRED, **kwargs: Any
    ) -> None:
        self.rounds, self._children, self._barred = rounds, children, barred
        self._is_bandwidth_declared = kwargs.get("bandwidth") is not None
        super().__init__(*args, barred=barred, **kwargs)

    def start(self) -> None:
        """Fork the averager's process as ``multiprocessing.Process`` does, and watch it from then on."""
        self._outer_pipe: Any = _LockedPipe(self._outer_pipe)
        super().start()
        self._children.watch(localized("An averaging process"), self.pid)
        self.bar(self._barred)  # before the first command to look for a group

    def know_upload(self, bits_per_second: float | None, download: float | None = None) -> None:
        """Take a share of the work of averaging, from the next round on, that fits such a line.

        ``download`` is what the owner lets be received, in bits per second, too; who averages a part receives as much
        of it as is sent. ``None`` is not known, or not limited.
        hivemind tells ``bandwidth`` to the group with every round, and divides what is averaged by all that it is told;
        one who tells nothing, as a plain hivemind peer does by default, counts as their mean. So all figures are in
        one unit: Mbit/s, as in hivemind's examples. Where the run has declared one for all, that remains. More than
        ``MAX_STATED`` would not be believed.
        """
        if not self._is_bandwidth_declared:
            self.bandwidth = stated_bandwidth(bits_per_second, download)
        self._outer_pipe.send(("_know_upload", [bits_per_second], {}))

    def newcomers(self) -> list[str]:
        """The peer ids of those who download a state from us now; nobody where the averager's process is too busy."""
        future: MPFuture[list[str]] = MPFuture()
        self._outer_pipe.send(("_tell_newcomers", [future], {}))
        try:
            return list(future.result(ANSWER_SECONDS))
        except Exception as error:  # it may be about to end
            log.info("the averager does not say who downloads: %r", error)
            return []

    def bar(self, barred: BarredPeers) -> None:
        """Have nothing to do with these peers from now on, but with all others again."""
        self._outer_pipe.send(("_know_barred", [barred], {}))

    def know_others(self, others: frozenset[PeerID]) -> None:
        """Learn who takes part in the run by reports that are believed: they tell us which epoch is over."""
        self._outer_pipe.send(("_know_others", [others], {}))

    def end_rounds_before(self, epoch: int) -> None:
        """End a round of an earlier epoch than that, which still looks for a group: half of the swarm has begun it."""
        if self.rounds.announced:
            self._outer_pipe.send(("_end_stale_round", [epoch], {}))

    def know_signers(self, signers: frozenset[str]) -> None:
        """Learn whose findings about others count, by their peer ids; only who audits others has any use for it."""

    def step(self, *args: Any, timeout: float | None = None, **kwargs: Any) -> Any:
        """Begin a round as DecentralizedAverager does; both averagers begin every round through it.

        A group is looked for during ``rounds.search_seconds`` at the most; what it then exchanges may take longer. With
        parameters hivemind tells the epoch, a number, with which plain peers compute.
        """
        if kwargs.get("gather") is None and self.rounds.told is not None:
            kwargs["gather"] = self.rounds.told()
        search = self.rounds.search_seconds if timeout is None else min(timeout, self.rounds.search_seconds)
        control = super().step(*args, timeout=search, **kwargs)
        if isinstance(control, StepControl):
            self.rounds.add(control, kwargs.get("gather"))
        return control


class GradientAverager(grad_averager.GradientAverager, _ObservedAverager):
    """Averages gradients; shares no state, because nobody needs another peer's gradient buffers.

    ``reported`` says how many samples of this epoch each peer has told the swarm of.
    """

    def __init__(
        self,
        *args: Any,
        aggregation: AggregationRule = USUAL,
        reported: Callable[[], ReportedSamples] = ReportedSamples,
        **kwargs: Any,
    ) -> None:
        self._reported = reported
        super().__init__(*args, allow_state_sharing=False, aggregator=GradientAggregator(aggregation), **kwargs)

    def accumulate_grads_(self, batch_size: int) -> None:
        """Add up what was computed, if anything was.

        WORKAROUND H61: hivemind divides by the size of a round's first batch, and a slowed peer may rest before that.
        WORKAROUND H88: it adds batches up as multiples of the first one, and divides by how many batches there were.
        """
        if batch_size > 0:
            super().accumulate_grads_(batch_size)
            if not self.reuse_grad_buffers:  # else the trainer adds them up, one like the other
                self.local_times_accumulated += batch_size / self._anchor_batch_size - 1

    def step(self, *args: Any, **kwargs: Any) -> Any:
        """Average as GradientAverager does; others count for as many samples as they have reported."""
        self._tell_reported_samples()
        return super().step(*args, **kwargs)

    def _tell_reported_samples(self) -> None:
        """Let our process know how many samples each peer has reported; before an exchange begins."""
        self._outer_pipe.send(("_know_samples", [self._reported()], {}))

    def wait_for_group(self, control: StepControl, epoch: int, is_overtaken: Callable[[float], bool]) -> None:
        """Wait until that round of an epoch has a group, or is over; ``is_overtaken(seconds)`` says if that epoch is.

        The search ends when half of the swarm has begun a later epoch. Else it would last until they look for their
        next group, an epoch later: until then we stand still, and begin too late for that group as well.
        """
        pause: float = self.matchmaking_kwargs["min_matchmaking_time"]
        look_at = time.monotonic() + pause
        while control in self.rounds.announced:
            with contextlib.suppress(Exception):
                control.result(POLL_SECONDS)
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + pause / 4
                if is_overtaken(pause):
                    self.end_rounds_before(epoch + 1)

    def _tensors_of_the_worker(self) -> Iterable[Tensor]:
        return tuple(self.parameters)

    @property
    def has_unused_gradient(self) -> bool:
        """Whether the buffers hold the gradient of a round that has begun, and whose result nobody has used yet."""
        return bool(self._new_averaged_grads)

    def load_state_from_peers(self, **_kwargs: Any) -> None:
        """Download nothing.

        WORKAROUND H16: hivemind's would download gradient buffers, 4 bytes a parameter, and throw them away.
        """


class _DownloadingAverager(_ObservedAverager):
    """An averager whose state comes by way of a `StateDownload`, once ``trial`` has accepted it.

    ``epoch_error`` says in words why no state can be of that epoch; nothing where one may be. Before ``least_epoch``,
    to which the organiser has taken the run back, nobody has one but newcomers, whose weights are untrained.
    """

    def __init__(
        self,
        *args: Any,
        download: StateDownload,
        trial: Trial,
        epoch_error: Callable[[int], Detail],
        least_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        self.download, self._trial, self._epoch_error, self._least_epoch = download, trial, epoch_error, least_epoch
        super().__init__(*args, **kwargs)

    def load_state_from_peers(self, wait: bool = True, timeout: float | None = None) -> State | None:
        """A state that can be used, or ``None`` if nobody has one now. Raises Interrupted."""
        return self.download.find(self)

    @property
    def has_begun(self) -> bool:
        """Whether it has a state of the run, from which others may lead on."""
        return False

    def request_state(self, unwanted: Iterable[PeerID], min_epoch: int = 0) -> MPFuture[Any]:
        """Send the command ``_fetch_state`` to the averager's process."""
        future: MPFuture[Any] = MPFuture()
        arguments = {"future": future, "unwanted": [*unwanted], "max_bytes": max_bytes(self), "min_epoch": min_epoch}
        self._outer_pipe.send(("_fetch_state", [], arguments | self._download_options()))
        return future

    def _download_options(self) -> dict[str, Any]:
        """What else the averager's process is told of a download."""
        return {}

    def is_truncated(self, state: State) -> bool:
        """Whether the end of that state is missing."""
        return is_truncated(state, self)

    def format_error(self, state: State) -> Detail:
        """Why that state cannot be one of the run's, in words; empty where it can."""
        return format_error(state, self, self._epoch_error)

    def is_behind(self, state: State) -> bool:
        """Whether that state, whose format is right, is of an epoch that we, or the run, have behind us."""
        return bool(state[0]["epoch"] < max(self.local_epoch, self._least_epoch))

    def trial_error(self, state: State) -> Detail:
        """What is wrong with the model that has that state, in words; empty where nothing is."""
        return trial_error(state, self, self._trial)


class TrainingStateAverager(state_averager.TrainingStateAverager, _DownloadingAverager):
    """Averages parameters and statistics of the optimizer, and downloads the whole state when we are behind.

    A passive one only takes the average of the others. ``weight`` is that of our parameters in the rounds that begin
    from now on; a plain hivemind peer's is 1. In the last two epochs, ``stepped_at`` that monotonic time the model
    that is trained had the step of the epoch before; until then its gradients are those of weights that lack it.
    """

    weight = 1.0
    roots: Mapping[int, bytes] = MappingProxyType({})  # see BaseWeightsAverager; two peers' states differ elsewhere

    def know_scores(self, scores: Sequence[Score]) -> None:
        """Learn what the organiser and the keepers have signed of the run's epochs."""

    def __init__(self, *args: Any, is_passive: bool, aggregation: AggregationRule = USUAL, **kwargs: Any) -> None:
        self._is_passive, self.stepped_at = is_passive, dict[int, float]()
        super().__init__(*args, aggregator=StateAggregator(aggregation), **kwargs)

    def _bounds_answers(self, _group_id: bytes) -> bool:
        """A passive averager, which takes no steps, is moved as far as the others have come."""
        return not self._is_passive

    def _tensors_of_the_worker(self) -> Iterable[Tensor]:
        return (*self.main_parameters, *tensors_of(self.optimizer))

    def _apply_optimizer_parameters_(self) -> None:
        super()._apply_optimizer_parameters_()
        if self.local_epoch not in self.stepped_at:
            self.stepped_at[self.local_epoch] = time.monotonic()
            for earlier in [*self.stepped_at][:-2]:
                del self.stepped_at[earlier]

    def load_state_from_peers(self, *args: Any, **kwargs: Any) -> None:
        """Replace our state by another peer's; one that cannot be loaded is logged, and we stay where we are.

        WORKAROUND H17: hivemind would ask the same peer again at once, for ever.
        """
        try:
            super().load_state_from_peers(*args, **kwargs)
        except Exception:
            log.exception("a peer's state cannot be used")
        return_free_memory()

    def cancel_searching(self, min_seconds: float, but: StepControl | None) -> None:
        """Cancel rounds that have looked for a group for so long, as `Rounds.cancel_searching`."""
        if self.rounds.cancel_searching(min_seconds, but):
            # what waited for the round ends at once; until then hivemind believes that it is under way
            concurrent.futures.wait(self.pending_updates, CANCEL_SECONDS)

    def _update_scheduler(self) -> None:
        """Bring the learning rate to our epoch at once; hivemind takes one step for each epoch in between."""
        catch_up_schedule(self.scheduler, self.local_epoch)
        super()._update_scheduler()

    def end_delayed_updates(self, patience: float, seconds: float, but: StepControl | None) -> None:
        """Wait for what goes on in the background, for so many seconds; a search lasts for ``patience`` at the most."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and concurrent.futures.wait(self.pending_updates, POLL_SECONDS).not_done:
            self.cancel_searching(patience, but)

    def step(
        self,
        *args: Any,
        optimizer_step: bool = False,
        averaging_control: StepControl | None = None,
        averaging_opts: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Step, average, or both, as hivemind does; a passive averager averages with no weight and makes no steps.

        WORKAROUND H42: hivemind gives every peer's parameters the same weight, however little it has trained.
        """
        weight = 0.0 if self._is_passive else self.weight
        averaging_opts = averaging_opts and averaging_opts | {"weight": weight}
        if averaging_control is not None:
            averaging_control.weight = weight
        optimizer_step = optimizer_step and not self._is_passive
        kwargs |= {"averaging_control": averaging_control, "averaging_opts": averaging_opts}
        return super().step(*args, optimizer_step=optimizer_step, **kwargs)
