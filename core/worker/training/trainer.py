"""The training loop: draw a micro-batch, compute its gradient, step with the swarm, report."""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator

import torch

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.protocol.commands import REPORT_SECONDS
from core.protocol.events import AnyEvent, Evaluated, Progress, TrainingStarted, Warned
from core.protocol.examples import MAX_CHARACTERS, Solved
from core.worker.compute.memory_errors import named_out_of_memory
from core.worker.compute.process_memory import return_free_memory
from core.worker.recipes import Evaluation, Example, Recipe
from core.worker.swarm import SwarmOptimizer
from core.worker.training.base_evaluation import of_base_weights
from core.worker.training.duty_cycle import DutyCycle
from core.worker.training.numeric_checks import PATIENCE_STEPS, NumericChecks
from core.worker.training.own_traffic import own_traffic
from core.worker.training.staleness import Staleness

REST_SECONDS = 0.1
STATE_SERVER_SAMPLES_PER_SECOND = 2.0
ABSURD_EPOCHS = 3  # in a row, after the first of which the others' state was asked for
_LOSS_MEMORY = 0.9

log = logging.getLogger(__name__)


class RateLimiter:
    """Limits the loop to ``samples_per_second``; ``None`` is as fast as the device computes."""

    def __init__(self, samples_per_second: float | None = None) -> None:
        self._samples_per_second = samples_per_second
        self._due_at = time.monotonic()

    def wait(self, samples: int, leaving: threading.Event) -> None:
        """Sleep until the samples just computed are due, or until ``leaving``."""
        if self._samples_per_second is None:
            return
        # At most one second of credit, so that a long pause is not followed by a burst.
        self._due_at = max(self._due_at, time.monotonic() - 1.0) + samples / self._samples_per_second
        leaving.wait(max(0.0, self._due_at - time.monotonic()))


