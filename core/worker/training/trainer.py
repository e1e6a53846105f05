"""The loop: draw, compute, step; and tell how it goes."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterator

import torch

from core.errors import ErrorKind, UserError
from core.protocol.events import AnyEvent, Evaluated, Progress, Solved, TrainingStarted, Warned
from core.worker.compute.memory_errors import named_out_of_memory
from core.worker.recipes import Recipe
from core.worker.swarm import SwarmOptimizer, received_bytes, sent_bytes
from core.worker.training.numeric_checks import PATIENCE_STEPS, NumericChecks
from core.worker.training.rate_limiter import RateLimiter

REPORT_SECONDS = 0.5
_LOSS_MEMORY = 0.9

log = logging.getLogger(__name__)


class Trainer:
    """Trains one recipe in one swarm; it rests while ``is_cut``.

    ``batch_size`` is the micro-batch, in samples; it is halved where the device has no memory for it.
    """

    def __init__(
        self,
        recipe: Recipe,
        optimizer: SwarmOptimizer,
        batch_size: int,
        pace: RateLimiter,
        sanity: NumericChecks,
        is_cut: threading.Event,
    ) -> None:
        self._recipe, self._optimizer, self._batch_size, self._pace = recipe, optimizer, batch_size, pace
        self._sanity, self._warned_of, self._is_cut = sanity, set[ErrorKind](), is_cut
        self._loss: torch.Tensor | None = None  # a moving mean, left on the device until somebody asks
        self._reported = self._stalled = 0.0
        self._epoch = -1
        self._news: list[AnyEvent] = []
        self._loss_sum: torch.Tensor | float = 0.0
        self.contributed_samples = 0
        self.mini_steps = self.epoch_samples = 0

    def events(self, leaving: threading.Event, device: str) -> Iterator[AnyEvent]:
        """Train until ``leaving``; yields what happened, at most one Progress in ``REPORT_SECONDS``."""
        parameters = sum(parameter.numel() for parameter in self._recipe.model.parameters())
        self._epoch = self._optimizer.local_epoch
        yield TrainingStarted(device=device, epoch=self._epoch, parameters=parameters)
        while not leaving.is_set():
            if self._is_cut.is_set():
                leaving.wait(REPORT_SECONDS)  # it would be for nobody
            elif not self._micro_step():
                yield from self._recover_from_nonsense()
            yield from self._told()
            if self._optimizer.local_epoch != self._epoch:
                self._epoch = self._optimizer.local_epoch
                yield from self._examine()
                self.mini_steps, self.epoch_samples, self._loss_sum = 0, 0, 0.0
            if time.monotonic() - self._reported >= REPORT_SECONDS:
                yield self._progress()
            self._pace.wait(self._batch_size, leaving)

    def _told(self) -> Iterator[AnyEvent]:
        """What is to be told, once."""
        news, self._news = self._news, []
        yield from news

    def _micro_step(self) -> bool:
        """Whether it was good for anything: what is not finite never reaches the swarm."""
        try:
            with named_out_of_memory():
                loss = self._recipe.loss(self._recipe.draw(self._batch_size))
                is_step = self._recipe.backward(loss)
        except torch.OutOfMemoryError:
            if self._batch_size == 1:
                raise
            self._take_fewer()
            return True
        is_usable = not is_step or self._sanity.note_step(loss)
        if is_step and is_usable:
            self._take(loss.detach())
        else:
            self._optimizer.forget_gradient()
        return is_usable

    def _take_fewer(self) -> None:
        """The device has no memory for so many samples at a time, perhaps because others use it now."""
        self._optimizer.forget_gradient()
        torch.cuda.empty_cache()
        self._batch_size //= 2
        words = f"It goes on with {self._batch_size} samples at a time."
        log.warning("out of memory. %s", words)
        self._news.append(Warned(problem=ErrorKind.OUT_OF_MEMORY.key, detail=words))

    def _take(self, loss: torch.Tensor) -> None:
        """The gradient of this micro-batch counts."""
        began = time.monotonic()
        self._optimizer.step(batch_size=self._batch_size)
        self._stalled = max(self._stalled, time.monotonic() - began)
        self._optimizer.zero_grad()
        self._remember(loss)
        self.contributed_samples += self._batch_size
        self.epoch_samples += self._batch_size
        self.mini_steps += 1

    def _recover_from_nonsense(self) -> Iterator[AnyEvent]:
        """Say once that a micro-batch was dropped; many in a row need more than that."""
        yield from self._warn_once(ErrorKind.NOT_FINITE, "A micro-batch was dropped.")
        if self._sanity.consecutive_bad_steps == PATIENCE_STEPS:
            self._optimizer.load_state_from_peers()
        if self._sanity.consecutive_bad_steps > 2 * PATIENCE_STEPS:
            raise UserError(ErrorKind.NOT_FINITE, f"{PATIENCE_STEPS} micro-batches in a row were not.")

    def _warn_once(self, problem: ErrorKind, detail: str) -> Iterator[AnyEvent]:
        if problem not in self._warned_of:
            self._warned_of.add(problem)
            yield Warned(problem=problem.key, detail=detail)

    def _remember(self, loss: torch.Tensor) -> None:
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

    def _examine(self) -> Iterator[AnyEvent]:
        """How the model does now; where that is absurd, the others' state is loaded anew."""
        evaluated = self._evaluate()
        loss = math.nan if evaluated.loss is None else evaluated.loss
        if flaw := self._sanity.flaw_of(loss):
            log.warning("the model after epoch %d: %s", self._epoch, flaw)
            yield from self._warn_once(ErrorKind.STATE_REFUSED, f"Our own, of epoch {self._epoch}: {flaw}.")
            self._optimizer.load_state_from_peers()
        else:
            self._warned_of.discard(ErrorKind.STATE_REFUSED)
        yield evaluated

    def _evaluate(self) -> Evaluated:
        result = self._recipe.evaluate()
        examples = tuple(Solved(text=example.text, correct=example.correct) for example in result.examples)
        return Evaluated(epoch=self._epoch, loss=result.loss, accuracy=result.accuracy, examples=examples)

    def _progress(self) -> Progress:
        tracker, stalled = self._optimizer.tracker, self._stalled
        everybody, mine = tracker.global_progress, tracker.local_progress.samples_accumulated
        self._reported, self._stalled = time.monotonic(), 0.0
        return Progress(
            epoch=self._epoch,
            samples=max(everybody.samples_accumulated, mine),  # the sum is some reports behind
            target=everybody.target_batch_size,
            samples_per_second=tracker.statistics.my_rate(),
            swarm_samples_per_second=tracker.statistics.swarm_rate(),
            peers=max(1, everybody.num_peers),
            clients=everybody.num_clients,
            loss=self.loss,
            my_samples=mine,
            contributed_samples=self.contributed_samples,
            next_step_seconds=tracker.statistics.seconds_to_next_epoch(),
            sent_bytes=sent_bytes(),
            received_bytes=received_bytes(),
            stalled_seconds=round(stalled, 4),
        )
