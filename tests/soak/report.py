"""The table at the end of a soak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.table import Table

from core.protocol.events import Evaluated, RoundFinished
from tests.soak.plan import KINDS, Kind
from tests.soak.resource_usage import Watched
from tests.soak.soak import Outcome
from tests.soak.timeline import Samples
from tests.support.real_peers import averaged

PROCESSES = ("client", "worker", "dht", "averager", "p2pd")
WIDTH_IN_A_FILE = 130
MIB = 2**20

Row = tuple[str, str]


@dataclass(frozen=True)
class Rounds:
    """The organiser's rounds of gradients or changes while anybody was well: with all of them, some of them, nobody."""

    whole: int
    partial: int
    alone: int


def rounds_of(outcome: Outcome) -> Rounds:
    """Who was not well all the time that a round took may be missing in it."""
    organiser, *volunteers = outcome.stories
    counts = [0, 0, 0]
    for each in organiser.seen:
        event = each.event
        if not isinstance(event, RoundFinished) or event.kind == "state" or each.at > organiser.end:
            continue
        well = sum(story.was_well(each.at - event.seconds, each.at) for story in volunteers)
        if well:
            counts[2 if not averaged(event) else int(event.peers <= well)] += 1
    return Rounds(*counts)


def epochs_by_quarters(outcome: Outcome) -> list[int]:
    """How far the organiser was when each quarter of the time was over."""
    organiser = outcome.stories[0]
    epochs = [(each.at, each.event.epoch) for each in organiser.seen if isinstance(each.event, Evaluated)]
    quarters = [organiser.end - outcome.seconds * (1 - part / 4) for part in range(1, 5)]
    return [max((epoch for at, epoch in epochs if at <= quarter), default=0) for quarter in quarters]


def rows_of(outcome: Outcome) -> Iterator[Row]:
    """What there is to tell, one line each."""
    volunteers = outcome.stories[1:]
    kinds = [each.kind for story in volunteers for each in story.suffered]
    yield "length", f"{outcome.seconds / 60:.1f} minutes, {len(volunteers)} volunteers and an organiser"
    yield "faults", ", ".join(f"{kinds.count(kind)} × {kind}" for kind in KINDS if kind in kinds) or "none"
    if outcome.not_done:
        yield "for which there was no time", ", ".join(fault.kind for fault in outcome.not_done)
    yield "epochs done", str(epochs_by_quarters(outcome)[-1])
    samples = sum((story.samples for story in outcome.stories), Samples())
    yield "samples computed", f"{samples.given:,}"
    yield "of these lost", f"{samples.lost:,} ({samples.lost / max(1, samples.given):.1%})"
    rounds = rounds_of(outcome)
    yield "rounds with everyone who was well", str(rounds.whole)
    yield "with some of them, with nobody", f"{rounds.partial}, {rounds.alone}"
    if (roots := outcome.roots).share is not None:
        yield "rounds with equal base weights", f"{roots.equal}, repaired {roots.repaired}, unequal {roots.unrepaired}"
    stalls = sorted(((story.longest_stall, story.name) for story in outcome.stories), reverse=True)
    yield "longest stall of who was well", f"{stalls[0][0]:.1f} s ({stalls[0][1]})"
    for fault, seconds in healings(outcome).items():
        longest = f" (longest {max(seconds):.0f} s)" if len(seconds) > 1 else ""
        yield f"helped again after: {fault}", f"{median(seconds):.0f} s{longest}"
    tried_again = Counter(problem for story in outcome.stories for problem in story.new_tries())
    yield "tried again by themselves", ", ".join(f"{n} × {why}" for why, n in tried_again.items()) or "never"
    yield "left over", ", ".join(outcome.left_over) or "nothing"
    for kind in PROCESSES:
        yield f"memory and descriptors: {kind}", " · ".join(_growth(outcome, kind))
    for trouble in troubles_of(outcome):
        yield "not explained", trouble


def healings(outcome: Outcome) -> dict[Kind, list[float]]:
    """How long each took, from its fault's end, to help again; without those that had the next one before."""
    seconds: dict[Kind, list[float]] = {}
    for story in outcome.stories:
        for kind, healed_after in story.healings():
            seconds.setdefault(kind, []).append(healed_after)
    return seconds


def troubles_of(outcome: Outcome) -> list[str]:
    """Whatever has happened that no fault explains."""
    return [*outcome.surprises, *(each for story in outcome.stories for each in story.unexplained())]


def _growth(outcome: Outcome, kind: str) -> Iterator[str]:
    """Of the organiser's, and of the volunteers' process that has grown fastest."""
    for mine in outcome.census.of(kind, outcome.marks[0])[:1]:
        yield f"organiser's {_told(mine)}"
    others = outcome.census.of(kind, [mark for marks in outcome.marks[1:] for mark in marks])
    if others:
        yield f"fastest of the {len(others)} others {_told(max(others, key=_growth_a_minute))}"


def _growth_a_minute(watched: Watched) -> float:
    first, *_, last = watched.grown_up
    return (last.memory_bytes - first.memory_bytes) / watched.seconds


def _told(watched: Watched) -> str:
    first, *_, last = watched.grown_up
    memory = f"{first.memory_bytes / MIB:.0f} → {last.memory_bytes / MIB:.0f} MiB"
    return f"{memory}, {first.descriptors} → {last.descriptors} open in {watched.seconds / 60:.1f} min"


def show(outcome: Outcome, title: str) -> None:
    """Print it, as wide as the terminal."""
    table = Table("what", "seen", title=title, title_justify="left", show_lines=True)
    for what, seen in rows_of(outcome):
        table.add_row(what, seen, style="red" if what == "not explained" else "")
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH_IN_A_FILE
    console.print(table)
