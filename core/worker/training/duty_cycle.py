"""A duty cycle of computing and resting, by which a device takes less power and stays cooler (pulse-width modulation).

A burst is one micro-batch, which lasts less than a second on most devices, so that no fan follows it up and down.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import torch

CREDIT_SECONDS = 0.2  # of rest that was too long, because the loop did something else: so the share is kept on average


class DutyCycle:
    """Computing takes ``share`` of the time, above 0 and up to 1; whoever is not computing rests, whatever it does.

    ``share`` may be changed at any time, by any thread.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.share = 1.0
        self._clock = clock
        self._ended_at, self._computed_seconds, self._earlier_due_at = clock(), 0.0, clock()

    @contextlib.contextmanager
    def computing(self) -> Iterator[None]:
        """Time what is computed within; a GPU is waited for while the share is less than 1."""
        began = self._clock()
        earlier = max(self._due_at, began - CREDIT_SECONDS)
        yield
        if self.share < 1.0 and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
            torch.cuda.synchronize()
        self._ended_at = self._clock()
        self._computed_seconds, self._earlier_due_at = self._ended_at - began, earlier

    @property
    def rest_seconds(self) -> float:
        """For how long nothing is to be computed from now on."""
        return max(0.0, self._due_at - self._clock()) if self.share < 1.0 else 0.0

    @property
    def _due_at(self) -> float:
        """When the next micro-batch may begin, by the present share."""
        return self._earlier_due_at + self._computed_seconds / self.share
