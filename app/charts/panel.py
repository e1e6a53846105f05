"""The live graphs, with a choice of how far back they reach and which curves they show."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import cast

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.charts.chart import Chart
from app.charts.data_source import ChartDataSource
from app.charts.definitions import GRAPHS, PERIODS, USUAL_CURVES, Period
from app.charts.period_picker import PeriodPicker
from app.charts.resampling import against
from app.charts.series_menu import SeriesMenu
from app.widgets.idle_queue import IdleQueue
from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from app.widgets.layout.even_grid import EvenGrid
from core.records.time_series import Curve, Series

_LEAST_CHART_WIDTH = 310
_MOST_COLUMNS = 3


class GraphsPanel(QWidget):
    """Shows the chosen graphs; of those on the screen it asks its data source for curves whenever it is refreshed.

    Signals:
        graphs_chosen: the period and the curves that a person has chosen; no curves mean the usual ones.

    Attributes:
        periods: how far back the graphs reach.
        curves: which curves are drawn.
    """

    graphs_chosen = Signal(str, object)

    def __init__(self, source: ChartDataSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_usual, self._has_gpu = True, cast("bool | None", None)
        self._source = source
        self._heading, self._hint = Heading(), Hint()
        self.periods, self.curves = PeriodPicker(self), SeriesMenu(self)
        self.periods.period_chosen.connect(self._apply_choice)
        self.curves.curves_chosen.connect(self._choose_curves)
        self._grid = EvenGrid(_LEAST_CHART_WIDTH, _MOST_COLUMNS, self)
        self._idle_queue = IdleQueue(self)
        self._cards = {graph.key: self._card(Chart(graph, idle_queue=self._idle_queue)) for graph in GRAPHS}
        self._lay_out()
        self._retranslate()
        self.choose("30min", ())

    @property
    def charts(self) -> list[Chart]:
        """The charts of the chosen graphs."""
        cards = [card for card in self._cards.values() if not card.isHidden()]
        return [chart for card in cards for chart in card.findChildren(Chart)]

    def choose(self, period: Period, curves: tuple[Series, ...]) -> None:
        """Show that period and those curves; no curve at all means the usual ones."""
        self.periods.show_period(period)
        self._is_usual = not curves
        self.curves.show_curves(curves or self._usual())
        self._show_chosen()

    def show_gpu(self, is_there: bool) -> None:
        """Leave the GPU out of the usual graphs where there is none; a GPU that has vanished stays among them."""
        if self._has_gpu is None or is_there > self._has_gpu:
            self._has_gpu = is_there
            if self._is_usual:
                self.choose(self.periods.period, ())

    def refresh(self) -> None:
        """Draw the charts that can be seen again, one a turn of the event loop: reading from the disk takes its time.

        To be called about once a second, and whenever others are scrolled to.
        """
        if not self.isVisible():
            return
        for chart in self.charts:
            if not chart.visibleRegion().isEmpty():
                self._idle_queue.submit((self, chart), partial(self._draw, chart))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Refresh the charts, which were not drawn while they were hidden."""
        super().showEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _draw(self, chart: Chart) -> None:
        graph, length = chart.graph, PERIODS[self.periods.period]
        chosen = [series for series in graph.choices if series in self.curves.curves]
        if not chosen:
            return
        if graph.along is not None:
            self._draw_along(chart, graph.along, length)
            return
        curves = {series: self._source.curve(series, length) for series in chosen}
        begin, end = _bounds(curves.values())
        chart.show_curves(curves, begin if length is None else max(begin, end - length), end)

    def _draw_along(self, chart: Chart, along: Series, length: float | None) -> None:
        places = self._source.curve(along, length)
        curves = {series: against(self._source.curve(series, length), places) for series in chart.graph.series}
        known = [curve for curve in curves.values() if curve.lows]
        chart.show_curves(curves, *_bounds(known or curves.values()))

    def _usual(self) -> tuple[Series, ...]:
        if self._has_gpu is not False:
            return USUAL_CURVES
        return tuple(series for series in USUAL_CURVES if not series.startswith("gpu_"))

    def _apply_choice(self) -> None:
        self._show_chosen()
        self.refresh()
        self.graphs_chosen.emit(self.periods.period, () if self._is_usual else self.curves.curves)

    def _choose_curves(self) -> None:
        self._is_usual = False
        self._apply_choice()

    def _show_chosen(self) -> None:
        chosen = set(self.curves.curves)
        cards = [self._cards[graph.key] for graph in GRAPHS if chosen & set(graph.choices)]
        for card in self._cards.values():
            card.setVisible(card in cards)
        self._grid.show_parts(cards)
        self._hint.set_text("" if cards else self.tr("No curve is chosen; “Curves” has the list."))

    def _card(self, chart: Chart) -> Card:
        card = Card(self._grid)
        card.parts.setContentsMargins(8, 6, 8, 6)
        card.parts.addWidget(chart)
        return card

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._heading, 1)
        row.addWidget(self.periods)
        row.addWidget(self.curves)
        parts = QVBoxLayout(self)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(10)
        parts.addLayout(row)
        parts.addWidget(self._hint)
        parts.addWidget(self._grid)

    def _retranslate(self) -> None:
        self._heading.setText(self.tr("Live"))


def _bounds(curves: Collection[Curve]) -> tuple[float, float]:
    """Where the first of them begins, and the last one ends."""
    ends = [curve.begin + curve.step_seconds * len(curve.lows) for curve in curves]
    return min(curve.begin for curve in curves), max(ends)
