"""A small sign beside a sentence; its shape says what it means, so that its colour need not."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.appearance.theme import Colours, colours
from app.presentation.severity import Severity

_SIDE = 20


class StatusIcon(QWidget):
    """A ring with a tick, a triangle, a full disc with a cross, an empty ring with ``?`` or ``i``."""

    def __init__(self, meaning: Severity = "info", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._meaning = meaning
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def meaning(self) -> Severity:
        """What it says now."""
        return self._meaning

    def show_meaning(self, meaning: Severity) -> None:
        """Say something else."""
        self._meaning = meaning
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A line's height."""
        return QSize(_SIDE, _SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint it in the colour of its meaning."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = colours(self.palette())
        colour = colour_of(self._meaning, theme)
        if self._meaning == "good":
            _paint_tick(painter, colour)
        elif self._meaning == "caution":
            _paint_triangle(painter, colour)
        elif self._meaning == "bad":
            _paint_cross(painter, colour, theme.surface)
        else:
            _paint_letter(painter, colour, "?" if self._meaning == "unknown" else "i")


def colour_of(meaning: Severity, theme: Colours) -> QColor:
    """What is painted to mean that."""
    if meaning == "unknown":
        return theme.muted
    return {"good": theme.good, "caution": theme.warning, "bad": theme.bad, "info": theme.accent}[meaning]


def _ring() -> QRectF:
    return QRectF(2, 2, _SIDE - 4, _SIDE - 4)


def _pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _paint_tick(painter: QPainter, colour: QColor) -> None:
    painter.setPen(_pen(colour, 1.6))
    painter.drawEllipse(_ring())
    painter.setPen(_pen(colour, 2.2))
    painter.drawPolyline(QPolygonF([QPointF(6, 10.5), QPointF(9, 13.5), QPointF(14.2, 7)]))


def _paint_triangle(painter: QPainter, colour: QColor) -> None:
    painter.setPen(_pen(colour, 1.6))
    painter.drawPolygon(QPolygonF([QPointF(10, 2.5), QPointF(18, 17), QPointF(2, 17)]))
    painter.setPen(_pen(colour, 2.0))
    painter.drawLine(QPointF(10, 8), QPointF(10, 11.6))
    painter.drawPoint(QPointF(10, 14.6))


def _paint_cross(painter: QPainter, colour: QColor, ground: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(_ring())
    painter.setPen(_pen(ground, 2.2))
    painter.drawLine(QPointF(7, 7), QPointF(13, 13))
    painter.drawLine(QPointF(13, 7), QPointF(7, 13))


def _paint_letter(painter: QPainter, colour: QColor, letter: str) -> None:
    painter.setPen(_pen(colour, 1.6))
    painter.drawEllipse(_ring())
    font = painter.font()
    font.setPixelSize(12)
    font.setBold(True)
    painter.setFont(font)
    painter.drawText(_ring(), Qt.AlignmentFlag.AlignCenter, letter)
