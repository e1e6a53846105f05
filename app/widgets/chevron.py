"""The small sign that says where something opens, or grows."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF


def draw_chevron(painter: QPainter, middle: QPointF, colour: QColor, *, is_up: bool = False) -> None:
    """Eight wide and four high."""
    half = -2.0 if is_up else 2.0
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    sign = [middle + QPointF(-4, -half), middle + QPointF(0, half), middle + QPointF(4, -half)]
    painter.drawPolyline(QPolygonF(sign))
