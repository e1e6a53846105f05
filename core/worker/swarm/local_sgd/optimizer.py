"""The optimizer of local SGD, built from hivemind's: its gradients are changes of weights, its optimizer the outer one.

hivemind.Optimizer counts the samples of all peers, looks for a group when an epoch ends, averages gradients by their
samples, and steps an optimizer on copies of the parameters on the CPU. Here those copies are the *base weights* that
all peers have in common; between two rounds each peer steps its model with an *inner* optimizer of its own, the run's.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import torch
from hivemind.averaging.control import StepControl

from core.localizable import LocalizedText
from core.run.spec.collaboration import Collaboration
from core.run.steering.rollback import swarm_id
from core.worker.compute.optimizers import OptimizerFactory, SchedulerFactory, parameters_of
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.averaging.optimizer import SwarmOptimizer
from core.worker.swarm.averaging.rounds import Rounds
from core.worker.swarm.averaging.state_validation import max_bytes
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.local_sgd.averagers import BaseWeightsAverager, DeltaAverager
from core.worker.swarm.local_sgd.codecs.error_feedback import ErrorFeedback
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.group_agreement import GroupAgreement, Told
from core.worker.swarm.local_sgd.inner_optimizer import InnerOptimizer
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov
from core.worker.swarm.local_sgd.own_progress import OwnProgress, Rebase, has_broken, has_result, may_have_missed
from core.worker.swarm.local_sgd.reduction import ReductionRule
from core.worker.swarm.local_sgd.repair import Repair
from core.worker.swarm.local_sgd.replay import version_of_state
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS, RoundLog
from core.worker.swarm.local_sgd.state_file import Mirror, MirrorUse
from core.worker.swarm.state_parts.abandoned import DOWNLOADS_FOLDER, ROUNDS_FOLDER
from core.worker.swarm.state_parts.messages import Version
from core.worker.swarm.trust.met_peers import MetPeers

NEVER = 2**62  # epochs
REBASED_AT_ONCE = 4_000_000  # numbers with each micro-batch: some hundredths of a second

log = logging.getLogger(__name__)


class LocalSgdOptimizer(SwarmOptimizer):
    """A SwarmOptimizer that exchanges what many steps have changed. Build it in the process's main thread only.

    ``params`` are the model's, ``optimizer`` and ``scheduler`` build the inner optimizer and its schedule over rounds.
    A state server takes no steps and has no weight, but averages for others and has the base weights.

    Who differs in the version of its base weights from most of its group that share theirs leaves the outer step out,
    and so does who has not received every part of the average. Both then catch up. Of two versions that as many have,
    the right one is that of the ``organiser``, a peer id. A group without a quorum takes no outer step: two such groups
    would part for good. All of a group come to the same decision, see `GroupAgreement`. Who is further behind than a
    round log reaches begins with the state of the ``mirror``, if there is one.
    """

    grad_averager: DeltaAverager
    state_averager: BaseWeightsAverager
    takes_own_steps = True
    max_checkpoint_epochs = MAX_ROUNDS  # so that the round log leads on from the last one
    _version: Version  # of the base weights
    _rebase: Rebase | None  # that is under way

    def __init__(
        self,
        swarm: Swarm,
        run_id: str,
        collaboration: Collaboration,
        *,
        params: Iterable[torch.nn.Parameter],
        optimizer: OptimizerFactory,
        scheduler: SchedulerFactory | None,
        is_state_server: bool = False,
        organiser: str = "",
        mirror: Mirror | None = None,
        **kwargs: Any,
    ) -> None:
        params, self._mirror, self._repair = list(params), mirror, Repair()
        self._inner = InnerOptimizer(params, optimizer, scheduler)
        self.needs_gradient, self._met_peers = not is_state_server, MetPeers(lambda: self.tracker.statistics.peer_ids())
        self._progress = OwnProgress(codec("int8"), collaboration.max_stale_rounds, kwargs["listeners"].on_caught_up)
        name = quote(swarm_id(run_id, collaboration.mode, kwargs.get("rollback")), safe="")
        self._round_log = RoundLog(None if swarm.mode == "client" else swarm.folder / ROUNDS_FOLDER / name)
        self._downloads, self._outer_steps, self._rebase = swarm.folder / DOWNLOADS_FOLDER / name, torch.zeros(1), None
        self._make_outer = partial(OuterNesterov, lr=collaboration.outer_lr, momentum=collaboration.outer_momentum)
        outer = partial(self._make_outer, outer_steps=self._outer_steps)
        kwargs |= {"organiser": organiser, "is_state_server": is_state_server, "optimizer": outer, "scheduler": None}
        super().__init__(swarm, run_id, collaboration, params=params, **kwargs)
        self.outer.averages = self.grad_averager.averages
        self.zero_grad()  # hivemind makes gradients, which a keeper never needs
        self._version = self.outer.version()
        self._round_log.begin_at(self._version)

    @property
    def outer(self) -> OuterNesterov:
        """The outer optimizer, whose parameters are the base weights."""
        return cast(OuterNesterov, self.state_averager.optimizer)

    def base_weights(self) -> list[torch.Tensor]:
        """The weights that all peers have in common, in the order of the model's; they are changed in place."""
        return parameters_of(self.outer)

    def copied_state(self) -> tuple[Version, list[torch.Tensor]]:
        """A copy of base weights, number of outer steps and outer momentum, and its version; from any thread."""
        averager, weights = self.state_averager, self.base_weights()
        with averager.lock_optimizer, averager.lock_averaged_tensors:
            copy = [each.detach().clone() for each in (*weights, self._outer_steps, *self.outer.velocities())]
        return version_of_state(copy), copy

    def exchanged_share(self) -> float | None:
        return self.grad_averager.exchanged_share()

    def _hivemind_options(self, numbers: int) -> dict[str, Any]:
        is_overlapped = self._collaboration.overlap == "delayed"
        return super()._hivemind_options(numbers) | {
            "delay_grad_averaging": is_overlapped,
            "delay_optimizer_step": is_overlapped,
            "offload_optimizer": True,
            "average_state_every": NEVER,
            "extra_tensors": (self._outer_steps,),
        }

    def _make_state_averager(self, **kwargs: Any) -> BaseWeightsAverager:
        options = kwargs | self._state_averager_options(f"{self.run_id}_state")
        return BaseWeightsAverager(
            on_base_moved=self._continue_from_base,
            repair=self._repair,
            round_log=self._round_log,
            codec=codec(self._collaboration.delta_codec),
            outer=self._make_outer,
            downloads=self._downloads,
            **options,
        )

    def _gradient_averager(self, **kwargs: Any) -> DeltaAverager:
        told = self._collaboration
        report = partial(self._report, "changes", step_error=self._step_error)
        rounds = Rounds(told.averaging_timeout, report, told=self._group_metadata)
        kwargs |= self._averager_options(rounds) | {"prefix": f"{self.run_id}_delta"}
        del kwargs["reuse_grad_buffers"], kwargs["compression"]
        return DeltaAverager(
            outer=self.outer,
            rule=ReductionRule(codec(told.delta_codec), told.aggregation, told.weight_cap),
            keeps_sent=told.overlap == "delayed" and not self._is_keeper,
            weightless=self._is_keeper,
            min_steps=told.inner_steps_min,
            feedback=ErrorFeedback() if told.delta_codec == "topk" and not self._is_keeper else None,
            round_log=self._round_log,
            reported=lambda: self.tracker.statistics.reported_samples(),
            **kwargs,
        )

    @property
    def most_steps(self) -> int | None:
        """As the run says; a keeper takes none anyway."""
        return None if self._is_keeper else self._collaboration.inner_steps_max

    def _is_counted(self, control: StepControl) -> bool:
        return self._is_keeper or control.weight > 0

    def _step_error(self, outcome: AllreduceOutcome) -> LocalizedText:
        group = GroupAgreement.of(outcome.everybody, self._organiser)
        return group.step_error(self._sent_from, is_whole=not outcome.has_missing_parts)

    def _group_metadata(self) -> tuple[Any, ...]:
        """What we tell the group of a round."""
        ours, is_sure = (*self._version, not self.client_mode), self._repair.is_sure(self._version[0])
        return Told(self.local_epoch, self._unreached.named(), *ours, self._met_peers.count(), is_sure).packed()

    def _average_gradients_and_load_into_optimizer(self, maybe_step_control: StepControl | None) -> None:
        """Send our changes and wait for the average; with weights that differ, or parts that miss, it moves nothing."""
        self._sent_from = self._version  # for the report: the base weights move as soon as the exchange is over
        if maybe_step_control is not None:
            self.grad_averager.send(maybe_step_control)
        super()._average_gradients_and_load_into_optimizer(maybe_step_control)
        self._progress.may_be_sent |= has_broken(maybe_step_control)
        if not has_result(maybe_step_control):
            self._repair.request(self._version[0] + 1, is_doubtful=may_have_missed(maybe_step_control))
            return
        outcome = maybe_step_control.result()
        group = GroupAgreement.of(outcome.everybody, self._organiser)
        right, ours, is_whole = group.version, self._version, not outcome.has_missing_parts
        self._met_peers.end_round(outcome.everybody, lacks_quorum=group.lacks_quorum(ours, is_whole=is_whole))
        if group.may_step(ours, is_whole=is_whole):
            self._repair.stepped(ours[0] + 1)
            return
        log.warning("no step from %s: right is %s; whole: %s; %d of %d", ours, right, is_whole, group.size, group.peers)
        self.outer.skip_next()
        self._progress.may_be_sent |= not is_whole or right not in (None, ours)
        if group.must_repair(ours, is_whole=is_whole):
            self._repair.request((ours if right is None else right)[0] + 1)

    def _should_load_state_from_peers(self) -> bool:
        averager, repair, steps = self.state_averager, self._repair, self._version[0]
        is_here = repair.poll(averager, self._download, steps, is_idle=not averager.pending_updates)
        if not is_here and repair.must_stand_still:
            return not self._leaving.wait(repair.seconds_until_due())
        return is_here or super()._should_load_state_from_peers()

    def _check_and_accumulate_gradients(self, batch_size: int, grad_scaler: Any) -> bool:
        """Take an inner step with the gradient of a micro-batch, and count its samples; without any, only report.

        A keeper computes nothing, and reports one sample a round: hivemind's tracker announces nobody who has none.
        """
        if batch_size:
            self.own_step_seconds = self._inner.step()
        self._go_on_with_rebase(REBASED_AT_ONCE)
        averager, samples = self.grad_averager, self.grad_averager.local_samples_accumulated + batch_size
        averager.local_samples_accumulated = 1 if self._is_keeper else samples
        averager.local_times_accumulated += bool(batch_size)
        self.tracker.report_local_progress(self.local_epoch, averager.local_samples_accumulated)
        return True

    def _go_on_with_rebase(self, numbers: float = math.inf) -> None:
        if self._rebase is not None and self._rebase.go_on(numbers):
            self._rebase = None

    def _maybe_schedule_gradient_averaging(self) -> None:
        """Look for a group before the round ends, as hivemind does, but only once the last exchange is over.

        Until then it is open from which base weights the round begins: two peers of one version would tell the same to
        the group, and then one of them has taken the last step, and the other one not.
        """
        if not self.state_averager.pending_updates:
            super()._maybe_schedule_gradient_averaging()

    def _maybe_schedule_state_averaging(self) -> None:
        """Do nothing: base weights are equal without being averaged."""

    def _begin_averaging_gradients(self, grad_scaler: Any) -> bool:
        """Begin a round as hivemind does; without one, who is not alone moves by nothing, nor does a keeper.

        A keeper that is alone has nothing to step with. Nobody follows the base weights of a peer that cannot be
        reached, nor those of one among many that steps without them: what they have changed goes into the next round.
        """
        self._go_on_with_rebase()
        self.grad_averager.is_alone = False
        self.grad_averager.begin_round()
        has_begun = bool(super()._begin_averaging_gradients(grad_scaler))
        has_others = self.tracker.global_progress.num_peers > 1
        self.grad_averager.is_alone = not (has_begun or has_others or self.client_mode or self._is_keeper)
        if not has_begun and not self.grad_averager.is_alone:
            self.outer.skip_next()
            if has_others:
                self._repair.request(self._version[0] + 1, is_doubtful=False)
        return has_begun

    def _load_local_gradients_into_optimizer(self) -> None:
        """Leave the outer step out where a round has failed; what we have changed goes into the next one."""
        if self.grad_averager.has_unused_gradient:
            self.outer.skip_next()
            self.grad_averager.notify_used_averaged_gradients()
        else:
            super()._load_local_gradients_into_optimizer()

    @torch.no_grad()
    def _continue_from_base(self, is_void: bool) -> None:
        """Go on from the new base weights, with what we have changed since the exchange began unless that is void."""
        if is_void:
            self.outer.forget_version()
        before, now = self._version, self.outer.version()
        if now == before:
            return
        if self.grad_averager.feedback is not None and not is_void:
            self.grad_averager.feedback.commit()
        sent, self.grad_averager.sent = self.grad_averager.sent, None
        is_led_on = is_void and self.state_averager.mirror_use is MirrorUse.NOT_NEEDED
        kept = self._progress.take(now[0] - before[0], is_led_on=is_led_on)
        models = self.state_averager.main_parameters
        if sent is not None and not is_void:
            self._rebase = Rebase(models, sent, self.outer)
        else:
            for index, (base, weights) in enumerate(zip(self.base_weights(), models, strict=True)):
                weights.copy_(base if kept is None else base - kept.decoded(index))
        self._version = now
        if is_void and kept is None:
            self._inner.steps = 0
        if is_void:
            self._round_log.end_at(now)
        else:
            self._round_log.advance(before, now)

    def _update_global_epoch(self, *args: Any, **kwargs: Any) -> None:
        super()._update_global_epoch(*args, **kwargs)
        self._inner.follow(self.local_epoch)

    def load_state_from_peers(self, **kwargs: Any) -> None:
        """Catch up with the others, as SwarmOptimizer does; where what we have changed is void, our rate rises anew."""
        averager = self.state_averager
        averager.step(wait_for_delayed_updates=True)
        self._go_on_with_rebase()
        if self._inner.steps:
            self._progress.keep(self.base_weights(), averager.main_parameters, self.grad_averager.sent)
        if self._download.ready_epoch is None:
            self._repair.begin_search()
            averager.mirrored, averager.mirror_use = self._mirrored_state(), MirrorUse.UNTRIED
        super().load_state_from_peers(**kwargs)
        self._progress.forget()
        if self._mirror is not None and averager.mirrored is not None:
            self._mirror.release(averager.mirror_use)
            averager.mirrored = None
        self._repair.loaded(self._version[0])
        self._inner.follow(self.local_epoch)

    def replace_model(self, **kwargs: Any) -> None:
        """Load the others' state, and nothing stays of what we have changed, also where we have the same base weights.

        Where nobody has another state, as for an organiser that is alone, the model begins anew with our base weights.
        """
        self._inner.begin_anew()  # what has taken no step keeps nothing
        self.load_state_from_peers(**kwargs)
        self._rebase = self.grad_averager.sent = None
        if self.grad_averager.feedback is not None:
            self.grad_averager.feedback = ErrorFeedback()
        self.state_averager.reset_model()

    def _mirrored_state(self) -> Path | None:
        """A file with the mirror's state, where there is one and we are further behind than a round log reaches."""
        if self._mirror is None or self.tracker.global_epoch - self.local_epoch <= MAX_ROUNDS:
            return None
        _metadata, own_state, _infos = self.state_averager.get_current_state()
        return self._mirror.fetch(own_state, max_bytes(self.state_averager))

    def resume_at(self, epoch: int) -> None:
        """Continue at that epoch with what was put in place, or where the rounds of our own log lead on to from it."""
        self.outer.forget_version()
        super().resume_at(epoch + self.state_averager.take_logged_rounds())
        self._version = self.outer.version()
        self._round_log.end_at(self._version)
        self._repair.resumed(self._version[0])
        self._inner.follow(self.local_epoch)

    def say_goodbye(self) -> None:
        super().say_goodbye()  # what newcomers were downloading is gone
        self._round_log.discard_frozen()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient of the last micro-batch."""
        self._inner.zero_grad(set_to_none)

    forget_gradient = zero_grad
