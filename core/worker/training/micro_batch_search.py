"""The search for the micro-batch of a device: the run's own, or the fastest that fits into memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from core.run.run_file_lint import BATCHES_PER_PEER
from core.run.spec.collaboration import Collaboration

MAX_MICRO_BATCH = 4096  # samples, where the run names none
MAX_SECONDS = 1.0  # for one micro-batch: a pause waits for its end
_MIN_SPEEDUP = 1.05  # times as fast, or a larger one is not worth its memory
_SLOWER_SIZES = 2  # in a row that were not faster: on a busy computer, one alone says little


@dataclass(frozen=True)
class Measured:
    """A measurement of micro-batches of ``size`` samples: peak memory in bytes, seconds for one of them."""

    size: int
    memory_bytes: int
    seconds: float

    @property
    def samples_per_second(self) -> float:
        """The throughput in samples per second."""
        return self.size / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Bounds:
    """``seconds`` are all that may be spent; ``baseline_bytes`` are taken before anything is computed.

    ``memory_bytes`` may well be taken; the smallest batch, without which there is none, may take
    ``max_bytes``.
    """

    memory_bytes: int
    max_bytes: int
    baseline_bytes: int
    seconds: float


def sizes_to_try(collaboration: Collaboration) -> tuple[int, ...]:
    """The sizes to try, rising by powers of two up to the run's own, or up to what an epoch bears."""
    size = collaboration.batch_size_per_step
    if size is None:
        most = min(MAX_MICRO_BATCH, collaboration.target_batch_size // BATCHES_PER_PEER)
        size = 1 << max(0, most.bit_length() - 1)
    sizes = [size]
    while sizes[0] > 1:
        sizes.insert(0, sizes[0] // 2)
    return tuple(sizes)


def initial_micro_batch(of_run: int | None, of_dry_run: int | None) -> int | None:
    """The smaller of the run's micro-batch and the one that a dry run has found; ``None`` if neither is known."""
    sizes = [size for size in (of_run, of_dry_run) if size is not None]
    return min(sizes, default=None)


def find_micro_batch(
    collaboration: Collaboration, measure: Callable[[int], Measured], bounds: Bounds
) -> Measured | None:
    """The micro-batch to train with; ``None`` where not even one sample fits.

    ``measure`` tries a size, and raises torch.OutOfMemoryError where there is no memory for it.
    """
    search = BatchSizeSearch(measure, bounds)
    if collaboration.batch_size_per_step is None:
        search.measure_up_to(sizes_to_try(collaboration), _is_fast_enough)
        return _fastest(search.known) if search.known else None
    sizes = sizes_to_try(collaboration)
    search.measure_up_to(sizes, lambda known: False)
    return search.extrapolate(sizes) if search.known else None


class BatchSizeSearch:
    """Measures larger and larger micro-batches, while there is time, and memory for the next."""

    def __init__(self, measure: Callable[[int], Measured], bounds: Bounds) -> None:
        self._measure, self._bounds = measure, bounds
        self._too_large: int | None = None
        self.known: list[Measured] = []

    def measure_up_to(self, sizes: Sequence[int], is_enough: Callable[[Sequence[Measured]], bool]) -> None:
        """Measure those sizes in their order until ``is_enough``; the first one whatever it takes."""
        deadline = time.monotonic() + self._bounds.seconds
        for size in sizes:
            if self.known and not self._is_promising(size, deadline):
                return
            try:
                measured = self._measure(size)
            except torch.OutOfMemoryError:
                self._too_large = size
                return
            bounds = self._bounds
            if measured.memory_bytes > (bounds.memory_bytes if self.known else bounds.max_bytes):
                self._too_large = size
                return
            self.known.append(measured)
            if is_enough(self.known):
                return

    def extrapolate(self, sizes: Sequence[int]) -> Measured:
        """The largest size that should fit into memory, also if there was no time to measure it."""
        last = self.known[-1]
        fitting = [size for size in sizes if size > last.size and self._has_room_for(size)]
        if not fitting:
            return last
        size = fitting[-1]
        return Measured(size, self._expected_bytes(size), size / last.samples_per_second)

    def _is_promising(self, size: int, deadline: float) -> bool:
        last = self.known[-1]
        seconds = 2 * last.seconds * size / last.size  # once to warm up
        return time.monotonic() + seconds <= deadline and self._has_room_for(size)

    def _has_room_for(self, size: int) -> bool:
        if self._too_large is not None and size >= self._too_large:
            return False
        return self._expected_bytes(size) <= self._bounds.memory_bytes

    def _expected_bytes(self, size: int) -> int:
        """The peak memory of that size in bytes, extrapolated linearly from the last two sizes."""
        last = self.known[-1]
        before = self.known[-2] if len(self.known) > 1 else Measured(0, self._bounds.baseline_bytes, last.seconds)
        each = max(0, last.memory_bytes - before.memory_bytes) / (last.size - before.size)
        return last.memory_bytes + round(each * (size - last.size))


def _is_fast_enough(known: Sequence[Measured]) -> bool:
    """Whether larger micro-batches are not faster, or so slow that pausing would take long."""
    slower = len(known) - 1 - known.index(_fastest(known))
    return slower >= _SLOWER_SIZES or known[-1].seconds > MAX_SECONDS / 2


def _fastest(known: Sequence[Measured]) -> Measured:
    """The fastest; a larger one counts only if it is faster by _MIN_SPEEDUP."""
    best = known[0]
    for each in known[1:]:
        if each.samples_per_second > _MIN_SPEEDUP * best.samples_per_second:
            best = each
    return best
