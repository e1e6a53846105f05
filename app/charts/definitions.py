"""The graphs there are: which series each one draws, what it is called, and how its figures are written.

Units of the series: rates are samples a second, ``step``, ``accuracy`` and ``gpu_utilisation`` shares of one,
``sent_rate`` and ``received_rate`` bytes a second, ``gpu_memory`` bytes in use, ``gpu_temperature`` degrees Celsius,
``gpu_power`` watts, ``run_samples`` the samples of which the run has learned since it began.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from PySide6.QtCore import QCoreApplication

from app.charts.axis import count_ticks, time_label, time_ticks
from core.placeholders import fill_placeholders
from core.records.time_series import Series
from core.texts import figures

translate = QCoreApplication.translate  # lupdate knows it by this name only

Period = Literal["5min", "30min", "6h", "24h", "all"]
PERIODS: dict[Period, float | None] = {
    "5min": 300.0,
    "30min": 1800.0,
    "6h": 21600.0,
    "24h": 86400.0,
    "all": None,
}
USUAL_CURVES: tuple[Series, ...] = (
    "my_rate",
    "swarm_rate",
    "loss",
    "run_loss",
    "run_samples",
    "accuracy",
    "gpu_utilisation",
    "epoch",
    "peers",
    "sent_rate",
    "received_rate",
)


@dataclass(frozen=True)
class Graph:
    """One graph: its series, and how their values are written.

    Values that are further apart than ``bridge_seconds`` are not joined by a line. Along the horizontal axis is time,
    or the series ``along``, which stands for the graph where curves are chosen.
    """

    key: str
    series: tuple[Series, ...]
    figure: Callable[[float], str]
    starts_at_zero: bool = True
    ceiling: float | None = None
    is_whole: bool = False
    bridge_seconds: float = 30.0
    axis: Callable[[float], str] | None = None
    along: Series | None = None

    @property
    def choices(self) -> tuple[Series, ...]:
        """The series by which a person chooses it: each is a curve of its own, unless it is drawn against another."""
        return self.series if self.along is None else (self.along,)

    def ticks(self, begin: float, end: float, most: int) -> list[tuple[float, str]]:
        """At most about so many times along the horizontal axis, or half as many counts, and how they are written."""
        if self.along is None:
            return time_ticks(begin, end, most)
        return [(at, self.place(at)) for at in count_ticks(begin, end, max(3, most // 2))]

    def place(self, at: float) -> str:
        """A place of the horizontal axis as it is read out."""
        if self.along is None:
            return time_label(at, is_day=False)
        return fill_placeholders(translate("Graphs", "%1 samples"), _whole(at))

    def mark(self, value: float) -> str:
        """A value as it is written at the axis, where the title says the unit."""
        return (self.axis or self.figure)(value)


SWARM_SERIES = frozenset({"swarm_rate", "run_loss", "accuracy", "epoch", "step", "peers"})
"""What the whole swarm does; the rest is about this computer. The two are told apart by colour everywhere."""

SECOND_COLOUR = SWARM_SERIES | {"received_rate"}
"""The curves in the second colour: the swarm's, and of traffic what is received."""


def _whole(value: float) -> str:
    return figures.count(round(value))


def _degrees(value: float) -> str:
    return fill_placeholders(translate("Graphs", "%1 °C"), _whole(value))


def _watts(value: float) -> str:
    return fill_placeholders(translate("Graphs", "%1 W"), _whole(value))


