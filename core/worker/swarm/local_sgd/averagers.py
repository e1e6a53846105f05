"""The two averagers of local SGD: changes of weights are averaged; base weights are shared with newcomers.

As ``averaging/averagers.py``, whose classes these extend, but for what is passed on to the averager's process.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import InvalidStateError
from functools import partial
from pathlib import Path
from typing import Any

import torch
from hivemind.averaging.control import StepControl
from hivemind.averaging.group_info import GroupInfo
from hivemind.utils import MPFuture
from torch import Tensor

from core.localizable import Detail, localized
from core.run.signed_scores import MOST_SCORES, Score
from core.worker.compute.optimizers import parameters_of, tensors_of
from core.worker.compute.process_memory import return_free_memory
from core.worker.swarm.aggregation.leave_one_out import OpposedSenders
from core.worker.swarm.averaging.allreduce import ValidatingRunner, are_finite
from core.worker.swarm.averaging.averagers import GradientAverager, TrainingStateAverager
from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.local_sgd.audit.averager import AuditedAverager
from core.worker.swarm.local_sgd.audit.exchange import Exchange
from core.worker.swarm.local_sgd.audit.messages import MAX_WANTED
from core.worker.swarm.local_sgd.audit.verdict import AuditedPart
from core.worker.swarm.local_sgd.catch_up import MIRROR, PASSED, CatchUp
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors, changes_of
from core.worker.swarm.local_sgd.codecs.error_feedback import ErrorFeedback
from core.worker.swarm.local_sgd.codecs.wire import EncodedParts, codec
from core.worker.swarm.local_sgd.exchange import DeltaRunner
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov
from core.worker.swarm.local_sgd.reduction import ReductionRule, UsualSize
from core.worker.swarm.local_sgd.repair import Repair
from core.worker.swarm.local_sgd.replay import Replay, replayed_log, version_of_state
from core.worker.swarm.local_sgd.round_log import RoundLog
from core.worker.swarm.local_sgd.state_file import MirrorUse
from core.worker.swarm.patches.byte_counters import ExchangeShare
from core.worker.swarm.state_parts.messages import Version

log = logging.getLogger(__name__)
MAX_TRIED = 2**25  # numbers of a model whose changes are tried out: 128 MiB of memory, 32 MiB of each sender in 8 bits


class DeltaAverager(AuditedAverager, GradientAverager):
    """Averages what our steps have changed since the last round, in place of hivemind's gradients.

    ``outer`` steps the base weights, float32 on the CPU; ``parameters`` are the model's, which the steps change. Our
    `changes` and their `averages` are kept encoded, in memory that is shared with the averager's process; hivemind's
    own buffers have their shapes and no memory. With ``keeps_sent``, `sent` is what our steps had changed when the
    exchange began, for those who go on training meanwhile: as it was sent, so that what the codec has rounded off stays
    in the weights; with ``feedback``, all of it in 8 bits.

    Who is ``weightless`` averages for the others, and has changed nothing; who has taken fewer than ``min_steps`` in a
    round has no weight in it either. What a whole exchange has averaged is written to the ``round_log``; so is what a
    peer that ``is_alone`` steps with, encoded like the average of a group. With ``feedback`` only the largest changes
    are averaged, and the others are kept for later rounds.
    """

    is_alone = False
    _is_counted = _tries_out = False
    _to_try: tuple[list[Tensor], MPFuture[Any]] | None = None  # base weights, and what others have changed of them

    def __init__(
        self,
        *args: Any,
        outer: OuterNesterov,
        rule: ReductionRule,
        keeps_sent: bool,
        weightless: bool,
        min_steps: int,
        round_log: RoundLog,
        feedback: ErrorFeedback | None,
        **kwargs: Any,
    ) -> None:
        self.feedback, self._min_steps = feedback, min_steps
        self._round_log, self._usual_size, self._opposed = round_log, UsualSize(), OpposedSenders()
        self._outer, self._rule, self._keeps_sent, self._weightless = outer, rule, keeps_sent, weightless
        shapes = [weights.shape for weights in parameters_of(outer)]
        self.changes = EncodedTensors(shapes, rule.codec, is_shared=True)
        self.averages = EncodedTensors(shapes, rule.codec, is_shared=True)
        self.sent: EncodedTensors | None = None
        self._exchange_share = ExchangeShare()
        # hivemind's name for a gradient averager without sums of its own: the model's weights are the sum
        options: dict[str, Any] = {"reuse_grad_buffers": True, "compression": EncodedParts()}
        number = torch.zeros(())
        super().__init__(*args, averaged_grads=tuple(number.expand(shape) for shape in shapes), **options, **kwargs)

    def know_signers(self, signers: frozenset[str]) -> None:
        """Believe these signers' findings; if we are one of them, and the model is not too large, try changes out."""
        is_signer = self.peer_id.to_base58() in signers and not self.client_mode
        self._tries_out = is_signer and self.total_size <= MAX_TRIED and len(self.changes.lengths()) <= MAX_WANTED
        self._outer_pipe.send(("_know_signers", [signers], {}))

    def schedule_step(self, *args: Any, **kwargs: Any) -> Any:
        """Look for a group as GradientAverager does, and begin an exchange with one at the most.

        WORKAROUND H89: after an exchange that has failed, hivemind looks for another group in the same round, which it
        tells what it has told the first one: that nobody has stepped without us. Whoever has all parts has.
        """
        return super().schedule_step(*args, allow_retries=False, **kwargs)

    def begin_round(self) -> None:
        """A round of ours is over, in which we have taken so many steps."""
        self._is_counted = not self._weightless and self.local_times_accumulated >= self._min_steps

    def step(
        self, *_args: Any, control: StepControl | None = None, weight: float | None = None, **_options: Any
    ) -> StepControl:
        """Begin to average as GradientAverager does, but for `send`; our weight is the number of our samples."""
        self._tell_reported_samples()
        control = self.schedule_step() if control is None else control
        self._new_averaged_grads = True
        own_weight = float(self.local_samples_accumulated) if self._is_counted else 0.0
        control.weight = own_weight if weight is None else weight
        self.reset_accumulated_grads_()
        return control

    def send(self, control: StepControl) -> None:
        """Encode our changes, and let the exchange begin; the model may be trained meanwhile, in another thread.

        Then some weights are read a step later than others. What is sent is what of each of them was read.
        """
        try:
            self.load_accumulators_into_averager_()
            self._ask_for_changes()
        except BaseException:
            control.cancel()
            raise
        return_free_memory()  # of this thread, which waits for the exchange now
        with contextlib.suppress(InvalidStateError):  # the search for a group has been given up in this very moment
            control.allow_allreduce()

    def _ask_for_changes(self) -> None:
        """Have some senders of the exchange show what they have changed, if we try that out."""
        self._to_try = None
        if self._tries_out:
            future: MPFuture[Any] = MPFuture()
            self._to_try = [each.detach().clone() for each in parameters_of(self._outer)], future
            self._outer_pipe.send(("_show_changes", [future, int(self._generation), len(self.changes.lengths())], {}))

    def take_shown(self) -> tuple[list[Tensor], dict[str, EncodedTensors]] | None:
        """Base weights, and what some peers have changed of them; ``None`` until they have shown it, and only once."""
        asked = self._to_try
        if asked is None or not asked[1].done():
            return None
        self._to_try, (base, future), changes = None, asked, dict[str, EncodedTensors]()
        for peer_id, parts in (future.result() if not future.cancelled() and not future.exception() else {}).items():
            shown = EncodedTensors([each.shape for each in base], self._rule.codec)
            with contextlib.suppress(ValueError):
                for number, encoded in parts.items():
                    shown.put(number, torch.frombuffer(bytearray(encoded or b"\0"), dtype=torch.uint8))
                changes[peer_id] = shown
        return base, changes

    @torch.no_grad()
    def load_accumulators_into_averager_(self) -> None:
        """Encode the pseudo-gradient, base weights minus the model's.

        In a group, one with a value that is not a number is refused before anything is sent. A peer that is alone takes
        no step with it: its base weights stay those with which a restart can begin.
        """
        with self.get_tensors():
            self.averages.clear()
            self.sent = self.changes if self._encode_changes() and self._keeps_sent else None
            if self.sent is not None and self.feedback is not None:
                self.sent = self._all_changes
            if self.is_alone and self.changes.is_whole:
                self.averages.copy_(self.changes)
                self._round_log.write(self.averages.lengths(), self.averages.parts())

    def exchanged_share(self) -> float | None:
        """How much of this exchange is over, by its bytes; ``None`` between exchanges."""
        return self._exchange_share.look(self.rounds.is_exchanging, self._rule.codec.size(self.total_size))

    def _encode_changes(self) -> bool:
        """Encode the changes, part by part, where they are sent from; whether all are finite, else none is there."""
        self._generation += 1
        self.changes.clear()
        if self.feedback is not None:
            self.feedback.begin()
            self._all_changes = EncodedTensors([each.shape for each in parameters_of(self._outer)], codec("int8"))
        pairs = zip(parameters_of(self._outer), self.parameters, strict=True)
        for number, delta in enumerate(part for base, weights in pairs for part in changes_of(base, weights)):
            if not are_finite([delta]):
                self.changes.clear()
                return False
            if self.feedback is not None:
                self._all_changes.encode_part(number, delta)
                if self._is_counted:
                    self.feedback.select(delta)
            self.changes.encode_part(number, delta)
        return True

    def reset_accumulated_grads_(self) -> None:
        """Begin to count the samples of the next round."""
        self._accumulators_used_in_step = False
        self.local_samples_accumulated = self.local_times_accumulated = 0
        self._anchor_batch_size = None

    def _tensors_of_the_worker(self) -> Iterable[Tensor]:
        return (*super()._tensors_of_the_worker(), *tensors_of(self._outer))

    def _may_be_sent(self, _tensors: Sequence[Tensor]) -> bool:
        return self.changes.is_whole

    def _keep_received(self, part: int, sender: int, encoded: Tensor) -> None:
        if self._wish is not None:
            self._wish.keep(part, sender, encoded.numpy())

    def _make_runner(self, **kwargs: Any) -> ValidatingRunner:
        self._round_log.discard_pending()
        kwargs |= {"rule": self._rule, "limit": self._usual_size.limit(), "aggregator": self._aggregator}
        runner = DeltaRunner(sent=self.changes, averages=self.averages, **kwargs)
        runner.tensor_part_reducer.keep = self._keep_received
        return runner

    async def _run_allreduce_inplace_(
        self, tensors: Sequence[Tensor], group_info: GroupInfo, group_id: bytes | None = None, **kwargs: Any
    ) -> None:
        """Average the changes with a group, as AveragerProcess does, and write the averages to the round log."""
        await super()._run_allreduce_inplace_(tensors, group_info, group_id, **kwargs)
        runner = self._runner(group_info.group_id if group_id is None else group_id)
        assert isinstance(runner, DeltaRunner)
        self._usual_size.add(runner.tensor_part_reducer.sizes())
        self._caught |= self._opposed.add(runner.directions()) - {self.peer_id}
        self._aggregator.shares.add_round(group_info.peer_ids)
        self._distrust(runner.refused_reducers - {self.peer_id})
        if not runner.outcome({}).has_missing_parts and self.peer_id in runner.sender_peer_ids:
            self._begin_audit(runner.audited(int(self._generation)))
        if self._round_log.is_kept and not runner.outcome({}).has_missing_parts:
            lengths, parts = self.averages.lengths(), self.averages.parts()
            await asyncio.get_running_loop().run_in_executor(None, self._round_log.write, lengths, parts)
        return_free_memory()  # what other threads than this one have needed, too

    def _audited_part(self, number: int, exchange: Exchange) -> AuditedPart:
        return AuditedPart(
            reducer=exchange.senders.index(exchange.reducer_of[number]),
            own=exchange.senders.index(self.peer_id),
            senders=len(exchange.senders),
            numbers=self.averages.lengths()[number],
            average=self.averages.part(number).numpy().tobytes(),
            codec=self._rule.codec,
            combine=self._rule.encoded_average,
            reported=self._aggregator.reported(exchange.senders),
            known_to_all=self._aggregator.known_to_all(exchange.senders),
        )

    def _apply_update(self, tensor: Tensor, update: Tensor) -> None:
        """Do nothing: the averages are where they belong."""


