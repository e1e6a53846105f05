"""The tables of the simulation, for the terminal and for the organiser's guide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, median

from core.files.documents import FOLDER
from installer.docs.markdown import table
from tests.scale.calibration import Compared
from tests.scale.swarm import Outcome
from tests.scale.world import MAX_GROUP, MOST_REPORTS, World

DOCUMENT, REGION = FOLDER / "organiser-guide.md", "scale"

_HEADINGS = (
    "mode",
    "volunteers",
    "groups of a round",
    "rounds whole",
    "parts lost",
    "utilisation",
    "matchmaking",
    "exchange",
    "a newcomer's state",
    "keeper sends: mean / most",
    "a holder of progress reports sends",
)


def as_markdown(results: Iterable[tuple[World, Outcome, float]]) -> str:
    """A row for each swarm, its outcome and the hours that were simulated."""
    return table(_HEADINGS, [_row(*result) for result in results])


def _row(world: World, outcome: Outcome, hours: float) -> tuple[str, ...]:
    sent = outcome.keeper_bytes * 8 / (hours * 3600)
    reports = f"{_mbits(world.holder_upload)}{' **no room**' if world.volunteers > MOST_REPORTS else ''}"
    return (
        f"`{world.mode}`",
        f"{world.volunteers:,}",
        str(-(-(world.volunteers + 1) // MAX_GROUP)),
        f"{outcome.whole_share:.0%}",
        f"{outcome.lost_share:.1%}",
        f"{outcome.utilisation:.1%}",
        f"{mean(outcome.matchmaking_seconds):.0f} s",
        f"{mean(outcome.exchange_seconds):.0f} s",
        f"{median(outcome.joining_seconds):.0f} s" if outcome.joining_seconds else "–",
        f"{_mbits(sent)} / {_mbits(outcome.keeper_peak)}",
        reports,
    )


def calibration_table(compared: Sequence[Compared]) -> str:
    """What was measured beside what is simulated."""
    return table(("measured with real peers", "measured", "simulated"), [_compared(each) for each in compared])


def _compared(each: Compared) -> tuple[str, str, str]:
    measured = f"{each.least:g}" if each.least == each.most else f"{each.least:g} to {each.most:g}"
    return each.what, measured, f"{each.simulated:.3g}"


def _mbits(bits_per_second: float) -> str:
    return f"{bits_per_second / 1e6:,.3g} Mbit/s" if bits_per_second < 1e9 else f"{bits_per_second / 1e9:.2g} Gbit/s"
