"""Stale gradients: those of weights that lack the last step, as long as that is being averaged.

With `delay_grad_averaging` and `delay_optimizer_step`, computing goes on meanwhile (delayed parameter updates,
ZeRO-Offload, arXiv:2101.06840). Where averaging takes most of an epoch, as in one that got short because many computers
have joined, nearly every gradient is a step old, and a run can unlearn at a learning rate that is right otherwise.
"""

from __future__ import annotations

import statistics
from collections import deque

from core.localizable import Detail, localized

STALE_SHARE = 0.5
AIM_SHARE = 0.2
EPOCHS = 5


class Staleness:
    """Judges by the last ``EPOCHS`` epochs of as many samples; times are seconds of the monotonic clock."""

    def __init__(self) -> None:
        self._last: deque[tuple[float, float]] = deque(maxlen=EPOCHS)
        self._target, self._is_told = 0, False

    def add_epoch(self, began: float, stepped: float, ended: float, target: int) -> None:
        """Count an epoch of so many samples; the model ``stepped`` before it ``began`` where nothing is delayed."""
        if target != self._target:
            self._last.clear()
            self._target, self._is_told = target, False
        self._last.append((min(max(0.0, stepped - began), ended - began), ended - began))

    def advice(self) -> Detail:
        """What is wrong, for the organiser, once for each length of epochs; empty where nothing is."""
        if self._is_told or len(self._last) < EPOCHS:
            return ""
        lag, epoch = (statistics.median(seconds) for seconds in zip(*self._last, strict=True))
        if lag < STALE_SHARE * epoch:
            return ""
        self._is_told = True
        return localized(
            "Averaging takes %1 s of an epoch of %2 s. Until then everybody computes with weights that lack the last "
            "step, by which a run can unlearn. With about %3 samples in an epoch, it would be a fifth.",
            f"{lag:.1f}",
            f"{epoch:.1f}",
            str(round(float(f"{self._target * lag / (AIM_SHARE * epoch):.1e}"))),
        )
