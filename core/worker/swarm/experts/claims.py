"""Which hosts answer for the experts that they announce: one that does not keeps no other host from them.

Each host finds that out by itself, and believes nobody's word: it has others compute a token now and then. A host that
computes such tokens and refuses those of trainers is not found out.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from core.worker.experts.block import ExpertId
from core.worker.swarm.experts.announcements import Hosted
from core.worker.swarm.experts.messages import Refusal

CHECK_SECONDS = 5.0  # between two checks, of some hosts each
MOST_CHECKED = 4  # hosts at a time: 48 tokens a minute, however many announce experts
RETRY_SECONDS = 20.0  # until a host that has not answered is asked again, and up to half as long again
ANSWERED_SECONDS = 300.0  # the same, of one that has answered
TRIES = 6  # without an answer, which take nearly two minutes at least
BUSY_SECONDS = 600.0  # since its last answer, in which a host may refuse because it is asked too much
FORGOTTEN_SECONDS = 600.0  # since a host was announced last
TRIAL_SECONDS = 300.0  # in which a trainer is to come for an expert that another host still announces
LEFT_SECONDS = 900.0  # for which it is left to that one else

Unanswered = Mapping[str, Collection[ExpertId]]
"""The experts for which each peer does not answer, although it announces them."""
ALL_ANSWERED: Unanswered = {}


@dataclass
class _Claimant:
    """A peer that announces experts, when it is asked next, and how it has answered so far."""

    check_at: float
    seen_at: float = 0.0
    experts: Collection[ExpertId] = ()
    failures: int = 0  # since its last answer
    answered_at: float = -math.inf


class Claims:
    """Whom a host asks for a token, and what it believes of what others announce; the clock counts sleep.

    ``chance`` is a number from 0 to less than 1, another one each time, so that hosts do not ask one all together.
    """

    def __init__(self, clock: Callable[[], float], chance: Callable[[], float] = random.random) -> None:
        self._clock, self._chance = clock, chance
        self._announced: Mapping[str, Hosted] = {}  # as it was seen last
        self._claimants: dict[str, _Claimant] = {}

    def due(self) -> list[tuple[str, ExpertId]]:
        """The peers that are to be asked now, each with one of the experts that it announces."""
        now = self._clock()
        claiming = {peer: tuple(hosted.experts) for peer, hosted in self._announced.items() if hosted.experts}
        new = {peer: _Claimant(now + RETRY_SECONDS * self._chance()) for peer in claiming}
        known = new | self._claimants
        for peer, experts in claiming.items():
            known[peer].seen_at, known[peer].experts = now, experts
        known = {peer: each for peer, each in known.items() if now - each.seen_at < FORGOTTEN_SECONDS}
        self._claimants = known  # at once, for a thread that looks meanwhile
        due = sorted((known[peer].check_at, peer) for peer in claiming if known[peer].check_at <= now)
        chosen = ((peer, claiming[peer]) for _at, peer in due[:MOST_CHECKED])
        return [(peer, experts[int(len(experts) * self._chance())]) for peer, experts in chosen]

    def heard(self, peer: str, refusal: Refusal | None) -> None:
        """Why that peer refuses a token, empty if it has computed it; ``None`` if it answers nothing that can be.

        Who has answered lately is believed to be asked too much if it says so.
        """
        if (claimant := self._claimants.get(peer)) is None:
            return
        now, has_answered = self._clock(), refusal == ""
        claimant.check_at = now + (1 + self._chance() / 2) * (ANSWERED_SECONDS if has_answered else RETRY_SECONDS)
        if has_answered:
            claimant.failures, claimant.answered_at = 0, now
        elif refusal != "too many" or now - claimant.answered_at >= BUSY_SECONDS:
            claimant.failures += 1

    def believed(self, announced: Mapping[str, Hosted]) -> dict[str, Hosted]:
        """What counts of what others announce now: nothing of who has not answered in so many tries, and else all.

        Who takes new names for the experts of such a one gains no time: a host that has not answered yet is not
        believed to have these.
        """
        self._announced, known = announced, self._claimants
        silent = {peer for peer, each in known.items() if each.failures >= TRIES}
        doubted = {expert for peer in silent for expert in known[peer].experts}
        believed = dict[str, Hosted]()
        for peer, hosted in announced.items():
            if peer in known and known[peer].answered_at > -math.inf and peer not in silent:
                believed[peer] = hosted
            elif peer not in silent:
                believed[peer] = replace(hosted, experts=_without(hosted.experts, doubted))
        return believed


class Takeovers:
    """The experts that a host has taken over from others which announce them and do not answer.

    It gives one back to an earlier host that answers again before its announcement has lapsed. Where no trainer comes,
    they may reach the earlier host, and we do not: it is left to that one for a while. The clock counts sleep.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._taken: dict[ExpertId, tuple[set[str], float]] = {}  # from whom, and when
        self._left_at: dict[ExpertId, float] = {}

    def take(self, expert: ExpertId, unanswered: Unanswered) -> None:
        """That expert is taken, from whoever announces it, if anybody does."""
        self._taken[expert] = {peer for peer, experts in unanswered.items() if expert in experts}, self._clock()

    def ended(
        self,
        trained: Mapping[ExpertId, int],
        others: Mapping[str, Hosted],
        unanswered: Unanswered,
        was_absent: bool,
    ) -> set[ExpertId]:
        """Which of ours are others' again; ``trained`` are the tokens with which each of ours was trained here.

        Who ``was_absent`` does not know yet whether those answer who announce them now: it may take them anew.
        """
        now, there = self._clock(), others.keys() | unanswered.keys()
        self._taken = {each: (peers & there, at) for each, (peers, at) in self._taken.items() if each in trained}
        back, in_vain = set[ExpertId](), set[ExpertId]()
        for expert, (peers, at) in self._taken.items():
            if any(peer in others and expert in others[peer].experts for peer in peers):
                back.add(expert)
            elif not trained[expert] and now - at >= TRIAL_SECONDS:
                in_vain |= {expert for peer in peers if expert in unanswered.get(peer, ())}
        self._left_at |= dict.fromkeys(in_vain, now)
        announced = set[ExpertId]().union(*unanswered.values()) if was_absent else set[ExpertId]()
        return back | in_vain | (announced & trained.keys())

    def left(self, unanswered: Unanswered) -> set[ExpertId]:
        """The experts that are left to hosts which do not answer us."""
        now, announced = self._clock(), set[ExpertId]().union(*unanswered.values())
        return {each for each in announced if now - self._left_at.get(each, -math.inf) < LEFT_SECONDS}


def unanswered(announced: Mapping[str, Hosted], believed: Mapping[str, Hosted]) -> Unanswered:
    """The experts of which each peer is not believed to answer for them."""
    return {
        peer: _without(hosted.experts, believed[peer].experts if peer in believed else ())
        for peer, hosted in announced.items()
    }


def _without(experts: Mapping[ExpertId, int], others: Collection[ExpertId]) -> dict[ExpertId, int]:
    return {expert: steps for expert, steps in experts.items() if expert not in others}
