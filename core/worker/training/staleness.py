"""Stale gradients: those of weights that lack the last step, as long as that is being averaged.

WORKAROUND H67: with `delay_grad_averaging` and `delay_optimizer_step`, hivemind's computing goes on meanwhile (delayed
parameter updates, ZeRO-Offload, arXiv:2101.06840). Where averaging takes most of an epoch, as in one that got short
because many computers have joined, nearly every gradient is a step old, and a run unlearns at a learning rate that is
right otherwise.

Gradient descent with a learning rate of ``a`` divided by the curvature converges for ``a < 2``. If a share ``s`` of
each gradient is one step old, the error follows ``z² − (1 − a(1 − s))z + as = 0``, whose roots are within the unit
circle for ``as < 1`` and ``a(1 − 2s) < 2``: with all of it old for ``a < 1`` only, with half of it still for ``a < 2``.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from core.localizable import Detail, localized
from core.run.round_estimate import MAX_STALE_SHARE
from core.worker.swarm.averaging.optimizer import SwarmOptimizer

AIM_SHARE = 0.2
MIN_COMPUTING = 0.1  # of an epoch
EPOCHS = 5


class _Epoch(NamedTuple):
    """The last step came ``lag`` seconds after its beginning; it took so many ``seconds``."""

    lag: float
    seconds: float


class Staleness:
    """What a peer computes with weights that lack the last step: half of what its last epoch had, at the most.

    Each peer keeps to it by itself, so that plain hivemind peers, which do not, can be in the same swarm. What it costs
    is `advice` for the organiser, by the last ``EPOCHS`` epochs of as many samples.
    """

    def __init__(self, optimizer: SwarmOptimizer, clock: Callable[[], float] = time.monotonic) -> None:
        self._optimizer, self._clock = optimizer, clock
        self._began_at, self._usual_samples = clock(), math.inf
        self.is_waiting = False  # for the last step, as far as was found when somebody asked last
        self._last: deque[_Epoch] = deque(maxlen=EPOCHS)
        self._target, self._is_told = 0, False

    def must_wait(self, samples: int) -> bool:
        """Whether the last step must be there before we have so many samples of this epoch."""
        most = MAX_STALE_SHARE * min(self._usual_samples, self._optimizer.tracker.target_batch_size)
        self.is_waiting = self._lacks_step and samples > most
        return self.is_waiting

    @property
    def _lacks_step(self) -> bool:
        optimizer, averager = self._optimizer, self._optimizer.state_averager
        is_delayed = optimizer.use_gradient_averaging and optimizer.delay_optimizer_step
        return is_delayed and bool(averager.pending_updates) and optimizer.local_epoch not in averager.stepped_at

    def rest(self) -> None:
        """Follow the others without a micro-batch; the epoch's end by the clock is unknown until the step is there."""
        tracker = self._optimizer.tracker
        tracker.counts_rests = False
        tracker.suspend_extrapolation()
        self._optimizer.rest()
        if not self._lacks_step:
            tracker.look_now()

    def end_epoch(self, epoch: int, samples: int) -> None:
        """Begin the next one; this ``epoch`` had so many samples of ours."""
        began, self._began_at, self._usual_samples = self._began_at, self._clock(), samples
        seconds, target = self._began_at - began, self._optimizer.tracker.target_batch_size
        if self._target != target:
            self._last.clear()
            self._target, self._is_told = target, False
        stepped = self._optimizer.state_averager.stepped_at.get(epoch, -math.inf)
        self._last.append(_Epoch(min(max(0.0, stepped - began), seconds), seconds))

    def advice(self) -> Detail:
        """What is wrong, for the organiser, once for each length of epochs; empty where nothing is."""
        if self._is_told or len(self._last) < EPOCHS:
            return ""
        lag, epoch = map(statistics.median, zip(*self._last, strict=True))
        if lag < MAX_STALE_SHARE * epoch:
            return ""
        self._is_told = True
        # after the step, everybody computes the other half
        computing = max((epoch - lag) / (1.0 - MAX_STALE_SHARE), MIN_COMPUTING * epoch)
        return localized(
            "Averaging takes %1 s of an epoch of %2 s, and each computer waits for %3 s, as half of its samples at the "
            "most may lack the last step. With about %4 samples in an epoch, averaging would be a fifth, with no wait.",
            f"{lag:.1f}",
            f"{epoch:.1f}",
            f"{epoch - computing:.1f}",
            str(round(float(f"{self._target * lag / (AIM_SHARE * computing):.1e}"))),
        )
