"""A row of two parts that becomes a column in a narrow window."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

_ENOUGH_WIDTH = 640


class ResponsiveRow(QWidget):
    """Two parts in a row, or in a column where there is no room; the first one gets the greater share."""

    def __init__(self, first: QWidget, second: QWidget, shares: tuple[int, int] = (5, 3)) -> None:
        super().__init__()
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(16)
        self._box.addWidget(first, shares[0])
        self._box.addWidget(second, shares[1])

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Turn the row into a column, or back, where the width asks for it."""
        super().resizeEvent(event)
        beside, below = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        direction = beside if event.size().width() >= _ENOUGH_WIDTH else below
        if self._box.direction() != direction:
            self._box.setDirection(direction)
