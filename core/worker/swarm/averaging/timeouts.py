"""How long an all-reduce waits: long enough for a slow line, and not much longer for a peer that is gone."""

from __future__ import annotations

import multiprocessing
from multiprocessing.sharedctypes import Synchronized

SLOWEST_BITS_PER_SECOND = 1e6  # of a home line, each way, with which one can take part
LONGEST_SECONDS = 3600.0
MAX_STRETCH = 4.0
MIN_SILENCE_SECONDS = 5.0
_FLOAT_BYTES = 4  # what is compressed takes less

SharedSeconds = Synchronized  # of a float, in memory that forked processes share


def shared_seconds() -> SharedSeconds[float]:
    """Zero seconds, in memory that is shared with the processes that are forked from now on."""
    return multiprocessing.get_context("fork").Value("d", 0.0)


def exchange_seconds(numbers: int) -> float:
    """The longest that an exchange of so many numbers may take: all of them up, then all of them down."""
    return min(LONGEST_SECONDS, 2 * _seconds(numbers * _FLOAT_BYTES))


class AllreduceTimeouts:
    """The timeouts of one averager, in seconds; they grow while rounds lose somebody, and shrink again.

    WORKAROUND H10: hivemind has constants for that. Those of a small model give up every round of a large one on a
    home line.

    ``numbers`` are averaged, in parts of ``part_bytes``; ``shortest_seconds`` is the least timeout. What the last
    exchange has taken is in ``last_exchange``, which all averagers of a peer share: a groupmate may still be in an
    exchange of gradients while we wait for its parameters.
    """

    def __init__(
        self, numbers: int, part_bytes: int, shortest_seconds: float, last_exchange: SharedSeconds[float]
    ) -> None:
        self._bytes, self._part_bytes = numbers * _FLOAT_BYTES, part_bytes
        self._exchange_seconds = exchange_seconds(numbers)
        self._shortest, self._stretch = shortest_seconds, 1.0
        self._last_exchange = last_exchange

    def part_seconds(self, peers: int) -> float:
        """How long to wait for the next part from one of so many peers, ourselves included, to all of whom it sends."""
        others = max(1, peers - 1)
        part_bytes = min(self._part_bytes, self._bytes / others)
        return max(self._shortest, self._stretch * others * _seconds(part_bytes))

    @property
    def latecomer_seconds(self) -> float:
        """How long to wait for a groupmate to begin: it may still be in an exchange that we have just ended."""
        return max(self._shortest, min(float(self._last_exchange.value), self._exchange_seconds))

    def of_exchange(self, peers: int) -> dict[str, float]:
        """The arguments of `ValidatingRunner` for an exchange among so many peers, ourselves included."""
        part, latecomer = self.part_seconds(peers), max(self.part_seconds(peers), self.latecomer_seconds)
        # whoever waits for a result waits for everybody else's part of it
        return {"sender_timeout": part, "latecomer_timeout": latecomer, "reducer_timeout": part + latecomer}

    def record(self, seconds: float, is_whole: bool) -> None:
        """Learn from an exchange that took so long; somebody was lost in it unless ``is_whole``."""
        if is_whole:
            self._last_exchange.value = seconds
        self._stretch = max(1.0, self._stretch / 2) if is_whole else min(MAX_STRETCH, self._stretch * 2)


def _seconds(sent_bytes: float) -> float:
    return sent_bytes * 8 / SLOWEST_BITS_PER_SECOND


def silence_seconds(matchmaking_time: float) -> float:
    """How long a group waits for a member that sends nothing."""
    return max(MIN_SILENCE_SECONDS, matchmaking_time)


def averager_timeouts(matchmaking_time: float) -> dict[str, float]:
    """How long both averagers wait for others, by the names of their constructors' arguments.

    WORKAROUND H21: hivemind's 3 s for a leader's answer end in deadlocks unless they are less than
    ``matchmaking_time``; and its ``next_chunk_timeout``, which must be long for the download of the state, is
    also how long an all-reduce would wait for a peer that has vanished.
    """
    silence = silence_seconds(matchmaking_time)
    return {
        "request_timeout": min(3.0, 0.8 * matchmaking_time),
        "sender_timeout": silence,
        "reducer_timeout": 2 * silence,
    }
