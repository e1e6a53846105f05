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
    """Paint the title and the legend into a chart of that width in pixels.

    Where both have no room, even with the short title, curves are told by their colours alone; then the title is cut.
    """
    bold = QFont(font)
    bold.setBold(True)
    metrics, of_legend = QFontMetricsF(font), QFontMetricsF(bold)
    whole, most = title(data.graph), metrics.horizontalAdvance(short_title(data.graph))
    texts = _legend(data, lines, is_named=True)
    if most > _room(texts, width, of_legend):
        texts = _legend(data, lines, is_named=False)
    room = _room(texts, width, of_legend)
    _paint_legend(painter, data, list(zip(lines, texts, strict=True)), width - MARGIN, bold, theme)
    painter.setFont(font)
    painter.setPen(theme.muted)
    if metrics.horizontalAdvance(whole) > room:
        whole = metrics.elidedText(short_title(data.graph), Qt.TextElideMode.ElideRight, room)
    painter.drawText(QPointF(MARGIN, MARGIN + metrics.ascent()), whole)


def _legend(data: ChartData, lines: list[Line], *, is_named: bool) -> list[str]:
    """The latest value of each curve."""
    return [data.text_of(line.series, data.latest(line.series), is_named=is_named) for line in lines]


def _room(texts: list[str], width: int, metrics: QFontMetricsF) -> float:
    """How many pixels the title may take beside that legend."""
    dots = _DOT_WIDTH * len(texts) if len(texts) > 1 else 0
    return width - 2 * MARGIN - dots - sum(metrics.horizontalAdvance(text) + _BETWEEN for text in texts)


def _paint_legend(
    painter: QPainter, data: ChartData, curves: list[tuple[Line, str]], right: float, font: QFont, theme: Colours
) -> None:
    """Paint the latest values so that they end at ``right``."""
    metrics = QFontMetricsF(font)
    base_line = MARGIN + metrics.ascent()
    painter.setFont(font)
    for line, text in reversed(curves):
        right -= metrics.horizontalAdvance(text)
        painter.setPen(theme.muted if data.latest(line.series) is None else theme.text)
        painter.drawText(QPointF(right, base_line), text)
        if len(curves) > 1:
            right -= _DOT_WIDTH
            dot = QPointF(right + 3, base_line - metrics.capHeight() / 2)
            paint_dots(painter, [dot], curve_colour(line.series, theme), _DOT_RADIUS)
        right -= _BETWEEN
