"""The tables of the simulation, for the terminal and for the organiser's guide."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median

from core.files.documents import FOLDER
from installer.docs.markdown import table
from tests.scale.calibration import Compared
from tests.scale.swarm import Outcome
from tests.scale.world import MAX_GROUP, MOST_REPORTS, World

DOCUMENT, REGION = FOLDER / "organiser-guide.md", "scale"

_WORK = (
    "mode",
    "volunteers",
    "groups of a round",
    "rounds whole",
    "parts lost",
    "utilisation",
    "exchange",
)
_LINES = (
    "mode",
    "volunteers",
    "a newcomer's state",
    "keeper sends: mean",
    "most",
    "a holder of progress reports sends",
)


def as_markdown(results: Sequence[tuple[World, Outcome, float]]) -> str:
    """Two tables with a row for each swarm: what becomes of its work, and what its lines carry.

    Each result is a swarm, its outcome and the hours that were simulated.
    """
    work = table(_WORK, [_work_row(world, outcome) for world, outcome, _ in results])
    lines = table(_LINES, [_lines_row(*result) for result in results])
    return f"{work}\n\n{lines}"


def _work_row(world: World, outcome: Outcome) -> tuple[str, ...]:
    return (
        f"`{world.mode}`",
        f"{world.volunteers:,}",
        str(-(-(world.volunteers + 1) // MAX_GROUP)),
        f"{outcome.whole_share:.0%}",
        f"{outcome.lost_share:.1%}",
        f"{outcome.utilisation:.1%}",
        f"{mean(outcome.exchange_seconds):.0f} s",
    )


def _lines_row(world: World, outcome: Outcome, hours: float) -> tuple[str, ...]:
    sent = outcome.keeper_bytes * 8 / (hours * 3600)
    return (
        f"`{world.mode}`",
        f"{world.volunteers:,}",
        f"{median(outcome.joining_seconds):.0f} s" if outcome.joining_seconds else "–",
        _mbits(sent),
        _mbits(outcome.keeper_peak),
        f"{_mbits(world.holder_upload)}{' **no room**' if world.volunteers > MOST_REPORTS else ''}",
    )


def calibration_table(compared: Sequence[Compared]) -> str:
    """What was measured beside what is simulated."""
    return table(("measured with real peers", "measured", "simulated"), [_compared(each) for each in compared])


def _compared(each: Compared) -> tuple[str, str, str]:
    measured = f"{each.least:g}" if each.least == each.most else f"{each.least:g} to {each.most:g}"
    return each.what, measured, f"{each.simulated:.3g}"


def _mbits(bits_per_second: float) -> str:
    return f"{bits_per_second / 1e6:,.3g} Mbit/s" if bits_per_second < 1e9 else f"{bits_per_second / 1e9:.2g} Gbit/s"
