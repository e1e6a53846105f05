"""hivemind.Optimizer as Workerbee uses it: built from a manifest, observed, and left quickly."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import torch
from hivemind.averaging.control import StepControl
from hivemind.p2p import PeerID

from core.errors import ErrorKind, UserError
from core.localizable import Detail, LocalizedText, localized
from core.run.spec.collaboration import Collaboration
from core.run.steering.rollback import Rollback, least_epoch, swarm_id
from core.worker.compute.optimizers import OptimizerFactory, SchedulerFactory, count_steps
from core.worker.swarm.aggregation.unreached_reducers import UnreachedReducers
from core.worker.swarm.averaging.allreduce import are_finite
from core.worker.swarm.averaging.averagers import GradientAverager, TrainingStateAverager
from core.worker.swarm.averaging.hivemind_options import aggregation_rule, optimizer_options, tracker_options
from core.worker.swarm.averaging.power_sgd import PowerSGDGradientAverager
from core.worker.swarm.averaging.round_reasons import round_finished
from core.worker.swarm.averaging.round_schedule import ScheduledOptimizer
from core.worker.swarm.averaging.rounds import Listeners, Rounds
from core.worker.swarm.averaging.state_download import Interrupted, StateDownload
from core.worker.swarm.averaging.timeouts import averager_timeouts, shared_seconds
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.patches.shunned_peers import BarredPeers
from core.worker.swarm.progress.liveness import Presence, are_all_ahead, is_half_ahead
from core.worker.swarm.progress.progress_estimate import KeeperSpeed, weight_of_epoch
from core.worker.swarm.progress.progress_tracker import ObservedTracker
from core.worker.swarm.trust.arrival import Arrival
from core.worker.swarm.trust.claim_search import ClaimSearch
from core.worker.swarm.trust.known_keys import KnownKeys

AVERAGER_SECONDS = 0.5
TRACKER_SECONDS = 0.2
GOODBYE_SECONDS = 2.0  # a busy computer may need them
MAX_FAILED_DOWNLOADS = 7  # over two minutes

log = logging.getLogger(__name__)


class SwarmOptimizer(ScheduledOptimizer):
    """A hivemind.Optimizer that reports how its rounds ended. Build it in the process's main thread only.

    A keeper's own samples count for the gradient that the swarm averages, in proportion. With local updates there is
    no such gradient, and a keeper only follows the others' parameters.
    """

    tracker: ObservedTracker
    takes_own_steps = False  # whether a peer steps by itself between two rounds, as with local SGD
    own_step_seconds = 0.0  # that those steps have taken so far
    _known: frozenset[PeerID] = frozenset()  # the others, as the averagers' processes know them
    _has_resumed, _has_taken_state, _failed_downloads, _last_refusal = False, False, 0, LocalizedText()
    needs_gradient = True  # whether anybody uses this peer's gradients
    max_checkpoint_epochs = sys.maxsize  # from one checkpoint to the next

    def __init__(
        self,
        swarm: Swarm,
        run_id: str,
        collaboration: Collaboration,
        *,
        params: Iterable[torch.nn.Parameter],
        optimizer: OptimizerFactory,
        scheduler: SchedulerFactory | None,
        leaving: threading.Event,
        listeners: Listeners,
        is_state_server: bool = False,
        organiser: str = "",
        rollback: Rollback | None = None,
    ) -> None:
        self.is_organiser, self._least_epoch = organiser == swarm.peer_id, least_epoch(rollback)
        self._leaving, self._listeners, self._children, self._barred = leaving, listeners, swarm.children, swarm.barred
        self._collaboration, self._last_exchange = collaboration, shared_seconds()
        self._is_keeper, self._organiser, self._unreached = is_state_server, organiser, UnreachedReducers()
        self._download = StateDownload(leaving, listeners.on_download, self._refused)
        params, known = list(params), KnownKeys.of_run(swarm.folder, run_id)
        super().__init__(
            dht=swarm.dht,
            run_id=swarm_id(run_id, collaboration.mode, rollback),
            params=params,
            optimizer=optimizer,
            scheduler=scheduler,
            client_mode=swarm.dht.client_mode,  # WORKAROUND H19: the default, None, crashes when state is loaded
            grad_averager_factory=None if collaboration.use_local_updates else self._gradient_averager,
            tracker_opts={"private_key": swarm.progress_key, "known_keys": known, **tracker_options(collaboration)},
            shutdown_timeout=AVERAGER_SECONDS,
            verbose=True,
            **self._hivemind_options(sum(parameter.numel() for parameter in params)),
        )
        self._begin_to_follow(is_published=bool(organiser))

    def _begin_to_follow(self, *, is_published: bool) -> None:
        if self._is_keeper:
            self.tracker.performance_ema = KeeperSpeed()
        self.tracker.on_look = self._end_rounds_left_over
        self.presence = Presence(self.tracker)
        self._claims = ClaimSearch(self.tracker, self._download, self._nobody_has)
        options = {"is_organiser": self.is_organiser, "is_published": is_published}
        self.arrival = Arrival(self.tracker, self._download, self.local_epoch, least_epoch=self._least_epoch, **options)

    def _end_rounds_left_over(self) -> None:
        """End the rounds in which nobody is left, by the last look at everybody's progress.

        WORKAROUND H20: where nobody is left to be averaged with, hivemind looks for all of averaging_timeout.

        The others' reports tell which epoch's samples they compute. What is delayed goes on meanwhile, so that a round
        of the epoch before is over only where half of the swarm has ended this one (H9). Who tells the averagers
        themselves of a later epoch is heard where its reports are believed, so these learn whose are.
        """
        tracker, mine = self.tracker, self.tracker.local_progress.epoch
        known = frozenset(report.peer_id for report in tracker.counted_others)
        if known != self._known:
            self._known = known
            for averager in self.averagers:
                averager.know_others(known)
        if (tracker.reports and not tracker.others) or are_all_ahead(tracker.counted_others, mine):
            self._cancel_rounds_soon()
        elif is_half_ahead(tracker.counted_others, mine):
            for averager in self.averagers:
                averager.end_rounds_before(mine)

    def _cancel_rounds_soon(self) -> None:
        """Cancel rounds that nobody joins, in a thread: a cancelled future must not meet the tracker's event loop."""
        if any(averager.rounds.announced for averager in self.averagers):
            threading.Thread(target=self._cancel_rounds, name="nobody left", daemon=True).start()

    def _cancel_rounds(self) -> None:
        for averager in self.averagers:
            averager.rounds.cancel_announced()

    @property
    def averagers(self) -> tuple[GradientAverager | TrainingStateAverager, ...]:
        """Both averagers, or the only one with local updates; each has a process."""
        return tuple(each for each in (self.grad_averager, self.state_averager) if each is not None)

    def bar(self, barred: BarredPeers) -> None:
        """Have nothing to do with these peers from now on, but with all others again."""
        for each in (self.tracker, *self.averagers):
            each.bar(barred)

    def _make_progress_tracker(self, target_batch_size: int, **kwargs: Any) -> ObservedTracker:
        kwargs |= {"client_mode": self.client_mode, "status_loglevel": self.status_loglevel, "start": True}
        return ObservedTracker(self.dht, self.run_id, target_batch_size, barred=self._barred, **kwargs)

    def _hivemind_options(self, numbers: int) -> dict[str, Any]:
        """The options of hivemind.Optimizer for a model of so many parameters."""
        return optimizer_options(self._collaboration, numbers)

    def _make_state_averager(self, **kwargs: Any) -> TrainingStateAverager:
        return TrainingStateAverager(**self._state_averager_options(f"{self.run_id}_state_averager"), **kwargs)

    def _state_averager_options(self, prefix: str) -> dict[str, Any]:
        """What the state averager's constructor is given; only peers of that prefix share their state with it."""
        rounds = Rounds(self._collaboration.averaging_timeout, partial(self._report, "state"))
        own = ("dht", "client_mode", "auxiliary", "status_loglevel", "offload_optimizer")
        times = ("allreduce_timeout", "next_chunk_timeout", "shutdown_timeout")
        return self._averager_options(rounds) | {
            **{name: getattr(self, name) for name in own + times},
            "prefix": prefix,
            "min_matchmaking_time": self.matchmaking_time,
            "custom_gradients": self.offload_optimizer,
            "start": True,
            "download": self._download,
            "is_passive": self._is_keeper and self._collaboration.use_local_updates,
            "trial": self._listeners.trial,
            "epoch_error": self._epoch_error,
            "least_epoch": self._least_epoch,
        }

    def _gradient_averager(self, **kwargs: Any) -> GradientAverager:
        """The factory that hivemind calls with options of its own."""
        told, report = lambda: (self.local_epoch, self._unreached.named()), partial(self._report, "gradients")
        rounds = Rounds(self._collaboration.averaging_timeout, report, told)
        kwargs |= self._averager_options(rounds) | {"reported": lambda: self.tracker.statistics.reported_samples()}
        rank = self._collaboration.powersgd_rank
        return GradientAverager(**kwargs) if rank is None else PowerSGDGradientAverager(rank=rank, **kwargs)

    def _averager_options(self, rounds: Rounds) -> dict[str, Any]:
        """What both averagers' constructors are given, before they fork."""
        return {
            "rounds": rounds,
            "children": self._children,
            "barred": self._barred,
            "last_exchange": self._last_exchange,
            "bandwidth": self._collaboration.bandwidth,
            "aggregation": aggregation_rule(self._collaboration),
            "organiser": self._organiser,
            **averager_timeouts(self.matchmaking_time),
        }

    def _report(self, kind: Any, control: StepControl, seconds: float, epoch: int | None, **options: Any) -> None:
        epoch, is_counted = self.local_epoch if epoch is None else epoch, self._is_counted(control)
        if control.exception() is None:
            self._unreached.add(control.result().unreached)
        self._listeners.on_round(round_finished(control, kind, seconds, epoch, is_counted=is_counted, **options))

    def _is_counted(self, control: StepControl) -> bool:
        """Whether the round would have used what we have computed."""
        return True

    @property
    def most_steps(self) -> int | None:
        """How many steps of our own we take in an epoch at the most; ``None`` without a limit."""
        return None

    def rest(self) -> None:
        """Follow the others' progress without a micro-batch of our own, as ``step`` does with one."""
        self.step(batch_size=0)

    def take_newer_state(self) -> None:
        """Load the run's state where others have come further, as ``rest`` does, and end no epoch."""
        if self._should_load_state_from_peers():
            self.load_state_from_peers()

    def _refused(self, peer_id: str, why: Detail) -> None:
        self._last_refusal = localized("%1 offers one, but %2.", peer_id, why)
        self._listeners.on_refusal(peer_id, why)

    @property
    def has_run_state(self) -> bool:
        """Whether ours is the run's state, of the present epoch or the one before."""
        return self._download.has_state and self.is_synchronized_with_peers()

    def load_state_from_peers(self, **kwargs: Any) -> None:
        """Replace our state by the run's, as hivemind does, but not for ever; what the epoch was to average is void.

        It waits longer after every failure, then raises UserError: STATE_NOT_LOADED; Interrupted if we leave meanwhile.
        """
        for averager in self.averagers:
            averager.rounds.cancel_searching()
        super().load_state_from_peers(**kwargs)
        self.tracker.know_refused(() if self._download.has_state else self._download.refused)
        if self.has_run_state:
            self._has_taken_state, self._failed_downloads = True, 0
            count_steps(self.state_averager.optimizer, self.local_epoch)
            return
        self._failed_downloads += not self._download.is_busy
        if self._failed_downloads == MAX_FAILED_DOWNLOADS:
            raise UserError(ErrorKind.STATE_NOT_LOADED, self._last_refusal)
        if self._leaving.wait(2.0 ** (self._failed_downloads or 3)):
            raise Interrupted

    replace_model = load_state_from_peers  # where ours cannot be right; with local SGD that differs

    def _should_load_state_from_peers(self) -> bool:
        """As hivemind, but for the epochs that are only claimed: we train on until a state of one of them is there."""
        averager = self.state_averager
        is_idle = not averager.pending_updates and not averager.rounds.is_exchanging  # a trial waits for the exchange
        is_here = self._download.has_state and is_idle and self._claims.poll(averager, self.local_epoch)
        return bool(is_here or super()._should_load_state_from_peers())

    def _epoch_error(self, epoch: int) -> Detail:
        """Why a state of that epoch is not for us, in words; empty where it may be."""
        return self.tracker.epoch_error(epoch, was_away=self._has_resumed and not self._has_taken_state)

    def _nobody_has(self, claims: Mapping[bytes, int]) -> None:
        """Distrust who has claimed epochs of which nobody has a state.

        Whoever has resumed from a checkpoint, and had come further before, goes on with its own at that epoch if nobody
        offers any: all who have a newer one are behind firewalls, and none of them can meet another without us.
        """
        self.tracker.distrust(claims)
        before = claims.get(self.tracker.own_subkey, 0)
        if self._has_resumed and not self._download.is_offered and before > self.local_epoch:
            log.warning("nobody offers the state of epoch %d; ours is the newest there is", before)
            self._continue_at(before)

    def _update_global_epoch(self, *args: Any, **kwargs: Any) -> None:
        self.state_averager.weight = weight_of_epoch(self.tracker)
        super()._update_global_epoch(*args, **kwargs)

    def _average_gradients_and_load_into_optimizer(self, maybe_step_control: StepControl | None) -> None:
        """As hivemind does, once a group is found or is past hope."""
        if maybe_step_control is not None and not self.delay_grad_averaging:
            self.grad_averager.wait_for_group(maybe_step_control, self.local_epoch, self.tracker.is_overtaken)
        super()._average_gradients_and_load_into_optimizer(maybe_step_control)

    def _load_local_gradients_into_optimizer(self) -> None:
        """Step with our own gradient where nobody has averaged it.

        WORKAROUND H45: hivemind reads its accumulators once more, which it has emptied when the round began: an epoch
        whose round fails is a step with zero, or with the first micro-batches of the next epoch. The buffers of the
        round still hold the gradient.
        """
        if not self.grad_averager.has_unused_gradient:
            super()._load_local_gradients_into_optimizer()
            return
        with self.grad_averager.get_tensors() as gradients:
            if not are_finite(gradients):
                torch._foreach_zero_(gradients)
        self._load_averaged_gradients_into_optimizer_()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, as hivemind does; with ``reuse_grad_buffers`` they go on adding up where they are."""
        if self.grad_averager is None or not self.grad_averager.reuse_grad_buffers:
            super().zero_grad(set_to_none)

    def forget_gradient(self) -> None:
        """Discard the last gradient, and with ``reuse_grad_buffers`` also those that it was added to."""
        if self.grad_averager is not None and self.grad_averager.reuse_grad_buffers:
            self.grad_averager.reset_accumulated_grads_()
        else:
            self.zero_grad()

    def exchanged_share(self) -> float | None:
        """How much of an exchange is done while training goes on, 0 to 1; ``None`` where that is not known."""

    def resume_at(self, epoch: int) -> None:
        """Continue at that epoch, after parameters and optimizer state were put in place."""
        self._has_resumed = True
        self._continue_at(epoch)

    def _continue_at(self, epoch: int) -> None:
        self._failed_downloads = 0
        self.state_averager.local_epoch = epoch
        self._download.has_state = self.is_synchronized_with_peers()
        count_steps(self.state_averager.optimizer, epoch)
        self.state_averager._update_scheduler()
        with self.tracker.pause_updates():
            self.tracker.update_epoch(epoch)
        if not self.client_mode:
            self.state_averager.state_sharing_priority = epoch

    def say_goodbye(self) -> None:
        """Leave so that nobody waits for us, in a few seconds at most; the process must end afterwards.

        WORKAROUND H40: hivemind's shutdown waits for a pending round, up to ``averaging_timeout``.

        The order matters: the record that makes others count on us, the rounds that we have announced, the group
        that we are in the middle of, the averagers. They must not end before the DHT has taken the record back:
        it sleeps for 3 s after a command whose sender is gone.
        """
        self._children.stop_watching()
        deadline = time.monotonic() + GOODBYE_SECONDS
        self.tracker.shutdown(TRACKER_SECONDS)
        self._cancel_rounds()
        self.state_averager.pending_updates.clear()
        self.tracker.await_goodbye(deadline - time.monotonic())
        for averager in self.averagers:
            averager.rounds.wait_until(deadline)
        for averager in self.averagers:
            averager.shutdown()
