"""The picture of a chart: grid and curves, painted once and kept until another one would look different."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPixmap

from app.appearance.theme import Colours
from app.charts.axis import Scale, scale
from app.charts.data import ChartData, Line
from app.charts.decimation import segments
from app.charts.definitions import Graph, nothing_to_draw
from app.charts.painter import Plot, curve_colour, paint_curve, paint_grid

MARGIN = 7.0
_TICK_HEIGHT = 34.0
_LARGEST_VALUE = 1e15
_PIXELS_A_COLUMN = 2  # hardly wider than the line that is drawn through them
_AXIS_PIXELS = 50  # about what is beside the curves
_MOST_SECONDS_BEHIND = 10.0


@dataclass(frozen=True)
class ChartPicture:
    """A painted chart, with the plot and the lines that it shows; ``plot`` is ``None`` where it shows none."""

    pixmap: QPixmap
    lines: list[Line]
    plot: Plot | None

    def is_behind(self, data: ChartData, width: int) -> bool:
        """Whether a new picture would look different; one of a whole day changes every few minutes only.

        ``width`` is that of the chart in pixels.
        """
        plot = self.plot
        if plot is None or [line.series for line in self.lines] != list(data.curves):
            return True
        behind = abs(data.end - plot.end)
        column_seconds = data.seconds / columns_in(width)
        is_as_long = abs(data.seconds - (plot.end - plot.begin)) <= column_seconds
        most = _MOST_SECONDS_BEHIND if data.graph.along is None else column_seconds
        return not is_as_long or behind >= min(column_seconds, most)


def columns_in(width: int) -> int:
    """How many columns of values a chart of that width in pixels can show."""
    return max(1, (width - _AXIS_PIXELS) // _PIXELS_A_COLUMN)


def small_font(font: QFont) -> QFont:
    """The font of the axes, a little smaller than that of the chart."""
    small = QFont(font)
    small.setPointSizeF(max(6.5, font.pointSizeF() * 0.86))
    return small


def paint_picture(data: ChartData, size: QSize, ratio: float, font: QFont, theme: Colours) -> ChartPicture:
    """Paint the chart at that size, in the screen's own pixels: ``ratio`` of them to one pixel of Qt's."""
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(theme.surface)
    lines = data.lines(columns_in(size.width()))
    plot = _plot(data, lines, size, font)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if plot is None:
        _paint_emptiness(painter, nothing_to_draw(data.graph), size, font, theme)
    else:
        paint_grid(painter, plot, data.graph, theme, small_font(font))
        _paint_lines(painter, data, lines, plot, theme)
    painter.end()
    return ChartPicture(pixmap, lines, plot)


def _plot(data: ChartData, lines: list[Line], size: QSize, font: QFont) -> Plot | None:
    """The area and the scale that hold all values; ``None`` where there are none, or they are out of all bounds."""
    lows = [column.low for line in lines for column in line.columns]
    highs = [column.high for line in lines for column in line.columns]
    if not lows or max(highs) > _LARGEST_VALUE or min(lows) < -_LARGEST_VALUE:
        return None
    small, graph = QFontMetricsF(small_font(font)), data.graph
    top = MARGIN + QFontMetricsF(font).height() + 10
    bottom = size.height() - MARGIN - small.height() - 3
    marks = distinct_scale(graph, min(lows), max(highs), max(2, int((bottom - top) / _TICK_HEIGHT)))
    widest = max(small.horizontalAdvance(graph.mark(value)) for value in marks.ticks)
    left = MARGIN + widest + 9
    area = QRectF(left, top, max(1.0, size.width() - left - MARGIN), max(1.0, bottom - top))
    return Plot(area, data.begin, data.end, marks)


def distinct_scale(graph: Graph, low: float, high: float, most: int) -> Scale:
    """A scale of which no two marks are written alike, with fewer marks where that needs it; else with the fewest."""
    for number in range(most, 0, -1):
        marks = scale(low, high, number, from_zero=graph.starts_at_zero, ceiling=graph.ceiling, whole=graph.is_whole)
        if len(set(map(graph.mark, marks.ticks))) == len(marks.ticks):
            break
    return marks


def _paint_emptiness(painter: QPainter, words: str, size: QSize, font: QFont, theme: Colours) -> None:
    painter.setFont(font)
    painter.setPen(theme.muted)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(QRect(0, 0, size.width(), size.height()).adjusted(8, 24, -8, -8), flags, words)


def _paint_lines(painter: QPainter, data: ChartData, lines: list[Line], plot: Plot, theme: Colours) -> None:
    """Paint the first line last, above the others; it alone is filled down to a scale that starts at zero."""
    painter.save()
    painter.setClipRect(plot.area.adjusted(-3, -3, 3, 3))
    for line in reversed(lines):
        gap_seconds = max(data.graph.bridge_seconds, line.spacing_seconds * 2.5)
        is_filled = data.graph.starts_at_zero and line is lines[0]
        colour = curve_colour(line.series, theme)
        paint_curve(painter, plot, segments(line.columns, gap_seconds), colour, is_filled=is_filled)
    painter.restore()
