"""Which host answers for which expert: each decides by itself, from what all announce, and they agree.

Who is to take an expert that nobody answers for follows from highest random weight hashing (Thaler and Ravishankar,
1998): all hosts rank themselves in the same order, another one for each expert, and the second waits longer than the
first. So a crowd that arrives at once shares the experts evenly, and few change their host when one leaves.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.worker.experts.block import ExpertId
from core.worker.swarm.experts.announcements import LIFETIME_SECONDS, Hosted
from core.worker.swarm.experts.claims import ALL_ANSWERED, Takeovers, Unanswered

PATIENCE_SECONDS = 3.0  # for each host that is ranked before us to take an expert
SETTLING_SECONDS = 30.0  # in which two that took one expert at the same moment hear of each other
CUT_OFF_SECONDS = 10.0  # since we see nobody: when others' announcements have lapsed here, so has ours there
FULL_SECONDS = 600.0  # until a host is offered an expert again that has not taken one which we gave away


@dataclass(frozen=True)
class Held:
    """An expert that a host answers for: its optimizer steps, and the tokens it was trained with since it is here."""

    steps: int
    trained_tokens: int


@dataclass(frozen=True)
class Changes:
    """What a host does next: answer for experts, or no longer."""

    take: tuple[ExpertId, ...] = ()
    drop: tuple[ExpertId, ...] = ()


class Absence:
    """Finds out when one of ours has ended in which others may have taken our experts over; the clock counts sleep.

    A computer that sleeps announces nothing for longer than an announcement lasts. One that is cut off sees none of the
    hosts that it has seen before, and meanwhile nobody trains an expert there: else a host that is away for a moment
    could have us leave experts to it.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._announced_at, self._was_silent = clock(), False
        self._alone_since, self._is_cut_off = math.inf, False  # when there was no host first, and nobody trained here
        self._known: frozenset[str] = frozenset()
        self._tokens: dict[ExpertId, int] = {}

    def announced(self) -> None:
        """We announce what we answer for."""
        self._was_silent |= self._is_silent
        self._announced_at = self._clock()

    def has_ended(self, others: Mapping[str, Hosted], mine: Mapping[ExpertId, Held]) -> bool:
        """Whether one has, now that we see ``others``; to be asked at every look."""
        now = self._clock()
        is_trained = any(held.trained_tokens > self._tokens.get(expert, 0) for expert, held in mine.items())
        self._tokens = {expert: held.trained_tokens for expert, held in mine.items()}
        if not others:
            self._alone_since = now if is_trained else min(self._alone_since, now)
            self._is_cut_off = now - self._alone_since >= CUT_OFF_SECONDS
            return False
        was_cut_off = self._is_cut_off and not self._known.isdisjoint(others)
        was_silent = self._was_silent or self._is_silent
        self._was_silent, self._is_cut_off, self._alone_since = False, False, math.inf
        self._known = frozenset(others)
        return was_silent or was_cut_off

    @property
    def _is_silent(self) -> bool:
        return self._clock() - self._announced_at > LIFETIME_SECONDS