class Trainer:
    """The training loop of one recipe in one swarm; it does nothing while ``is_cut``, as nobody would hear of it.

    ``micro_batch`` is in samples; it is halved where the device has no memory for it. The loop computes as large a
    share of the time as the ``duty_cycle`` allows, and follows the others' progress in the rest of it. While it
    ``is_held``, which any thread may change, ``lacks_experts``, or has no data of its epoch yet, it computes nothing,
    and follows only those who have gone on.
    """

    def __init__(
        self,
        recipe: Recipe,
        optimizer: SwarmOptimizer,
        micro_batch: int,
        rate_limiter: RateLimiter,
        numeric_checks: NumericChecks,
        is_cut: Callable[[], bool],
        lacks_experts: Callable[[], bool] = lambda: False,
    ) -> None:
        self._recipe, self._optimizer, self._micro_batch = recipe, optimizer, micro_batch
        self._rate_limiter, self._checks = rate_limiter, numeric_checks
        self._is_cut, self._lacks_experts = is_cut, lacks_experts
        self.duty_cycle, self.report_seconds = DutyCycle(), REPORT_SECONDS
        self.is_held = self._was_held = False
        self.learning_rate: Callable[[int], float | None] = lambda epoch: None  # of its step, if it may be changed
        self.has_data: Callable[[int], bool] = lambda epoch: True  # the recipe has those of that epoch
        self._warned_of = set[ErrorKind]()
        self._loss: torch.Tensor | None = None  # a moving mean, left on the device until somebody asks
        self._reported_at = self._stalled_seconds = 0.0
        self._epoch, self._absurd_epochs, self._outer_steps = -1, 0, 0
        self._staleness = Staleness(optimizer)
        self._pending: list[AnyEvent] = []
        self._loss_sum: torch.Tensor | float = 0.0
        self.contributed_samples = 0
        self.mini_steps = self.epoch_samples = 0

    def catch_up(self, leaving: threading.Event) -> None:
        """Load the others' state if they are ahead of us, and again until it has come.

        Raises UserError where none can be had, and Interrupted if we leave meanwhile.
        """
        is_behind = self._optimizer.tracker.global_epoch > self._optimizer.local_epoch
        while is_behind and not leaving.is_set():
            if self._is_cut():
                leaving.wait(REPORT_SECONDS)
            else:
                self._optimizer.load_state_from_peers()
                is_behind = not self._optimizer.has_run_state

    def observe_loss(self) -> None:
        """Evaluate the model that training begins with."""
        self._checks.observe_checkpoint()

    def events(self, leaving: threading.Event, device: str) -> Iterator[AnyEvent]:
        """Train until ``leaving``; yields what happened, at most one Progress in ``report_seconds``."""
        parameters = sum(parameter.numel() for parameter in self._recipe.model.parameters())
        self._epoch = self._optimizer.local_epoch
        yield TrainingStarted(device=device, epoch=self._epoch, parameters=parameters)
        while not leaving.is_set():
            if self._is_cut():
                leaving.wait(REPORT_SECONDS)
            elif (is_held := self._must_hold()) or self._was_held:
                self._hold(is_held, leaving)
            elif self._staleness.must_wait(self.epoch_samples + self._micro_batch):
                self._rest(self._staleness.rest, leaving)
            elif self._has_nothing_to_compute or self.duty_cycle.rest_seconds > REST_SECONDS:
                self._optimizer.tracker.counts_rests = not self._has_nothing_to_compute
                self._rest(self._optimizer.rest, leaving)
            elif not self._micro_step():
                yield from self._recover_from_bad_step()
            yield from self._pending_events()
            if (passed := self._optimizer.local_epoch - self._epoch) != 0:
                self._loss = self._loss if passed == 1 else None  # of other weights than those that were taken
                yield from self._judge_staleness()
                self._epoch = self._optimizer.local_epoch
                yield from self._check_model()
                self.mini_steps, self.epoch_samples, self._loss_sum = 0, 0, 0.0
            if time.monotonic() - self._reported_at >= self.report_seconds:
                yield self._progress()
            self._rate_limiter.wait(self._micro_batch, leaving)
            leaving.wait(min(self.duty_cycle.rest_seconds, REST_SECONDS))

    def _must_hold(self) -> bool:
        return self.is_held or self._lacks_experts() or not self.has_data(self._optimizer.local_epoch)

    @property
    def _has_nothing_to_compute(self) -> bool:
        return not self._optimizer.needs_gradient or self.mini_steps >= (self._optimizer.most_steps or math.inf)

    def _pending_events(self) -> Iterator[AnyEvent]:
        pending, self._pending = self._pending, []
        yield from pending

    def _micro_step(self) -> bool:
        """Compute one micro-batch; false where its gradient is not finite, which never reaches the swarm."""
        computed = self._compute()
        if computed is None:
            self._halve_micro_batch()
            return True
        loss, has_gradient = computed
        is_usable = not has_gradient or self._checks.check_step(loss)
        if has_gradient and is_usable:
            self._step(loss.detach())
        else:
            self._optimizer.forget_gradient()
        return is_usable

    def _compute(self) -> tuple[torch.Tensor, bool] | None:
        """The loss of a micro-batch, and whether it has left a gradient; ``None`` where memory ran out.

        What the traceback has kept of the forward pass is free again once this has returned, and not before.
        """
        try:
            with named_out_of_memory(), self.duty_cycle.computing():
                loss = self._recipe.loss(self._recipe.draw(self._micro_batch))
                return loss, self._recipe.backward(loss)
        except torch.OutOfMemoryError:
            if self._micro_batch == 1:
                raise
            return None

    def _halve_micro_batch(self) -> None:
        """The device has no memory for so many samples at a time, perhaps because others use it now."""
        self._optimizer.forget_gradient()
        torch.cuda.empty_cache()
        self._micro_batch //= 2
        words = localized("It goes on with %1 samples at a time.", self._micro_batch)
        log.warning("out of memory. %s", words)
        self._pending.append(Warned(problem=ErrorKind.OUT_OF_MEMORY.key, detail=words))

    def _step(self, loss: torch.Tensor) -> None:
        """Give this micro-batch's gradient to the swarm's optimizer, which may wait for other peers."""
        with self._stall_timed():
            self._optimizer.step(batch_size=self._micro_batch)
        self._optimizer.zero_grad()
        self._add_loss(loss)
        self.contributed_samples += self._micro_batch
        self.epoch_samples += self._micro_batch
        self.mini_steps += 1

    def _rest(self, follow: Callable[[], None], leaving: threading.Event) -> None:
        """Compute nothing for a moment, and ``follow`` the others meanwhile."""
        with self._stall_timed():
            follow()
        leaving.wait(REST_SECONDS)

    def _hold(self, is_held: bool, leaving: threading.Event) -> None:
        """Wait for a moment of a pause; the first rest after it lets our speed be measured anew."""
        optimizer, self._was_held = self._optimizer, is_held
        optimizer.tracker.is_held = is_held
        if not is_held or optimizer.tracker.ready_to_update_epoch or optimizer.state_averager.pending_updates:
            optimizer.rest()
        else:
            optimizer.take_newer_state()
        if is_held and optimizer.has_run_state:
            optimizer.presence.tell()
        leaving.wait(REST_SECONDS)

    @contextlib.contextmanager
    def _stall_timed(self) -> Iterator[None]:
        began = time.monotonic() - self._optimizer.own_step_seconds
        yield
        self._stalled_seconds = max(self._stalled_seconds, time.monotonic() - self._optimizer.own_step_seconds - began)

    def _recover_from_bad_step(self) -> Iterator[AnyEvent]:
        """Warn once that a micro-batch was dropped; after many in a row load the others' state, then give up."""
        yield from self._warn_once(ErrorKind.NOT_FINITE, localized("A micro-batch was dropped."))
        if self._checks.consecutive_bad_steps == PATIENCE_STEPS:
            self._optimizer.replace_model()
        if self._checks.consecutive_bad_steps > 2 * PATIENCE_STEPS:
            bad_steps = self._checks.consecutive_bad_steps
            raise UserError(ErrorKind.NOT_FINITE, localized("%1 micro-batches in a row were not.", bad_steps))

    def _warn_once(self, problem: ErrorKind, detail: Detail) -> Iterator[AnyEvent]:
        if problem not in self._warned_of:
            self._warned_of.add(problem)
            yield Warned(problem=problem.key, detail=detail)

    def _judge_staleness(self) -> Iterator[AnyEvent]:
        """Tell the organiser, who can change it, where everybody waits for the last step in each epoch."""
        self._staleness.end_epoch(self._epoch, self.epoch_samples)
        if self._optimizer.is_organiser and (advice := self._staleness.advice()):
            yield Warned(problem=ErrorKind.GRADIENTS_STALE.key, detail=advice)

    def _add_loss(self, loss: torch.Tensor) -> None:
        self._loss_sum = self._loss_sum + loss
        self._loss = loss if self._loss is None else torch.lerp(loss, self._loss, _LOSS_MEMORY)

    @property
    def loss(self) -> float | None:
        """The moving mean of the micro-batches' losses; ``None`` before the first."""
        return None if self._loss is None else float(self._loss)

    @property
    def loss_sum(self) -> float:
        """The losses of this epoch's ``mini_steps``, added up."""
        return float(self._loss_sum)

    def _check_model(self) -> Iterator[AnyEvent]:
        """Evaluate the model of the new epoch; where its loss is absurd, load the others' state.

        Nothing follows from an evaluation in which experts of some layer were lacking, and without its data is none.
        """
        has_data, is_of_run = self.has_data(self._epoch), self._has_stepped_with_the_run()
        result = self._evaluate() if has_data else None
        if result is None or not result.of_all_layers:
            log.info("epoch %d is not measured: its data or experts of some layer are lacking", self._epoch)
            yield Evaluated(epoch=self._epoch, loss=None, accuracy=None)
            return
        if error := self._checks.loss_error(result.loss):
            log.warning("the model after epoch %d: %s", self._epoch, error)
            yield from self._replace_model(error)
        else:
            self._absurd_epochs = 0
            self._warned_of.discard(ErrorKind.STATE_REFUSED)
            if is_of_run:
                self._checks.observe(result.loss)
        examples = tuple(map(_solved, result.examples))
        yield Evaluated(epoch=self._epoch, loss=result.loss, accuracy=result.accuracy, examples=examples)

    def _has_stepped_with_the_run(self) -> bool:
        """Whether the new epoch's model is the run's, with which others' models may be compared.

        With local SGD it is not where a round has come to nothing: our weights then hold what we have learned alone,
        and their loss may be below that of the run's base weights for some rounds.
        """
        if not self._optimizer.takes_own_steps:
            return True
        before, self._outer_steps = self._outer_steps, max(self._optimizer.state_averager.roots, default=0)
        return self._outer_steps != before

    def _replace_model(self, error: Detail) -> Iterator[AnyEvent]:
        """Load the others' state, once; a volunteer whose model stays absurd for some epochs has nobody to follow.

        Raises UserError: MODEL_UNLEARNED. The organiser goes on, and is told: it alone can go back to a checkpoint.
        """
        self._absurd_epochs += 1
        words = localized("Our own, of epoch %1: %2.", self._epoch, error)
        yield from self._warn_once(ErrorKind.STATE_REFUSED, words)
        if self._absurd_epochs == 1:
            self._optimizer.replace_model()
        elif self._absurd_epochs >= ABSURD_EPOCHS and self._optimizer.is_organiser:
            yield from self._warn_once(ErrorKind.MODEL_UNLEARNED, words)
        elif self._absurd_epochs >= ABSURD_EPOCHS:
            raise UserError(ErrorKind.MODEL_UNLEARNED, words)

    def of_base_weights(self, evaluated: Evaluated) -> Evaluated:
        """The same with the loss of what all peers have in common, as it is signed; see ``base_evaluation.py``."""
        return of_base_weights(evaluated, self._recipe, self._optimizer)

    def _evaluate(self) -> Evaluation:
        result = self._recipe.evaluate()
        return_free_memory()  # what many samples at once have needed
        return result

    def _progress(self) -> Progress:
        tracker, stalled_seconds = self._optimizer.tracker, self._stalled_seconds
        everybody, mine = tracker.global_progress, tracker.local_progress.samples_accumulated
        traffic, self._reported_at, self._stalled_seconds = own_traffic(), time.monotonic(), 0.0
        return Progress(
            epoch=self._epoch,
            samples=max(everybody.samples_accumulated, mine),  # the sum is some reports behind
            target=everybody.target_batch_size,
            samples_per_second=None if self._was_held else tracker.statistics.my_rate(),
            swarm_samples_per_second=None if self._was_held else tracker.statistics.swarm_rate(),
            peers=max(1, everybody.num_peers),
            clients=everybody.num_clients,
            loss=self.loss,
            my_samples=mine,
            contributed_samples=self.contributed_samples,
            next_step_seconds=tracker.statistics.seconds_to_next_epoch(),
            sent_bytes=traffic.sent_bytes,
            received_bytes=traffic.received_bytes,
            stalled_seconds=round(stalled_seconds, 4),
            steps=self.mini_steps if self._optimizer.takes_own_steps else None,
            most_steps=self._optimizer.most_steps,
            exchanged_share=self._optimizer.exchanged_share(),
            learning_rate=self.learning_rate(self._epoch),
            is_waiting=self._staleness.is_waiting,
        )


def _solved(example: Example) -> Solved:
    """The example with words of bounded length: a data set's may be of any."""
    text, question, answer = (
        words if len(words) <= MAX_CHARACTERS else f"{words[: MAX_CHARACTERS - 1]}…"
        for words in (example.text, example.question, example.answer)
    )
    return Solved(text=text, correct=example.correct, question=question, answer=answer, picture=example.picture)
