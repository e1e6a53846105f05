"""What one member's events amount to: when it was well, what it gave, and what nobody has explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.client.restart_policy import RECONNECT_CAUSES
from core.errors import ErrorKind
from core.protocol.events import Connected, Failed, Hello, Progress, Restarting, RoundFinished, Warned
from tests.bench.peers.peer_process import Seen
from tests.soak.peers import Suffered
from tests.soak.plan import KINDS, Kind
from tests.support.fault_injection import gave

_LOST_PARTS: tuple[Kind, ...] = ("worker killed", "p2pd killed", "dht killed", "averager killed")
EXPLAINED = (ErrorKind.WORKER_CRASHED, ErrorKind.INTERNAL)
"""How a worker ends that has lost a part; an error comes first where somebody waits for that very part."""
TRIES_AGAIN = RECONNECT_CAUSES | {ErrorKind.NOBODY_ANSWERS}
"""Whoever is cut off or asleep loses the others; whoever comes back after any fault may not be answered at once
where nine peers share two cores. Its client tries again, and the table tells how often. Without a fault of its
own from which it has not yet recovered, each of them is a trouble."""
_CUTS: tuple[Kind, ...] = ("line cut", "sleep")

FIRST_TEST_SECONDS = 60.0
"""A worker whose first test of the network shows so soon after it was connected that it can be reached begins anew
as a direct peer."""

_TROUBLES = (Failed, Restarting, Warned)
Span = tuple[float, float]


@dataclass(frozen=True)
class Samples:
    """``averaged`` are those of epochs whose gradients were averaged with others; ``open`` of the last epoch,
    which nobody has ended yet."""

    given: int = 0
    averaged: int = 0
    open: int = 0

    @property
    def lost(self) -> int:
        """Computed for nothing: the epoch ended without us, or our round in it was averaged with nobody."""
        return self.given - self.averaged - self.open

    def __add__(self, other: Samples) -> Samples:
        return Samples(self.given + other.given, self.averaged + other.averaged, self.open + other.open)


@dataclass(frozen=True)
class Story:
    """One member's, up to ``end`` on the monotonic clock."""

    name: str
    seen: Sequence[Seen]
    suffered: Sequence[Suffered]
    end: float

    def helped(self, since: float) -> float | None:
        """When its gradients were averaged with others' for the first time after that."""
        return next((each.at for each in self.seen if each.at > since and _helps(each)), None)

    @cached_property
    def well(self) -> list[Span]:
        """The times in which nothing was wrong with it: from its first help until the next fault."""
        begins = [0.0, *(each.ended or self.end for each in self.suffered)]
        ends = [*(each.began for each in self.suffered), self.end]
        spans = [(self.helped(begin), end) for begin, end in zip(begins, ends, strict=True)]
        return [(begin, end) for begin, end in spans if begin is not None and begin < end]

    def healings(self) -> Iterator[tuple[Kind, float]]:
        """The seconds from a fault's end until it helped, of those that the next one did not come before."""
        for suffered in self.suffered:
            for begin, _ in self.well:
                over = suffered.ended or self.end
                if over < begin and not any(over <= each.began < begin for each in self.suffered):
                    yield suffered.kind, begin - over

    def was_well(self, since: float, until: float) -> bool:
        """All that time."""
        return any(begin <= since and until <= end for begin, end in self.well)

    @property
    def longest_stall(self) -> float:
        """The longest time that its loop stood still while nothing was wrong with itself, in seconds."""
        return max((stall for _, stall in self.stalls()), default=0.0)

    def stalls(self) -> Iterator[tuple[float, float]]:
        """When its loop had stood still, and for how long, while nothing was wrong with itself."""
        for each in self.seen:
            if isinstance(each.event, Progress):
                stall = each.event.stalled_seconds
                if self.was_well(each.at - stall, each.at):
                    yield each.at, stall

    @property
    def samples(self) -> Samples:
        """Of all its workers together."""
        workers = list(_workers(self.seen))
        sums = [_samples_of(worker, is_last=worker is workers[-1]) for worker in workers]
        return sum(sums, Samples())

    def unexplained(self) -> list[str]:
        """Whatever failed, or was worth a warning, without a fault that explains it."""
        return [
            f"{self.name}: {each.event}"
            for each in self.seen
            if isinstance(each.event, _TROUBLES) and not self._is_explained(each.at, each.event.problem)
        ]

    def new_tries(self) -> list[str]:
        """Why its workers ended though nothing was broken, for another to begin anew."""
        failed = [each.event for each in self.seen if isinstance(each.event, Failed)]
        return [each.problem for each in failed if ErrorKind.from_key(each.problem) in TRIES_AGAIN]

    def _is_explained(self, at: float, key: str) -> bool:
        problem = ErrorKind.from_key(key)
        if problem is ErrorKind.GRADIENTS_STALE:  # advice: five peers on two cores may average for half of an epoch
            return True
        if problem is ErrorKind.NETWORK_CHANGED and at - self._last(at, Connected) <= FIRST_TEST_SECONDS:
            return True
        if problem in TRIES_AGAIN:
            return self._is_recovering(at, KINDS if problem is ErrorKind.NOBODY_ANSWERS else _CUTS)
        return problem in EXPLAINED and self._has_lost_a_part(at)

    def _is_recovering(self, at: float, kinds: Sequence[Kind]) -> bool:
        """Whether one of these faults of its own had begun by then, and it has not helped anybody since it ended."""
        begun = (each for each in self.suffered if each.kind in kinds and each.began <= at)
        return any((self.helped(each.ended or self.end) or self.end) >= at for each in begun)

    def _last(self, at: float, kind: type[Connected | Hello]) -> float:
        """When the worker that lived at that time was connected, or had begun, of which ``kind`` tells."""
        return max((each.at for each in self.seen if isinstance(each.event, kind) and each.at <= at), default=0.0)

    def _has_lost_a_part(self, at: float) -> bool:
        """Since it was well, or since this worker was born, which may yet have ended the round it was in."""
        well_until = max((end for begin, end in self.well if begin <= at), default=0.0)
        since = min(well_until, self._last(at, Hello))
        return any(each.kind in _LOST_PARTS and since <= each.began <= at for each in self.suffered)


def _helps(seen: Seen) -> bool:
    return isinstance(seen.event, RoundFinished) and gave(seen.event)


def _workers(seen: Sequence[Seen]) -> Iterator[list[Seen]]:
    """The events of one worker after the other."""
    worker: list[Seen] = []
    for each in seen:
        if isinstance(each.event, Hello) and worker:
            yield worker
            worker = []
        worker.append(each)
    if worker:
        yield worker


def _samples_of(worker: Sequence[Seen], *, is_last: bool) -> Samples:
    by_epoch: Counter[int] = Counter()
    epoch = told = 0
    for each in worker:
        if isinstance(each.event, Progress):
            by_epoch[epoch or each.event.epoch] += each.event.contributed_samples - told
            epoch, told = each.event.epoch, each.event.contributed_samples
    good = {each.event.epoch for each in worker if isinstance(each.event, RoundFinished) and _helps(each)}
    return Samples(
        given=told,
        averaged=sum(samples for number, samples in by_epoch.items() if number in good),
        open=by_epoch[epoch] if is_last and epoch not in good else 0,
    )
