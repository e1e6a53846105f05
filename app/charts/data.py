"""What a chart shows: the curves of one graph between two places of its axis, and what they say in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.charts.decimation import Column, columns, nearest
from app.charts.definitions import Graph, legend, nothing_to_draw
from core.records.time_series import Curve, Series
from core.texts import figures


@dataclass(frozen=True)
class Line:
    """One curve, thinned out to the columns of a picture.

    ``spacing_seconds`` is the time from one column to the next where nothing is missing.
    """

    series: Series
    columns: list[Column]
    spacing_seconds: float


@dataclass(frozen=True)
class ChartData:
    """The curves of a graph from ``begin`` to ``end``, in the graph's order.

    Those are seconds since 1970, or values of the series that the graph has along its horizontal axis.
    """

    graph: Graph
    curves: Mapping[Series, Curve]
    begin: float
    end: float

    @classmethod
    def of(cls, graph: Graph, curves: Mapping[Series, Curve], begin: float, end: float) -> ChartData:
        """The curves among those that belong to the graph; what is shown is at least a second, or one, long."""
        own = {series: curves[series] for series in graph.series if series in curves}
        return cls(graph, own, begin, max(end, begin + 1.0))

    @property
    def seconds(self) -> float:
        """The length of the time that is shown."""
        return self.end - self.begin

    def lines(self, width: int) -> list[Line]:
        """The curves thinned out to ``width`` columns."""
        return [
            Line(
                series,
                columns(curve, self.begin, self.end, width),
                max(curve.step_seconds, self.seconds / width),
            )
            for series, curve in self.curves.items()
        ]

    def latest(self, series: Series) -> float | None:
        """The last value of a series; ``None`` where it is so old that it no longer holds."""
        curve = self.curves.get(series)
        if curve is None:
            return None
        longest = max(self.graph.bridge_seconds, 2 * curve.step_seconds)
        for index in range(len(curve.highs) - 1, -1, -1):
            if self.end - (curve.begin + index * curve.step_seconds) > longest + curve.step_seconds:
                return None
            if curve.highs[index] == curve.highs[index]:  # not a NaN, which stands for a value that is missing
                return (curve.lows[index] + curve.highs[index]) / 2
        return None

    def text_of(self, series: Series, value: float | None, *, is_named: bool = True) -> str:
        """A value in words: ``mine 512/s``, or without the curve's name."""
        figure = figures.unknown() if value is None else self.graph.figure(value)
        return f"{legend(series)} {figure}".strip() if is_named else figure

    def description(self) -> str:
        """The latest values in words: ``mine 512/s, swarm 3,012/s``."""
        texts = [self.text_of(series, self.latest(series)) for series in self.curves]
        return ", ".join(texts) or nothing_to_draw(self.graph)

    def read_out(self, lines: list[Line], at: float) -> list[tuple[Series | None, str]]:
        """The place ``at`` and the values of the lines there, in words; the place belongs to no series."""
        texts: list[tuple[Series | None, str]] = [(None, self.graph.place(at))]
        for line in lines:
            column = nearest(line.columns, at, max(line.spacing_seconds * 2.5, self.graph.bridge_seconds / 2))
            texts.append((line.series, self.text_of(line.series, None if column is None else column.middle)))
        return texts
