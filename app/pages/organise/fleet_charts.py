"""The curves of a fleet over the last 24 hours: peers, samples per second, loss and evaluations."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.charts.chart import Chart
from app.charts.definitions import GRAPHS, Graph
from app.widgets.layout.card import Card
from app.widgets.layout.even_grid import EvenGrid
from core.fleet.history import KEPT_SECONDS, POINT_SECONDS, FleetHistory
from core.fleet.snapshot import FleetSnapshot
from core.records.time_series import Curve, Series

_LEAST_WIDTH = 310
_SHOWN = ("peers", "throughput", "loss")
_SHORTEST = 600.0  # seconds that are shown at least


class FleetCharts(QWidget):
    """Draws what was seen since the run has been watched; one value a minute."""

    def __init__(self) -> None:
        super().__init__()
        graphs = {graph.key: graph for graph in GRAPHS}
        self.charts = tuple(Chart(_over_hours(graphs[key])) for key in _SHOWN)
        self._drawn: tuple[float, int] | None = None
        grid = EvenGrid(_LEAST_WIDTH, len(_SHOWN), self)
        cards = []
        for chart in self.charts:
            card = Card()
            card.parts.addWidget(chart)
            cards.append(card)
        grid.show_parts(cards)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(grid)

    def show_fleet(self, snapshot: FleetSnapshot, history: FleetHistory) -> None:
        """Draw the curves, if there is a look that they do not have."""
        if self._drawn == (snapshot.at, len(history.points)):
            return
        self._drawn = (snapshot.at, len(history.points))
        points, since = history.points, snapshot.at - KEPT_SECONDS
        losses = [(each.at, each.loss) for each in points if each.loss is not None and math.isfinite(each.loss)]
        curves: dict[Series, Curve] = {
            "peers": _curve((each.at, float(each.peers)) for each in points),
            "swarm_rate": _curve((each.at, each.samples_per_second) for each in points),
            "loss": _curve(losses),
            "run_loss": _curve((each.at, each.loss) for each in snapshot.scores if since <= each.at <= snapshot.at),
        }
        begins = [curve.begin for curve in curves.values() if len(curve.lows)]
        begin = min([snapshot.at - _SHORTEST, *begins])
        for chart in self.charts:
            of_it = {series: curves[series] for series in chart.graph.series if series in curves}
            chart.show_curves(of_it, begin, snapshot.at)


def _over_hours(graph: Graph) -> Graph:
    """The same graph for values of which there is one a minute, without what only this computer has."""
    series = tuple(each for each in graph.series if each != "my_rate")
    return replace(graph, series=series, bridge_seconds=max(graph.bridge_seconds, 10 * POINT_SECONDS))


def _curve(samples: Iterable[tuple[float, float]]) -> Curve:
    """A value for each minute, NaN where there is none."""
    values = {math.floor(at / POINT_SECONDS): value for at, value in samples}
    if not values:
        return Curve(0.0, POINT_SECONDS, array("d"), array("d"))
    first, last = min(values), max(values)
    steps = array("d", (values.get(minute, math.nan) for minute in range(first, last + 1)))
    return Curve(first * POINT_SECONDS, POINT_SECONDS, steps, steps)
