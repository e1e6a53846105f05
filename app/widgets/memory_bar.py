"""A bar of memory: how much of it is taken, and how much a run would add."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.appearance.theme import colours
from app.presentation.severity import Severity
from app.widgets.status_icon import colour_of

_HEIGHT = 8
_NARROWEST = 60


class MemoryBar(QWidget):
    """A bar of two shares of one: what is taken already, then what is wanted; more than all is hatched."""

    def __init__(self) -> None:
        super().__init__()
        self._taken, self._wanted = 0.0, 0.0
        self._severity: Severity = "info"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_shares(self, taken: float, wanted: float = 0.0, severity: Severity = "info") -> None:
        """Show both shares; the severity colours what is wanted."""
        shares = (taken, wanted, severity)
        if shares != (self._taken, self._wanted, self._severity):
            self._taken, self._wanted, self._severity = shares
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of a line, which expands to any width."""
        return QSize(_NARROWEST, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the ground, what is taken, and what is wanted."""
        theme = colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(path)
        painter.fillRect(self.rect(), theme.line)
        whole = self.width()
        taken = whole * min(self._taken, 1.0)
        painter.fillRect(QRectF(0, 0, taken, _HEIGHT), theme.muted)
        wanted = colour_of(self._severity, theme)
        is_too_much = self._taken + self._wanted > 1.0
        pattern = Qt.BrushStyle.Dense3Pattern if is_too_much else Qt.BrushStyle.SolidPattern
        painter.fillRect(QRectF(taken, 0, whole * min(self._wanted, 1.0), _HEIGHT), QBrush(wanted, pattern))
