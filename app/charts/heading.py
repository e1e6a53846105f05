"""The first line of a chart: what it is at the left, and what its curves are now at the right."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from app.appearance.theme import Colours
from app.charts.data import ChartData, Line
from app.charts.definitions import short_title, title
from app.charts.painter import curve_colour, paint_dots
from app.charts.picture import MARGIN

_BETWEEN, _DOT_WIDTH, _DOT_RADIUS = 14, 10, 3.5


def paint_heading(
    painter: QPainter, data: ChartData, lines: list[Line], width: int, font: QFont, theme: Colours
) -> None:
    """Paint the title and the legend into a chart of that width in pixels; a long title is shortened."""
    metrics = QFontMetricsF(font)
    right = _paint_legend(painter, data, lines, width - MARGIN, font, theme)
    painter.setFont(font)
    painter.setPen(theme.muted)
    text, room = title(data.graph), right - MARGIN
    if metrics.horizontalAdvance(text) > room:
        text = metrics.elidedText(short_title(data.graph), Qt.TextElideMode.ElideRight, room)
    painter.drawText(QPointF(MARGIN, MARGIN + metrics.ascent()), text)


def _paint_legend(
    painter: QPainter, data: ChartData, lines: list[Line], right: float, font: QFont, theme: Colours
) -> float:
    """Paint the latest values so that they end at ``right``; the x at which they begin."""
    bold = QFont(font)
    bold.setBold(True)
    metrics = QFontMetricsF(bold)
    base_line = MARGIN + metrics.ascent()
    painter.setFont(bold)
    for line in reversed(lines):
        latest = data.latest(line.series)
        text = data.text_of(line.series, latest)
        right -= metrics.horizontalAdvance(text)
        painter.setPen(theme.text if latest is not None else theme.muted)
        painter.drawText(QPointF(right, base_line), text)
        if len(lines) > 1:
            right -= _DOT_WIDTH
            dot = QPointF(right + 3, base_line - metrics.capHeight() / 2)
            paint_dots(painter, [dot], curve_colour(line.series, theme), _DOT_RADIUS)
        right -= _BETWEEN
    return right
