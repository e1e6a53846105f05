"""How long an all-reduce waits: long enough for a slow line, and not much longer for a peer that is gone.

hivemind has constants for that. Those of a small model give up every round of a large one on a home line.
"""

from __future__ import annotations

import multiprocessing

SLOWEST_BITS_PER_SECOND = 1e6  # of a home line, each way, with which one can take part
LONGEST_SECONDS = 3600.0
MOST_TIMES = 4.0
_FLOAT_BYTES = 4  # what is compressed takes less

_last_exchange = multiprocessing.get_context("fork").Value("d", 0.0)  # seconds; both averagers see it


def exchange_seconds(numbers: int) -> float:
    """The longest that an exchange of so many numbers may take: all of them up, then all of them down."""
    return min(LONGEST_SECONDS, 2 * _seconds(numbers * _FLOAT_BYTES))


class Patience:
    """One averager's, with its groupmates. It grows while rounds lose somebody, and shrinks again."""

    def __init__(self, numbers: int, part_bytes: int, silence_seconds: float) -> None:
        self._bytes, self._part_bytes = numbers * _FLOAT_BYTES, part_bytes
        self._exchange_seconds = exchange_seconds(numbers)
        self._shortest, self._times = silence_seconds, 1.0

    def silence_seconds(self, peers: int) -> float:
        """For the next part from one of so many peers, ourselves included, to all of whom it sends."""
        others = max(1, peers - 1)
        part_bytes = min(self._part_bytes, self._bytes / others)
        return max(self._shortest, self._times * others * _seconds(part_bytes))

    @property
    def latecomer_seconds(self) -> float:
        """For a groupmate that does not begin: it may still be in an exchange that we have just ended."""
        return max(self._shortest, min(float(_last_exchange.value), self._exchange_seconds))

    def note(self, seconds: float, is_whole: bool) -> None:
        """An exchange has taken so long; somebody was lost in it unless ``is_whole``."""
        if is_whole:
            _last_exchange.value = seconds
        self._times = max(1.0, self._times / 2) if is_whole else min(MOST_TIMES, self._times * 2)


def _seconds(sent_bytes: float) -> float:
    return sent_bytes * 8 / SLOWEST_BITS_PER_SECOND
