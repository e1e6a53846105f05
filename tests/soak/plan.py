"""What goes wrong in one soak, when and to whom: drawn by lot, and the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal[
    "pause", "worker killed", "p2pd killed", "dht killed", "averager killed", "client killed", "power cut",
    "line cut", "sleep",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
SECONDS: dict[Kind, tuple[float, float]] = {
    "pause": (5.0, 40.0),
    "client killed": (0.0, 20.0),
    "power cut": (0.0, 40.0),
    "line cut": (5.0, 40.0),
    "sleep": (5.0, 40.0),
}
"""How long it lasts at least and at most: until it comes back, the line is mended, or it wakes up.
A client starts a killed worker again by itself, and that is not for us to say when."""

ARRIVING_SECONDS = 20.0  # in which all volunteers join
SETTLING_SECONDS = 20.0  # after the last has joined, before the first fault
EVERY_SECONDS = 12.0  # something happens to somebody, on average
REST_SECONDS = 20.0  # from the end of one fault until the same volunteer may have the next: not healed, perhaps
CALM_SECONDS = 30.0  # at the end


@dataclass(frozen=True)
class Fault:
    """Something that happens to a volunteer, at a time in seconds since the soak has begun."""

    at: float
    volunteer: int
    kind: Kind
    seconds: float

    @property
    def end(self) -> float:
        """When it is over, and the volunteer may help again."""
        return self.at + self.seconds


@dataclass(frozen=True)
class Plan:
    """``arrivals`` are when the volunteers join, one each; ``seconds`` is the length of the whole."""

    seconds: float
    arrivals: tuple[float, ...]
    faults: tuple[Fault, ...]


def plan_of(seed: int, volunteers: int, seconds: float, kinds: Sequence[Kind] = KINDS) -> Plan:
    """The plan of that seed; every kind has its turn before one has its second."""
    lot = random.Random(seed)
    arrivals = tuple(sorted(lot.uniform(0.0, ARRIVING_SECONDS) for _ in range(volunteers)))
    free_at = [arrival + SETTLING_SECONDS for arrival in arrivals]
    deck: list[Kind] = []
    faults: list[Fault] = []
    now = ARRIVING_SECONDS + SETTLING_SECONDS
    while (now := now + lot.uniform(0.5, 1.5) * EVERY_SECONDS) < seconds - CALM_SECONDS:
        free = [volunteer for volunteer in range(volunteers) if free_at[volunteer] <= now]
        if not free:
            continue
        deck = deck or lot.sample(list(kinds), len(kinds))
        kind = deck.pop()
        longest = seconds - CALM_SECONDS - now
        fault = Fault(now, lot.choice(free), kind, min(longest, lot.uniform(*SECONDS.get(kind, (0.0, 0.0)))))
        free_at[fault.volunteer] = fault.end + REST_SECONDS
        faults.append(fault)
    return Plan(seconds, arrivals, tuple(faults))
