"""What the client is told of a run's experts: who answers for each, how much they do, and how this peer fares."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from core.protocol.experts import MAX_LATENCY_SECONDS, MAX_RATE, MOST_EXPERTS, ExpertSeen, ExpertsSeen
from core.worker.experts.block import ExpertId
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.hosting.rates import WindowedCounts
from core.worker.swarm import AskedTokens, ExpertStanding

WINDOW_SECONDS = 30.0


class ExpertKnowledge(Protocol):
    """What an `ExpertCaller` knows of its requests and of each expert."""

    @property
    def asked(self) -> AskedTokens: ...

    def standing(self, expert: ExpertId) -> ExpertStanding: ...


class ExpertReport:
    """Makes the event `ExpertsSeen` of what is counted at that moment, and of what was counted half a minute ago.

    ``here`` are the experts that this peer hosts; of more than an event can tell, they come first.
    """

    def __init__(
        self,
        experts: Sequence[ExpertId],
        caller: ExpertKnowledge,
        here: Mapping[ExpertId, HostedExpert],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._experts, self._caller, self._here = tuple(experts), caller, here
        self._trained = WindowedCounts[tuple[str, ExpertId]](WINDOW_SECONDS, clock)
        self._computed = WindowedCounts[ExpertId](WINDOW_SECONDS, clock)
        self._asked = WindowedCounts[str](WINDOW_SECONDS, clock)

    def event(self) -> ExpertsSeen:
        """What is so now; to be asked for about every two seconds."""
        here = {expert: held.computed_tokens for expert, held in list(self._here.items())}
        told = self._told(here)
        asked, standings = self._caller.asked, {expert: self._caller.standing(expert) for expert in told}
        self._asked.see({"sent": asked.sent, "answered": asked.answered})
        self._computed.see(here)
        self._trained.see({(each.host, expert): each.tokens for expert, each in standings.items() if each.host})
        sent = self._asked.growth("sent")
        return ExpertsSeen(
            experts=tuple(self._seen(expert, each) for expert, each in standings.items()),
            sent_tokens_per_second=self._asked.rate("sent"),
            received_tokens_per_second=sum(self._computed.rate(expert) or 0.0 for expert in here),
            found_share=min(1.0, self._asked.growth("answered") / sent) if sent else None,
            untold=len(self._experts) - len(told),
        )

    def _told(self, here: Collection[ExpertId]) -> list[ExpertId]:
        """As many as an event can tell of, by layer and number."""
        return sorted(sorted(self._experts, key=lambda expert: (expert not in here, expert))[:MOST_EXPERTS])

    def _seen(self, expert: ExpertId, standing: ExpertStanding) -> ExpertSeen:
        return ExpertSeen(
            layer=expert.layer,
            number=expert.number,
            host=standing.host,
            is_mine=standing.is_own,
            tokens_per_second=_at_most(MAX_RATE, self._trained.rate((standing.host, expert))),
            tokens=standing.tokens,
            steps=standing.steps,
            latency_seconds=_at_most(MAX_LATENCY_SECONDS, standing.latency),
        )


def _at_most(most: float, figure: float | None) -> float | None:
    """That figure within the bounds of the event, whatever a stranger has announced."""
    return None if figure is None else min(figure, most)
