"""What an attack may cost the honest members at the most, and which attack has cost more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.attacks.swarm_attacks import NOBODY_LIES, WHAT, Cost, Mode, SwarmSize, cells
from tests.support.peers.learning_rows import NAMED_WITHIN, Lie

MOST_LOSS = 1.10  # times that of the swarm in which nobody lies
LONGEST_STALL = 5.0  # seconds
LEAST_WHOLE = 0.90  # of the rounds

FALSE_CLAIMS: tuple[Lie, ...] = ("ahead", "untrained", "samples", "gather")  # whoever tells them trains like any other
STOPPING: tuple[Lie, ...] = (*FALSE_CLAIMS, "shape", "short")  # that nobody may stand still for
GROSS: dict[Mode, tuple[Lie, ...]] = {
    "gradients": ("huge", "flipped", "zero", "reducer", "shape"),
    "local-sgd": ("huge", "flipped", "zero", "reducer", "nan", "short"),
}


class Attack(NamedTuple):
    """A line of the table, and what that attack has missed of the limits."""

    line: tuple[str, ...]
    missed: tuple[str, ...]


def judged(mode: Mode, costs: Mapping[str, Cost], size: SwarmSize) -> list[Attack]:
    """What those swarms of a mode have cost, by the lie, beside the one in which nobody lies, which is among them."""
    honest = costs[NOBODY_LIES]
    return [
        Attack(cells(WHAT.get(lie, lie), mode, cost, honest, size), missed(lie, mode, cost, honest, size))
        for lie, cost in costs.items()
    ]


def missed(lie: str, mode: Mode, cost: Cost, honest: Cost, size: SwarmSize) -> tuple[str, ...]:
    """What a swarm with that lie has missed of the limits, in words; ``honest`` is what one without any has cost."""
    found = [*cost.lost]
    if lie not in FALSE_CLAIMS and not cost.loss <= MOST_LOSS * honest.loss:
        found.append(f"the loss is {cost.loss / honest.loss:.3f} times the honest one, at most {MOST_LOSS:.2f}")
    if lie in STOPPING and cost.stalled > LONGEST_STALL:
        found.append(f"an honest member stood still for {cost.stalled:.1f} s, at most {LONGEST_STALL:.0f} s")
    if lie in STOPPING and cost.whole < LEAST_WHOLE:
        found.append(f"{cost.whole:.1%} of the rounds were whole, at least {LEAST_WHOLE:.0%}")
    if lie in GROSS[mode] and (cost.named_after is None or cost.named_after > NAMED_WITHIN):
        after = "never" if cost.named_after is None else f"in exchange {cost.named_after}"
        found.append(f"the last of the liars was named {after}, at most in exchange {NAMED_WITHIN}")
    if any(member < size.honest for member in cost.named):
        found.append("an honest member was named")
    return tuple(found)
