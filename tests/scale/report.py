"""The tables and curves of the simulation, for the terminal and for the organiser's guide."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from statistics import mean, median

from core.files.documents import FOLDER
from installer.docs.markdown import table
from tests.experiments.report import PICTURES, save_figure
from tests.scale.calibration import Compared
from tests.scale.swarm import Outcome
from tests.scale.world import MAX_GROUP, MOST_REPORTS, World

DOCUMENT, REGION = FOLDER / "organiser-guide.md", "scale"
PICTURE = PICTURES / "scale.svg"
CAPTION = "By the number of volunteers: rounds whole and utilisation, and what the keeper sends"
SHOWN = f"![{CAPTION}](../pictures/experiments/{PICTURE.name})"

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


def draw(results: Sequence[tuple[World, Outcome, float]], path: Path) -> None:
    """By the number of volunteers, side by side: shares of rounds and of time, and the keeper's line; as an SVG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.8), layout="constrained")
    shares, line = figure.subplots(1, 2)
    for number, (mode, group) in enumerate(groupby(results, key=lambda each: each[0].mode)):
        worlds, outcomes, hours = zip(*group, strict=True)
        volunteers, colour = [world.volunteers for world in worlds], f"C{number}"
        curves = (
            (shares, "utilisation", "-o", [100 * outcome.utilisation for outcome in outcomes]),
            (shares, "rounds whole", ":s", [100 * outcome.whole_share for outcome in outcomes]),
            (line, "keeper, mean", "-o", [_keeper_mean(*each) / 1e6 for each in zip(outcomes, hours, strict=True)]),
            (line, "keeper, most", ":s", [outcome.keeper_peak / 1e6 for outcome in outcomes]),
        )
        for axes, name, style, values in curves:
            axes.plot(volunteers, values, style, color=colour, label=f"{mode}: {name}")
    shares.set(xlabel="volunteers", ylabel="%", xscale="log", ylim=(-3, 103))
    line.set(xlabel="volunteers", ylabel="Mbit/s that the keeper sends", xscale="log", ylim=(0, None))
    sizes = sorted({world.volunteers for world, _, _ in results})
    for axes in (shares, line):
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
    figure.legend(loc="outside lower center", ncols=4, columnspacing=1.2, handlelength=1.6, frameon=False)
    save_figure(figure, path)


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
    sent = _keeper_mean(outcome, hours)
    return (
        f"`{world.mode}`",
        f"{world.volunteers:,}",
        f"{median(outcome.joining_seconds):.0f} s" if outcome.joining_seconds else "–",
        _mbits(sent),
        _mbits(outcome.keeper_peak),
        f"{_mbits(world.holder_upload)}{' **no room**' if world.volunteers > MOST_REPORTS else ''}",
    )


def _keeper_mean(outcome: Outcome, hours: float) -> float:
    """Bits per second that the keeper has sent in these hours."""
    return outcome.keeper_bytes * 8 / (hours * 3600)


def calibration_table(compared: Sequence[Compared]) -> str:
    """What was measured beside what is simulated."""
    return table(("measured with real peers", "measured", "simulated"), [_compared(each) for each in compared])


def _compared(each: Compared) -> tuple[str, str, str]:
    measured = f"{each.least:g}" if each.least == each.most else f"{each.least:g} to {each.most:g}"
    return each.what, measured, f"{each.simulated:.3g}"


def _mbits(bits_per_second: float) -> str:
    return f"{bits_per_second / 1e6:,.3g} Mbit/s" if bits_per_second < 1e9 else f"{bits_per_second / 1e9:.2g} Gbit/s"
