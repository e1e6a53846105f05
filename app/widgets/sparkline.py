"""A curve without axes, as large as a word."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.appearance.theme import colours

_ROOM = 3.0


class Sparkline(QWidget):
    """A curve of the last values, oldest first; ``None`` leaves a gap. A number beside it says the same in words."""

    def __init__(self, curve: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curve = curve
        self._values: tuple[float | None, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of a word or two."""
        return QSize(120, 34)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The size of a short word."""
        return QSize(40, 34)

    def show_values(self, values: Sequence[float | None]) -> None:
        """Draw these values, oldest first."""
        if tuple(values) != self._values:
            self._values = tuple(values)
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the curve; its range fills a third of the height, or more where the values come near to zero."""
        known = [value for value in self._values if value is not None]
        if len(known) < 2 or max(known) <= 0:
            return
        low, high = min(known), max(known)
        room = max(high - low, high * 0.02)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = colours(self.palette()).curves[self._curve]
        painter.setPen(QPen(colour, 1.6))
        segments = self._segments(max(0.0, low - room), high + room)
        for segment in segments:
            painter.drawPolyline(QPolygonF(segment))
        painter.setBrush(colour)
        painter.drawEllipse(segments[-1][-1], 1.6, 1.6)

    def _segments(self, bottom: float, top: float) -> list[list[QPointF]]:
        across = (self.width() - 2 * _ROOM) / (len(self._values) - 1)
        up = (self.height() - 2 * _ROOM) / (top - bottom)
        segments: list[list[QPointF]] = []
        is_broken = True
        for index, value in enumerate(self._values):
            if value is not None:
                if is_broken:
                    segments.append([])
                y = self.height() - _ROOM - (value - bottom) * up
                segments[-1].append(QPointF(_ROOM + index * across, y))
            is_broken = value is None
        return segments
