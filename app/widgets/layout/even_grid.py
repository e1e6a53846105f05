"""A grid of parts of one size, with as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget


class EvenGrid(QWidget):
    """A grid of equal columns: at most ``most`` of them, each at least ``least_width`` pixels wide."""

    def __init__(self, least_width: int, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least_width, self._most = least_width, most
        self._parts: tuple[QWidget, ...] = ()
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)

    def show_parts(self, parts: Sequence[QWidget]) -> None:
        """Show these parts, and none of the others that were shown before."""
        for part in self._parts:
            self._grid.removeWidget(part)
            part.setVisible(part in parts)
        self._parts = tuple(parts)
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Use as many columns as there is room for."""
        super().resizeEvent(event)
        if self._columns_wanted() != self._columns:
            self._lay_out()

    def _columns_wanted(self) -> int:
        room = max(1, (self.width() + 12) // (self._least_width + 12))
        return max(1, min(room, self._most, len(self._parts)))

    def _lay_out(self) -> None:
        for part in self._parts:
            # not takeAt: the item that it leaves behind would go on remembering heights of long ago
            self._grid.removeWidget(part)
        before, self._columns = self._columns, self._columns_wanted()
        for column in range(max(before, self._columns)):
            self._grid.setColumnStretch(column, 1 if column < self._columns else 0)
        for place, part in enumerate(self._parts):
            self._grid.addWidget(part, place // self._columns, place % self._columns)
            part.show()
