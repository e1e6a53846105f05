"""The parts of a chart, painted: a grid with its marks, curves with the band between their lows and highs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QLinearGradient,
    QPainter,
    QPen,
    QPolygonF,
    QTransform,
)

from app.appearance.theme import Colours
from app.charts.axis import Scale
from app.charts.decimation import Column
from app.charts.definitions import SECOND_COLOUR, Graph
from core.records.time_series import Series

_LINE_WIDTH = 1.6
_DOT_RADIUS = 2.2
_FEW = 30  # as many values as are worth a dot each
_TICK_WIDTH = 78.0


@dataclass(frozen=True)
class Plot:
    """Maps a place of the horizontal axis and a value to a place in the chart, in pixels.

    Along the axis are seconds since 1970, or what the graph has there in place of time.
    """

    area: QRectF
    begin: float
    end: float
    scale: Scale

    def x(self, at: float) -> float:
        """The x of a time."""
        return self.area.left() + (at - self.begin) / (self.end - self.begin) * self.area.width()

    def y(self, value: float) -> float:
        """The y of a value."""
        return self.area.bottom() - self.scale.fraction(value) * self.area.height()

    @property
    def transform(self) -> QTransform:
        """The map from (seconds since the begin, value) to (x, y), as Qt's painter uses it."""
        across = self.area.width() / (self.end - self.begin)
        up = self.area.height() / (self.scale.top - self.scale.bottom)
        bottom = self.area.bottom() + self.scale.bottom * up
        return QTransform(across, 0, 0, -up, self.area.left(), bottom)

    def time_at(self, x: float) -> float:
        """The time at an x; the inverse of ``x``."""
        return self.begin + (x - self.area.left()) / self.area.width() * (self.end - self.begin)


def curve_colour(series: Series, theme: Colours) -> QColor:
    """The colour of a curve: one for this computer's series, another for the swarm's."""
    return theme.curves[1 if series in SECOND_COLOUR else 0]


def paint_grid(painter: QPainter, plot: Plot, graph: Graph, theme: Colours, font: QFont) -> None:
    """Paint the lines at the marked values, and the texts of values and places beside and below them."""
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    last_text = ""
    for value in plot.scale.ticks:
        y = round(plot.y(value)) + 0.5
        painter.setPen(QPen(theme.line, 1.0))
        painter.drawLine(QPointF(plot.area.left(), y), QPointF(plot.area.right(), y))
        painter.setPen(theme.muted)
        text = graph.mark(value)
        left = plot.area.left() - metrics.horizontalAdvance(text) - 8
        if text != last_text:  # even the fewest marks may be written alike
            painter.drawText(QPointF(left, y + metrics.capHeight() / 2), text)
        last_text = text
    most = max(2, int(plot.area.width() / _TICK_WIDTH))
    base_line, free_from = plot.area.bottom() + metrics.height(), plot.area.left() - 8
    for at, text in graph.ticks(plot.begin, plot.end, most):
        width = metrics.horizontalAdvance(text)
        left = plot.x(at) - width / 2
        if free_from <= left and left + width <= plot.area.right() + 4:
            painter.drawText(QPointF(left, base_line), text)
            free_from = left + width + 8


def paint_curve(
    painter: QPainter, plot: Plot, segments: list[list[Column]], colour: QColor, *, is_filled: bool
) -> None:
    """Paint a curve, with a gap between any two segments.

    Times and values are mapped to pixels by Qt's own transform, which is faster than a loop in Python.
    """
    transform = plot.transform
    pen = QPen(colour, _LINE_WIDTH * painter.device().devicePixelRatio())  # a cosmetic pen counts real pixels
    pen.setCosmetic(True)
    lone: list[QPointF] = []
    has_dots = sum(map(len, segments)) <= _FEW
    painter.save()
    painter.setTransform(transform, True)
    for segment in segments:
        points = [QPointF(at - plot.begin, (low + high) / 2) for at, low, high in segment]
        if is_filled and len(points) > 1:
            _paint_ground(painter, plot, points, colour)
        if any(high > low for _, low, high in segment):
            _paint_band(painter, plot, segment, colour)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(points))
        if has_dots or len(points) == 1:
            lone += points
    painter.restore()
    paint_dots(painter, [transform.map(point) for point in lone], colour)


def paint_dots(painter: QPainter, points: list[QPointF], colour: QColor, radius: float = _DOT_RADIUS) -> None:
    """Paint a dot on each point."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for point in points:
        painter.drawEllipse(point, radius, radius)


def _paint_ground(painter: QPainter, plot: Plot, points: list[QPointF], colour: QColor) -> None:
    """Paint a tint under the curve that fades away towards the bottom."""
    bottom = plot.scale.bottom
    fade = QLinearGradient(0, plot.scale.top, 0, bottom)
    fade.setColorAt(0, _tinted(colour, 52))
    fade.setColorAt(1, _tinted(colour, 4))
    ends = [QPointF(points[-1].x(), bottom), QPointF(points[0].x(), bottom)]
    _fill(painter, QPolygonF(points + ends), QBrush(fade))


def _paint_band(painter: QPainter, plot: Plot, segment: list[Column], colour: QColor) -> None:
    """Paint the band from the lows to the highs of each column."""
    over = [QPointF(at - plot.begin, high) for at, _, high in segment]
    under = [QPointF(at - plot.begin, low) for at, low, _ in reversed(segment)]
    _fill(painter, QPolygonF(over + under), QBrush(_tinted(colour, 70)))


def _fill(painter: QPainter, outline: QPolygonF, brush: QBrush) -> None:
    """Fill an outline without antialiasing, which costs more than all the rest and which a tint does not need."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)
    painter.drawPolygon(outline)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _tinted(colour: QColor, alpha: int) -> QColor:
    tint = QColor(colour)
    tint.setAlpha(alpha)
    return tint


def paint_read_out(
    painter: QPainter,
    plot: Plot,
    x: float,
    lines: list[tuple[QColor | None, str]],
    theme: Colours,
    font: QFont,
) -> None:
    """Paint a box beside ``x`` that says what the curves are there; a line that has a colour gets a dot of it."""
    painter.setPen(QPen(theme.muted, 1.0))
    painter.drawLine(QPointF(x, plot.area.top()), QPointF(x, plot.area.bottom()))
    metrics = QFontMetricsF(font)
    height = metrics.height()
    width = max(metrics.horizontalAdvance(text) + (12 if colour else 0) for colour, text in lines) + 16
    left = x + 8 if x + 8 + width <= plot.area.right() else x - 8 - width
    box = QRectF(left, plot.area.top() + 2, width, height * len(lines) + 10)
    painter.setBrush(theme.surface)
    painter.setPen(QPen(theme.line, 1.0))
    painter.drawRoundedRect(box, 6, 6)
    painter.setFont(font)
    for row, (colour, text) in enumerate(lines):
        base_line = box.top() + 5 + height * row + metrics.ascent()
        indent = 8.0
        if colour is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(QPointF(box.left() + 12, base_line - metrics.capHeight() / 2), 3.5, 3.5)
            indent = 20.0
        painter.setPen(theme.text)
        painter.drawText(QPointF(box.left() + indent, base_line), text)
