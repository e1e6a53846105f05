"""The table of contributions: a row for each day, month or run."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent

from app.widgets.layout.row_table import RowTable
from app.widgets.layout.table_model import WordsModel
from core.records.contribution_report import ContributionReport, Tariff
from core.texts.contributions.table import cells, headings

_FIRST = 0
_MOST_ROWS_HIGH = 12
_LEAST_FIRST_WIDTH = 110
_PADDING = 26


class ContributionsModel(WordsModel):
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

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows of the report, and that of their cells."""
        return len(self.rows), len(self.headings)

    def heading(self, column: int) -> str:
        """What stands above that column."""
        return self.headings[column]

    def words(self, row: int, column: int) -> str:
        """What stands in that cell."""
        return self.rows[row][column]

    def tooltip(self, row: int, column: int) -> str | None:
        """The whole name of a day, month or run, which may be cut short."""
        return self.rows[row][column] if column == _FIRST else None

    def is_number(self, column: int) -> bool:
        """Whether that column is one of numbers: all but the first."""
        return column != _FIRST


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
