"""The loop: draw, compute, step; and tell how it goes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import torch

from core.messages import AnyEvent, Evaluated, Progress, Solved, TrainingStarted
from core.worker.pace import Pace
from core.worker.recipes import Recipe
from core.worker.swarm import SwarmOptimizer, received_bytes, sent_bytes

REPORT_SECONDS = 0.5
_LOSS_MEMORY = 0.9


class Trainer:
    """Trains one recipe in one swarm. ``batch_size`` is the micro-batch, in samples."""

    def __init__(self, recipe: Recipe, optimizer: SwarmOptimizer, batch_size: int, pace: Pace) -> None:
        self._recipe, self._optimizer, self._batch_size, self._pace = recipe, optimizer, batch_size, pace
        self._loss: torch.Tensor | None = None  # a moving mean, left on the device until somebody asks
        self._reported = self._stalled = 0.0
        self._epoch = -1
        self._loss_sum: torch.Tensor | float = 0.0
        self.contributed_samples = 0
        self.mini_steps = 0

    def events(self, leaving: threading.Event, device: str) -> Iterator[AnyEvent]:
        """Train until ``leaving``; yields what happened, at most one Progress in ``REPORT_SECONDS``."""
        parameters = sum(parameter.numel() for parameter in self._recipe.model.parameters())
        self._epoch = self._optimizer.local_epoch
        yield TrainingStarted(device=device, epoch=self._epoch, parameters=parameters)
        while not leaving.is_set():
            self._micro_step()
            if self._optimizer.local_epoch != self._epoch:
                self._epoch = self._optimizer.local_epoch
                yield self._evaluate()
                self.mini_steps, self._loss_sum = 0, 0.0
            if time.monotonic() - self._reported >= REPORT_SECONDS:
                yield self._progress()
            self._pace.wait(self._batch_size, leaving)

    def _micro_step(self) -> None:
        loss = self._recipe.loss(self._recipe.draw(self._batch_size))
        torch.autograd.backward(loss)
        began = time.monotonic()
        self._optimizer.step(batch_size=self._batch_size)
        self._stalled = max(self._stalled, time.monotonic() - began)
        self._optimizer.zero_grad()
        self._remember(loss.detach())
        self.contributed_samples += self._batch_size
        self.mini_steps += 1

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

    @property
    def epoch_samples(self) -> int:
        """The samples of this epoch's ``mini_steps``, until its Evaluated has been taken."""
        return self.mini_steps * self._batch_size

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
            samples_per_second=tracker.my_rate(),
            swarm_samples_per_second=tracker.swarm_rate(),
            peers=max(1, everybody.num_peers),
            clients=everybody.num_clients,
            loss=self.loss,
            my_samples=mine,
            contributed_samples=self.contributed_samples,
            next_step_seconds=tracker.seconds_to_next_epoch(),
            sent_bytes=sent_bytes(),
            received_bytes=received_bytes(),
            stalled_seconds=round(stalled, 4),
        )
