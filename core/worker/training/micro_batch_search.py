"""Which micro-batch a device should compute: the run's own, or the fastest; if there is memory for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from core.run.manifest import Collaboration
from core.run.run_file_lint import BATCHES_PER_PEER

LARGEST = 4096  # of those that a computer finds by itself
LONGEST_SECONDS = 1.0  # of one micro-batch: so long, at the most, a pause waits for it
_FASTER = 1.05  # times as fast, or it is not worth the memory
_SIZES_IN_VAIN = 2  # in a row that were not faster: on a busy computer, one alone says little


@dataclass(frozen=True)
class Measured:
    """What micro-batches of ``size`` samples took: ``memory_bytes`` at their peak, the mean time of one."""

    size: int
    memory_bytes: int
    seconds: float

    @property
    def samples_per_second(self) -> float:
        """How fast that was."""
        return self.size / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Bounds:
    """``seconds`` are all that may be spent; ``empty_bytes`` are taken before anything is computed.

    ``memory_bytes`` may well be taken; the smallest batch, without which there is none, may take
    ``utmost_bytes``.
    """

    memory_bytes: int
    utmost_bytes: int
    empty_bytes: int
    seconds: float


def sizes_to_try(collaboration: Collaboration) -> tuple[int, ...]:
    """From small to large: the run's own and its halves; where it names none, all that an epoch bears."""
    size = collaboration.batch_size_per_step
    if size is None:
        most = min(LARGEST, collaboration.target_batch_size // BATCHES_PER_PEER)
        size = 1 << max(0, most.bit_length() - 1)
    sizes = [size]
    while sizes[0] > 1:
        sizes.insert(0, sizes[0] // 2)
    return tuple(sizes)


def chosen_micro_batch(of_run: int | None, of_dry_run: int | None) -> int | None:
    """What to begin with: the run's own, or what was found to fit, if less; ``None``: nobody knows yet."""
    sizes = [size for size in (of_run, of_dry_run) if size is not None]
    return min(sizes, default=None)


def find_micro_batch(
    collaboration: Collaboration, measure: Callable[[int], Measured], bounds: Bounds
) -> Measured | None:
    """What to train with there; ``None`` where not even one sample fits.

    ``measure`` tries a size, and raises torch.OutOfMemoryError where there is no memory for it.
    """
    climb = BatchSizeSearch(measure, bounds)
    if collaboration.batch_size_per_step is None:
        climb.up(sizes_to_try(collaboration), _is_fast_enough)
        return _fastest(climb.known) if climb.known else None
    sizes = sizes_to_try(collaboration)
    climb.up(sizes, lambda known: False)
    return climb.beyond(sizes) if climb.known else None


class BatchSizeSearch:
    """Tries larger and larger ones, as long as there is time, and memory for the next."""

    def __init__(self, measure: Callable[[int], Measured], bounds: Bounds) -> None:
        self._measure, self._bounds = measure, bounds
        self._too_large: int | None = None
        self.known: list[Measured] = []

    def up(self, sizes: Sequence[int], is_enough: Callable[[Sequence[Measured]], bool]) -> None:
        """Begin with the smallest, which is tried whatever it takes."""
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
            if measured.memory_bytes > (bounds.memory_bytes if self.known else bounds.utmost_bytes):
                self._too_large = size
                return
            self.known.append(measured)
            if is_enough(self.known):
                return

    def beyond(self, sizes: Sequence[int]) -> Measured:
        """The largest that there is memory for, also if there was no time to try it."""
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
        """Each further sample takes as much as those before it."""
        last = self.known[-1]
        before = self.known[-2] if len(self.known) > 1 else Measured(0, self._bounds.empty_bytes, last.seconds)
        each = max(0, last.memory_bytes - before.memory_bytes) / (last.size - before.size)
        return last.memory_bytes + round(each * (size - last.size))


def _is_fast_enough(known: Sequence[Measured]) -> bool:
    """Whether larger ones would not be faster, or would keep a person waiting."""
    in_vain = len(known) - 1 - known.index(_fastest(known))
    return in_vain >= _SIZES_IN_VAIN or known[-1].seconds > LONGEST_SECONDS / 2


def _fastest(known: Sequence[Measured]) -> Measured:
    """Of two that are as fast, the smaller one."""
    best = known[0]
    for each in known[1:]:
        if each.samples_per_second > _FASTER * best.samples_per_second:
            best = each
    return best