class BaseWeightsAverager(CatchUp, TrainingStateAverager):
    """Shares base weights and outer momentum with newcomers; nothing of it is averaged.

    ``on_base_moved`` is called, in the trainer's thread, once the base weights have changed; its argument is true
    where they are another peer's, so that our own steps since the last round are void. ``mirrored`` is a file with a
    state of the run's mirror, where there is one; ``mirror_use`` says what came of it in the last download. ``repair``
    knows which base weights are of use.

    ``roots`` are those of the base weights that ours lead on from, ours included, by their number of outer steps. A
    state is refused whose weights, or those that it leads on from, have another root than is signed for their number.
    """

    mirrored: Path | None = None
    mirror_use = MirrorUse.UNTRIED
    roots: dict[int, bytes]

    def __init__(self, *args: Any, repair: Repair, on_base_moved: Callable[[bool], None], **kwargs: Any) -> None:
        self._repair, self._on_base_moved = repair, on_base_moved
        self.roots, self._signed_roots = {}, dict[int, bytes]()
        self._is_loading = False
        super().__init__(*args, **kwargs)

    @property
    def has_begun(self) -> bool:
        return self.mirrored is not None

    def _download_options(self) -> dict[str, Any]:
        return {"mirrored": self.mirrored}

    def trial_error(self, state: State) -> Detail:
        """As TrainingStateAverager, and which base weights are not those that were signed."""
        use, passed = state[0].pop(MIRROR, MirrorUse.REFUTED), state[0].pop(PASSED, ())
        why = super().trial_error(state) or self._root_error([*passed, version_of_state(state[1])])
        if not why:
            self.mirror_use = MirrorUse(use)
        return why

    def know_scores(self, scores: Sequence[Score]) -> None:
        self._signed_roots = {each.steps: each.root for each in scores if each.root}

    def _root_error(self, versions: Iterable[Version]) -> Detail:
        """Which of those base weights are not the run's, in words; empty where none is known to be wrong."""
        for steps, root in versions:
            if self._signed_roots.get(steps, root) != root:
                return localized("its base weights after %1 outer steps are not those that were signed", steps)
        return ""

    def is_behind(self, state: State) -> bool:
        """Whether that state is of an epoch that we have behind us, or does not bring our base weights on."""
        weights, ours = parameters_of(self.optimizer), self.optimizer.version()[0]
        steps, is_ahead = int(state[1][len(weights)]), state[0]["epoch"] > self.local_epoch + 1
        is_like_ours = steps == ours and all(map(torch.equal, state[1], weights))
        is_of_use = self._repair.brings_on(steps, ours, is_like_ours=is_like_ours, is_ahead=is_ahead)
        return super().is_behind(state) or not is_of_use

    def load_state_from_peers(self, *args: Any, **kwargs: Any) -> None:
        """Take another peer's base weights, as TrainingStateAverager takes its state."""
        self._is_loading = True
        try:
            super().load_state_from_peers(*args, **kwargs)
        finally:
            self._is_loading = False

    @torch.no_grad()
    def take_logged_rounds(self) -> int:
        """How many outer steps lead on from our base weights, by our own log; we have them behind us then."""
        outer: OuterNesterov = self.optimizer
        before = outer.version()
        state = [*parameters_of(outer), *self.extra_tensors, *outer.velocities()]
        replay = replayed_log(partial(Replay, state, self._codec, self._outer), self._round_log.beyond(before))
        with self.lock_averaged_tensors:
            torch._foreach_copy_(state, replay.tensors())
        self.reset_model()
        outer.forget_version()
        return replay.version[0] - before[0]

    @torch.no_grad()
    def reset_model(self) -> None:
        """Take the model back to the base weights."""
        torch._foreach_copy_(list(self.main_parameters), parameters_of(self.optimizer))

    def _apply_optimizer_parameters_(self) -> None:
        self._on_base_moved(self._is_loading)
        if self._is_loading and self.mirror_use is not MirrorUse.NOT_NEEDED:
            self.roots.clear()
        steps, root = self.optimizer.version()
        self.roots[steps] = root
        while len(self.roots) > MOST_SCORES:
            del self.roots[min(self.roots)]
        return_free_memory()  # what the outer step has needed, in another thread
