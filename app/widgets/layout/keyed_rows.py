"""A table's rows as Qt's model: sorted by any column, and a view is notified only of what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QModelIndex, Qt

from app.widgets.layout.table_model import WordsModel

_Row = TypeVar("_Row")
DESCENDING, ASCENDING = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


@dataclass(frozen=True)
class Column(Generic[_Row]):
    """One column: its heading in the language of the moment, the words of a cell, and what its rows are sorted by.

    A column of numbers is aligned to the right, and a first click on its heading brings the largest to the top.
    """

    heading: Callable[[], str]
    words: Callable[[_Row], str]
    sort_key: Callable[[_Row], Any]
    is_number: bool = False
    tooltip: Callable[[_Row], str] | None = None


class KeyedRowsModel(WordsModel):
    """The rows in the order that was chosen; each is an immutable value, and known by its key.

    Words are made for the cells that a view asks for, which are those on the screen.
    """

    def __init__(self, columns: Sequence[Column[Any]], key: Callable[[Any], str], sorted_by: int = 0) -> None:
        """``sorted_by`` is the column that rows are sorted by at first, as a first click on its heading does."""
        super().__init__()
        self._columns, self._key = tuple(columns), key
        self._rows: list[Any] = []
        self._shown: Iterable[Any] = ()
        self._column = sorted_by
        self._order = DESCENDING if self._columns[sorted_by].is_number else ASCENDING

    def show_rows(self, rows: Iterable[Any]) -> None:
        """Show these rows: some are removed, inserted and changed, and never all made anew."""
        if rows is self._shown:
            return
        self._shown = rows
        ordered = self._sorted({self._key(row): row for row in rows}.values())
        present = {self._key(row) for row in ordered}
        if {self._key(row) for row in self._rows} != present:
            self._remove_all_but(present)
            self._insert_missing(ordered)
        self._apply_order(ordered)

    @property
    def rows(self) -> Sequence[Any]:
        """The rows in their order."""
        return self._rows

    def sort(self, column: int, order: Qt.SortOrder = ASCENDING) -> None:
        """Sort by that column from now on."""
        self._column, self._order = column, order
        self._apply_order(self._sorted(self._rows))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def sort_otherwise(self, column: int) -> None:
        """Sort by that column; in the other direction if it is sorted by that column already."""
        is_descending = self._order == DESCENDING if column == self._column else not self._columns[column].is_number
        self.sort(column, ASCENDING if is_descending else DESCENDING)

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows that are shown, and that of columns."""
        return len(self._rows), len(self._columns)

    def heading(self, column: int) -> str:
        """The heading of a column, with a sign where rows are sorted by it."""
        heading = self._columns[column].heading()
        sign = "▾" if self._order == DESCENDING else "▴"
        return f"{heading} {sign}" if column == self._column else heading

    def words(self, row: int, column: int) -> str:
        """What its column makes of that row."""
        return self._columns[column].words(self._rows[row])

    def tooltip(self, row: int, column: int) -> str | None:
        """What its column tells of that row besides."""
        tooltip = self._columns[column].tooltip
        return None if tooltip is None else tooltip(self._rows[row])

    def is_number(self, column: int) -> bool:
        """Whether that column is one of numbers."""
        return self._columns[column].is_number

    def _sorted(self, rows: Iterable[Any]) -> list[Any]:
        """Those that are equal in that column are in the order of their keys, so that they do not dance."""
        steady = sorted(rows, key=self._key)
        return sorted(steady, key=self._columns[self._column].sort_key, reverse=self._order == DESCENDING)

    def _remove_all_but(self, present: set[str]) -> None:
        for row in range(len(self._rows) - 1, -1, -1):
            if self._key(self._rows[row]) not in present:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row]
                self.endRemoveRows()

    def _insert_missing(self, rows: Sequence[Any]) -> None:
        """At the end, all at once; ``_apply_order`` puts them where they belong."""
        known = {self._key(row) for row in self._rows}
        missing = [row for row in rows if self._key(row) not in known]
        if missing:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(missing) - 1)
            self._rows += missing
            self.endInsertRows()

    def _apply_order(self, rows: list[Any]) -> None:
        """Have these rows, which have the keys of those before; the selected ones stay selected."""
        before, self._rows = self._rows, rows
        keys = [self._key(row) for row in rows]
        if [self._key(row) for row in before] != keys:
            self.layoutAboutToBeChanged.emit()
            places = {key: row for row, key in enumerate(keys)}
            for index in self.persistentIndexList():
                row = places[self._key(before[index.row()])]
                self.changePersistentIndex(index, self.index(row, index.column()))
            self.layoutChanged.emit()
        elif changed := [number for number, row in enumerate(rows) if row != before[number]]:
            self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], len(self._columns) - 1))