_LOSS = Graph("loss", ("loss", "run_loss"), figures.loss, starts_at_zero=False, bridge_seconds=inf)
GRAPHS = (
    Graph("throughput", ("my_rate", "swarm_rate"), figures.rate, axis=figures.amount),
    _LOSS,
    replace(_LOSS, key="loss_by_samples", along="run_samples"),
    Graph("accuracy", ("accuracy",), figures.share, ceiling=1.0, bridge_seconds=inf),
    Graph("gpu_utilisation", ("gpu_utilisation",), figures.share, ceiling=1.0),
    Graph("epoch", ("epoch",), _whole, starts_at_zero=False, is_whole=True, bridge_seconds=600.0),
    Graph("step", ("step",), figures.share, ceiling=1.0),
    Graph("peers", ("peers",), _whole, is_whole=True),
    Graph("traffic", ("sent_rate", "received_rate"), figures.byte_rate, axis=figures.size),
    Graph("gpu_memory", ("gpu_memory",), figures.size),
    Graph("gpu_temperature", ("gpu_temperature",), _degrees, starts_at_zero=False),
    Graph("gpu_power", ("gpu_power",), _watts),
)


def title(graph: Graph) -> str:
    """The title above a graph."""
    return {
        "throughput": translate("Graphs", "Throughput"),
        "loss": translate("Graphs", "Loss"),
        "loss_by_samples": translate("Graphs", "Loss by samples of the run"),
        "accuracy": translate("Graphs", "Accuracy on unseen examples"),
        "gpu_utilisation": translate("Graphs", "GPU utilisation"),
        "epoch": translate("Graphs", "Epochs of the swarm"),
        "step": translate("Graphs", "Progress to the next step"),
        "peers": translate("Graphs", "Peers in the run"),
        "traffic": translate("Graphs", "Traffic per second"),
        "gpu_memory": translate("Graphs", "GPU memory in use"),
        "gpu_temperature": translate("Graphs", "GPU temperature"),
        "gpu_power": translate("Graphs", "GPU power"),
    }[graph.key]


def short_title(graph: Graph) -> str:
    """The title where there is room for few letters; what is along the axis is written there."""
    return title(graph) if graph.along is None else translate("Graphs", "Loss by samples")


def curve_title(series: Series) -> str:
    """The name of a curve in the menu where curves are chosen."""
    if series == "my_rate":
        return translate("Graphs", "Throughput: mine")
    if series == "swarm_rate":
        return translate("Graphs", "Throughput: swarm")
    if series == "loss":
        return translate("Graphs", "Loss: mine, in training")
    if series == "run_loss":
        return translate("Graphs", "Loss: the run’s, on unseen examples")
    if series == "sent_rate":
        return translate("Graphs", "Traffic: sent")
    if series == "received_rate":
        return translate("Graphs", "Traffic: received")
    return title(next(graph for graph in GRAPHS if series in graph.choices))


def legend(series: Series) -> str:
    """The word that tells the curves of one graph apart; empty where there is only one curve."""
    return {
        "my_rate": translate("Graphs", "mine"),
        "swarm_rate": translate("Graphs", "swarm"),
        "loss": translate("Graphs", "training"),
        "run_loss": translate("Graphs", "validation"),
        "sent_rate": translate("Graphs", "sent"),
        "received_rate": translate("Graphs", "received"),
    }.get(series, "")


def nothing_to_draw(graph: Graph) -> str:
    """The text in a graph that has no values yet."""
    if graph.key == "accuracy":
        return translate("Graphs", "No evaluation has come in yet")
    if graph.key.startswith("gpu_"):
        return translate("Graphs", "No NVIDIA GPU has told this yet")
    return translate("Graphs", "Nothing is known yet")


def period_title(period: Period) -> str:
    """The text of a period's button."""
    return {
        "5min": translate("Graphs", "5 min"),
        "30min": translate("Graphs", "30 min"),
        "6h": translate("Graphs", "6 h"),
        "24h": translate("Graphs", "24 h"),
        "all": translate("Graphs", "All"),
    }[period]


def period_sentence(period: Period) -> str:
    """The accessible name of a period's button, and its tooltip."""
    return {
        "5min": translate("Graphs", "the last 5 minutes"),
        "30min": translate("Graphs", "the last 30 minutes"),
        "6h": translate("Graphs", "the last 6 hours"),
        "24h": translate("Graphs", "the last 24 hours"),
        "all": translate("Graphs", "everything since the beginning"),
    }[period]
