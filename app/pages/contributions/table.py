"""The table of contributions: a row for each day, month or run."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QResizeEvent

from app.widgets.layout.row_table import RowTable
from core.records.contribution_report import ContributionReport, Tariff
from core.texts.contributions.table import cells, headings

_Index = QModelIndex | QPersistentModelIndex
_FIRST = 0
_MOST_ROWS_HIGH = 12
_LEAST_FIRST_WIDTH = 110
_PADDING = 26


class ContributionsModel(QAbstractTableModel):
    """The cells of a report, in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: tuple[str, ...] = ()
        self.rows: tuple[tuple[str, ...], ...] = ()

    def show_report(self, report: ContributionReport, tariff: Tariff) -> None:
        """Show that report in place of the one before."""
        self.beginResetModel()
        self.headings = headings(report.period, tariff)
        self.rows = tuple(cells(row, tariff) for row in report.rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of rows, for Qt's view."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of columns, for Qt's view."""
        return 0 if parent.isValid() else len(self.headings)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The heading of a column, for Qt's view."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return self.headings[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text, alignment or tooltip of a cell, for Qt's view."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.DisplayRole or (role == Qt.ItemDataRole.ToolTipRole and index.column() == _FIRST):
            return self.rows[index.row()][index.column()]
        return None


class ContributionsTable(RowTable):
    """As high as its rows, up to a dozen of them; then it scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.contents = ContributionsModel()
        self._first_width = 0
        self.setModel(self.contents)
        self.setHorizontalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("What was given"))

    def show_report(self, report: ContributionReport, tariff: Tariff) -> None:
        """Show that report, with columns as wide as their words; the first one takes what is left."""
        self.contents.show_report(report, tariff)
        head, advance = self.horizontalHeader(), self.fontMetrics().horizontalAdvance
        for column, heading in enumerate(self.contents.headings):
            texts = [heading, *(row[column] for row in self.contents.rows)]
            self.setColumnWidth(column, max(map(advance, texts)) + _PADDING)
        self._first_width = self.columnWidth(_FIRST)
        shown = min(len(self.contents.rows), _MOST_ROWS_HIGH)
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(head.sizeHint().height() + shown * self.verticalHeader().defaultSectionSize() + bar + 2)
        self._widen_first()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the first column what the others leave."""
        super().resizeEvent(event)
        self._widen_first()

    def _widen_first(self) -> None:
        """Long names are cut short, but still known, before the other columns have to be scrolled."""
        others = sum(self.columnWidth(column) for column in range(1, len(self.contents.headings)))
        least = min(self._first_width, _LEAST_FIRST_WIDTH)
        self.setColumnWidth(_FIRST, max(least, self.viewport().width() - others))


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column == _FIRST else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