class Assignment:
    """One host's decisions: of the ``wanted`` experts of a run it answers for so many at the most."""

    def __init__(self, own: str, wanted: Sequence[ExpertId], capacity: int, clock: Callable[[], float]) -> None:
        self._own, self._wanted, self._capacity, self._clock = own, tuple(wanted), capacity, clock
        self._orphaned_at: dict[ExpertId, float] = {}
        self._taken_at: dict[ExpertId, float] = {}
        self._takeovers = Takeovers(clock)
        self._given: dict[ExpertId, tuple[str, ...]] = {}  # and to whom, as long as nobody has taken it
        self._full: dict[str, tuple[int, float]] = {}  # with so many experts, as seen at that time

    def changes(
        self,
        others: Mapping[str, Hosted],
        mine: Mapping[ExpertId, Held],
        copies: Mapping[ExpertId, int],
        was_absent: bool = False,
        unanswered: Unanswered = ALL_ANSWERED,
    ) -> Changes:
        """What to do, where ``mine`` are those that we answer for.

        ``copies`` are those of which we have the state, by its steps: who has the newest one is to take an expert. Of
        two that answer for one expert, one with which nobody has trained gives way to the other; where both have
        just taken it, the one with the larger peer id does. A host that has more than its share gives one away to
        another that has less, and has its state; where it has to take that one back, the other one is full. Who
        ``was_absent`` until now leaves to others what these have trained meanwhile; ``unanswered``: see `Takeovers`.
        """
        drop = self._dropped(others, mine, was_absent, unanswered)
        kept = mine.keys() - set(drop)
        served = kept.union(self._takeovers.left(unanswered), *(hosted.experts for hosted in others.values()))
        now, orphans = self._clock(), [each for each in self._wanted if each not in served]
        self._orphaned_at = {each: self._orphaned_at.get(each, now) for each in orphans}
        self._given = {each: peers for each, peers in self._given.items() if each in orphans}
        taken: list[ExpertId] = []
        for expert in orphans:
            have, waited = len(kept) + len(taken), now - self._orphaned_at[expert]
            if have < self._capacity and waited >= self._patience(expert, others, have, copies):
                taken.append(expert)
                self._taken_at[expert] = now
                self._takeovers.take(expert, unanswered)
                full = (peer for peer in self._given.get(expert, ()) if peer in others)
                self._full |= {peer: (len(others[peer].experts), now) for peer in full}
        released = () if orphans or drop else self._released(others, mine)
        return Changes(tuple(taken), drop + released)

    @property
    def orphans(self) -> Collection[ExpertId]:
        """The experts for which nobody has answered when they were looked at last."""
        return self._orphaned_at

    def _dropped(
        self, others: Mapping[str, Hosted], mine: Mapping[ExpertId, Held], was_absent: bool, unanswered: Unanswered
    ) -> tuple[ExpertId, ...]:
        """Those of ours that others are to have because they answer for them."""
        trained = {each: held.trained_tokens for each, held in mine.items()}
        ended = self._takeovers.ended(trained, others, unanswered, was_absent)
        gone = ended.union(each for each, held in mine.items() if self._gives_way(each, held, others, was_absent))
        return tuple(each for each in mine if each in gone)

    def _share(self, others: Mapping[str, Hosted]) -> int:
        """How many experts each host has where all have about the same number."""
        return math.ceil(len(self._wanted) / (1 + len(others)))

    def _released(self, others: Mapping[str, Hosted], mine: Mapping[ExpertId, Held]) -> tuple[ExpertId, ...]:
        """One of ours that another host is to have, or none."""
        share = self._share(others)
        if len(mine) <= share:
            return ()
        fewer = {peer: hosted for peer, hosted in others.items() if len(hosted.experts) < min(share, len(mine) - 1)}
        idle = {peer: hosted for peer, hosted in fewer.items() if not self._is_full(peer, hosted)}
        for each, held in mine.items():
            if ready := tuple(peer for peer, hosted in idle.items() if hosted.copies.get(each) or not held.steps):
                self._given[each] = ready
                return (each,)
        return ()

    def _is_full(self, peer: str, hosted: Hosted) -> bool:
        """Whether that host has lately taken none that it was given, with no more experts than it has now."""
        count, at = self._full.get(peer, (0, -math.inf))
        return len(hosted.experts) >= count and self._clock() - at < FULL_SECONDS

    def _gives_way(self, expert: ExpertId, held: Held, others: Mapping[str, Hosted], was_absent: bool) -> bool:
        """An expert that somebody has trained is worth more; of two untrained ones the smaller peer id stays.

        Once we have had it for a while, nobody can take an expert from us that was trained here, whatever it announces.
        After an absence we leave it to who has trained it meanwhile, or has no older state of it than ours.
        """
        rivals = [(peer, hosted.experts[expert]) for peer, hosted in others.items() if expert in hosted.experts]
        if was_absent:
            return any(steps >= max(1, held.steps) or others[peer].tokens.get(expert, 0) > 0 for peer, steps in rivals)
        if held.trained_tokens:
            is_settling = self._clock() - self._taken_at.get(expert, -math.inf) < SETTLING_SECONDS
            return is_settling and any(peer < self._own for peer, _ in rivals)
        return any(steps > 0 or peer < self._own for peer, steps in rivals)

    def _patience(
        self, expert: ExpertId, others: Mapping[str, Hosted], have: int, copies: Mapping[ExpertId, int]
    ) -> float:
        """How long to leave an expert to those who are ranked before us; a host that has its share is behind others."""
        share = self._share(others)
        counts = {peer: len(hosted.experts) for peer, hosted in others.items()} | {self._own: have}
        states = {peer: hosted.copies.get(expert, -1) for peer, hosted in others.items()}
        states[self._own] = copies.get(expert, -1)
        order = ranked(expert, counts)
        order.sort(key=lambda peer: (-states[peer], counts[peer] >= share))
        return PATIENCE_SECONDS * (1 + order.index(self._own))


def ranked(expert: ExpertId, hosts: Iterable[str]) -> list[str]:
    """Those peer ids in the order in which they are to have that expert, the same for everybody."""
    return sorted(hosts, key=lambda peer: hashlib.sha256(f"{expert.layer} {expert.number} {peer}".encode()).digest())
