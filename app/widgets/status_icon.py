"""A small icon beside a sentence; its shape says what it means, so that its colour need not."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.appearance.theme import Colours, colours
from app.presentation.severity import Severity

# The shapes are drawn on a grid of 20 by 20 pixels, whose corner at the top left is (0, 0).
_SIDE = 20
_RING = QRectF(2, 2, 16, 16)
_TICK = QPolygonF([QPointF(6, 10.5), QPointF(9, 13.5), QPointF(14.2, 7)])
_TRIANGLE = QPolygonF([QPointF(10, 2.5), QPointF(18, 17), QPointF(2, 17)])
_EXCLAMATION_LINE, _EXCLAMATION_DOT = QLineF(10, 8, 10, 11.6), QPointF(10, 14.6)
_CROSS = (QLineF(7, 7, 13, 13), QLineF(13, 7, 7, 13))
_LETTER_PIXELS = 12
_OUTLINE_WIDTH, _EXCLAMATION_WIDTH, _STROKE_WIDTH = 1.6, 2.0, 2.2


class StatusIcon(QLabel):
    """A ring with a tick, a triangle, a full disc with a cross, or a ring with ``?`` or ``i``.

    Its accessible name says in one word what the shape means; it is a QLabel, which a screen reader reads.
    """

    def __init__(self, severity: Severity = "info", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._severity = severity
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._retranslate()

    @property
    def severity(self) -> Severity:
        """What the icon means now."""
        return self._severity

    def set_severity(self, severity: Severity) -> None:
        """Draw the shape of another meaning, and name it."""
        if severity != self._severity:
            self._severity = severity
            self._retranslate()
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of the grid, about the height of a line."""
        return QSize(_SIDE, _SIDE)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the accessible name when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the shape in the colour of its meaning."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = colours(self.palette())
        colour = colour_of(self._severity, theme)
        match self._severity:
            case "good":
                _paint_tick(painter, colour)
            case "caution":
                _paint_triangle(painter, colour)
            case "bad":
                _paint_cross(painter, colour, theme.surface)
            case "info":
                _paint_letter(painter, colour, "i")
            case "unknown":
                _paint_letter(painter, colour, "?")
            case _:
                assert_never(self._severity)

    def _retranslate(self) -> None:
        self.setAccessibleName(
            {
                "good": self.tr("All is well"),
                "caution": self.tr("Warning"),
                "bad": self.tr("Error"),
                "info": self.tr("Note"),
                "unknown": self.tr("Not known"),
            }[self._severity]
        )


def colour_of(severity: Severity, theme: Colours) -> QColor:
    """The colour that stands for that meaning in a theme."""
    match severity:
        case "good":
            return theme.good
        case "caution":
            return theme.warning
        case "bad":
            return theme.bad
        case "info":
            return theme.accent
        case "unknown":
            return theme.muted
        case _:
            assert_never(severity)


def _pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _paint_tick(painter: QPainter, colour: QColor) -> None:
    painter.setPen(_pen(colour, _OUTLINE_WIDTH))
    painter.drawEllipse(_RING)
    painter.setPen(_pen(colour, _STROKE_WIDTH))
    painter.drawPolyline(_TICK)


def _paint_triangle(painter: QPainter, colour: QColor) -> None:
    painter.setPen(_pen(colour, _OUTLINE_WIDTH))
    painter.drawPolygon(_TRIANGLE)
    painter.setPen(_pen(colour, _EXCLAMATION_WIDTH))
    painter.drawLine(_EXCLAMATION_LINE)
    painter.drawPoint(_EXCLAMATION_DOT)


def _paint_cross(painter: QPainter, colour: QColor, ground: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(_RING)
    painter.setPen(_pen(ground, _STROKE_WIDTH))
    for line in _CROSS:
        painter.drawLine(line)


def _paint_letter(painter: QPainter, colour: QColor, letter: str) -> None:
    painter.setPen(_pen(colour, _OUTLINE_WIDTH))
    painter.drawEllipse(_RING)
    font = painter.font()
    font.setPixelSize(_LETTER_PIXELS)
    font.setBold(True)
    painter.setFont(font)
    painter.drawText(_RING, Qt.AlignmentFlag.AlignCenter, letter)
