"""Tables as Qt's models that have no children, and those among them whose cells are words below headings."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FlatModel(QAbstractTableModel):
    """A table of so many rows and columns as its ``size`` says."""

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows and that of columns."""
        raise NotImplementedError

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of rows, for Qt's view."""
        return 0 if parent.isValid() else self.size[0]

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of columns, for Qt's view."""
        return 0 if parent.isValid() else self.size[1]


class WordsModel(FlatModel):
    """Words below headings, in the language of the moment; headings stand above their columns, numbers to the right."""

    def heading(self, column: int) -> str:
        """What stands above that column."""
        raise NotImplementedError

    def words(self, row: int, column: int) -> str:
        """What stands in that cell."""
        raise NotImplementedError

    def tooltip(self, row: int, column: int) -> str | None:
        """What is told of that cell besides, if anything."""
        raise NotImplementedError

    def is_number(self, column: int) -> bool:
        """Whether that column is one of numbers."""
        raise NotImplementedError

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The heading of a column, for Qt's view."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return self.heading(section) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text, alignment or tooltip of a cell, for Qt's view."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.words(index.row(), index.column())
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return self.tooltip(index.row(), index.column())
        return None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        return _RIGHT if self.is_number(column) else _LEFT
