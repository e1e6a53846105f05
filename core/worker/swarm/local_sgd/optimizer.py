"""The optimizer of local SGD, built from hivemind's: its gradients are changes of weights, its optimizer the outer one.

hivemind.Optimizer counts the samples of all peers, looks for a group when an epoch ends, averages gradients by their
samples, and steps an optimizer on copies of the parameters on the CPU. Here those copies are the *base weights* that
all peers have in common; between two rounds each peer steps its model with an *inner* optimizer of its own, the run's.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import torch
from hivemind.averaging.control import StepControl

from core.run.spec.collaboration import Collaboration
from core.worker.compute.optimizers import parameters_of
from core.worker.swarm.averaging.optimizer import OptimizerFactory, SchedulerFactory, SwarmOptimizer
from core.worker.swarm.averaging.rounds import Rounds
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.local_sgd.averagers import BaseWeightsAverager, DeltaAverager
from core.worker.swarm.local_sgd.codecs import codec
from core.worker.swarm.local_sgd.exchange import ReductionRule
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov, Version

PROTOCOL = "ls1"  # in the names of all that only peers of this protocol exchange
RAMP_STEPS = 20  # in which a newcomer's learning rate rises: its inner optimizer knows nothing yet
NEVER = 2**62  # epochs

log = logging.getLogger(__name__)


class LocalSgdOptimizer(SwarmOptimizer):
    """A SwarmOptimizer that exchanges what many steps have changed. Build it in the process's main thread only.

    ``params`` are the model's, ``optimizer`` and ``scheduler`` build the inner optimizer and its schedule over rounds.
    A state server takes no steps and has no weight, but averages for others and has the base weights.

    Members of a group tell each other the version of their base weights. Who differs from most of those that share
    theirs downloads them, and gives up what it has changed since.
    """

    grad_averager: DeltaAverager
    state_averager: BaseWeightsAverager

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
        **kwargs: Any,
    ) -> None:
        params = list(params)
        self._inner, self._inner_steps = optimizer(params), 0
        self._inner_schedule = scheduler(self._inner) if scheduler is not None else None
        self._is_keeper, self._is_repair_due = is_state_server, False
        self._outer_steps = torch.zeros(1)
        self._versions = deque[Version](maxlen=2)  # a round may have been scheduled before the last one has ended
        lr, momentum = collaboration.outer_lr, collaboration.outer_momentum
        outer = partial(OuterNesterov, lr=lr, momentum=momentum, outer_steps=self._outer_steps)
        super().__init__(swarm, run_id, collaboration, params=params, optimizer=outer, scheduler=None, **kwargs)
        self._versions.append(self.outer.version())

    @property
    def outer(self) -> OuterNesterov:
        """The outer optimizer, whose parameters are the base weights."""
        outer: OuterNesterov = self.state_averager.optimizer
        return outer

    def base_weights(self) -> list[torch.Tensor]:
        """The weights that all peers have in common, in the order of the model's; they are changed in place."""
        return parameters_of(self.outer)

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
        prefix = f"{self.run_id}_{PROTOCOL}_state"
        options = kwargs | self._state_averager_options(prefix)
        return BaseWeightsAverager(on_base_moved=self._continue_from_base, **options)

    def _gradient_averager(self, **kwargs: Any) -> DeltaAverager:
        told = self._collaboration
        rounds = Rounds(told.averaging_timeout, partial(self._report, "changes"), epoch=self._group_metadata)
        kwargs |= self._averager_options(rounds) | {"prefix": f"{self.run_id}_{PROTOCOL}_delta"}
        del kwargs["reuse_grad_buffers"], kwargs["compression"]
        return DeltaAverager(
            base=self.base_weights(),
            rule=ReductionRule(codec(told.delta_codec), told.aggregation, told.weight_cap),
            keeps_snapshot=told.overlap == "delayed",
            weightless=self._is_keeper,
            **kwargs,
        )

    def _group_metadata(self) -> tuple[int, int, bytes, bool]:
        """The epoch of a round, the version of our base weights, and whether we share them."""
        return (self.local_epoch, *self._versions[-1], not self.client_mode)

    def _report(self, kind: Any, control: StepControl, seconds: float) -> None:
        if control.exception() is None:
            self._compare_versions(control.result())
        super()._report(kind, control, seconds)

    def _compare_versions(self, told: Mapping[Any, Any]) -> None:
        """Find out whether our base weights are those of most members of a group that share theirs."""
        members = filter(_is_group_metadata, told.values())
        shared = Counter((steps, root) for _epoch, steps, root, is_shared in members if is_shared)
        if not shared:
            return
        right = min(shared, key=lambda version: (-shared[version], -version[0], version[1]))
        if right not in self._versions:
            log.warning("our base weights %s are not the group's %s: they are downloaded", self._versions, right)
            self._is_repair_due = True

    def _should_load_state_from_peers(self) -> bool:
        is_due, self._is_repair_due = self._is_repair_due, False
        return is_due or super()._should_load_state_from_peers()

    def _check_and_accumulate_gradients(self, batch_size: int, grad_scaler: Any) -> bool:
        """Take an inner step with the gradient of a micro-batch, and count its samples."""
        if not self._is_keeper:
            self._inner_step()
        self.grad_averager.local_samples_accumulated += batch_size
        self.grad_averager.local_times_accumulated += 1
        self.tracker.report_local_progress(self.local_epoch, self.grad_averager.local_samples_accumulated)
        return True

    def _inner_step(self) -> None:
        rates = [group["lr"] for group in self._inner.param_groups]
        self._inner_steps += 1
        for group in self._inner.param_groups:
            group["lr"] *= min(1.0, self._inner_steps / RAMP_STEPS)
        self._inner.step()
        for group, rate in zip(self._inner.param_groups, rates, strict=True):
            group["lr"] = rate

    def _maybe_schedule_state_averaging(self) -> None:
        """Do nothing: base weights are equal without being averaged."""

    def _begin_averaging_gradients(self, grad_scaler: Any) -> bool:
        """Begin a round as hivemind does; a keeper that is alone has nothing to step with."""
        has_begun = bool(super()._begin_averaging_gradients(grad_scaler))
        if not has_begun and self._is_keeper:
            self.outer.skip_next()
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
        if not (is_void or self.outer.has_moved):
            return
        snapshot, self.grad_averager.snapshot = self.grad_averager.snapshot, None
        parts = zip(self.base_weights(), self.state_averager.main_parameters, strict=True)
        for index, (base, weights) in enumerate(parts):
            moved = base.to(weights, copy=True)
            if snapshot is not None and not is_void:
                moved += weights - snapshot[index]
            weights.copy_(moved)
        self._versions.append(self.outer.version())

    def _update_global_epoch(self, *args: Any, **kwargs: Any) -> None:
        super()._update_global_epoch(*args, **kwargs)
        self._follow_schedule()

    def load_state_from_peers(self, **kwargs: Any) -> None:
        """Replace the base weights by the others', as SwarmOptimizer does; our learning rate rises anew."""
        super().load_state_from_peers(**kwargs)
        self._inner_steps = 0
        self._follow_schedule()

    def resume_at(self, epoch: int) -> None:
        """Continue at that epoch, after base weights and momentum were put in place."""
        super().resume_at(epoch)
        self._versions.append(self.outer.version())
        self._follow_schedule()

    def _follow_schedule(self) -> None:
        """The learning rate follows the run's rounds, not our own steps."""
        while self._inner_schedule is not None and self._inner_schedule.last_epoch < self.local_epoch:
            self._inner_schedule.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient of the last micro-batch."""
        self._inner.zero_grad(set_to_none)

    def forget_gradient(self) -> None:
        """Forget the gradient of the last micro-batch, which cannot be used."""
        self._inner.zero_grad()


def _is_group_metadata(told: Any) -> bool:
    """Whether a member has told the group what all peers of this protocol do; anybody may tell anything."""
    return isinstance(told, tuple) and list(map(type, told)) == [int, int, bytes, bool]
