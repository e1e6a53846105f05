"""A table whose rows are read and selected, and never edited."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from app.widgets.layout.page_column import show_on_page

_SHEET = """
QTableView { outline: none; }  /* the style's own frame of the current cell can hardly be seen */
QTableView::item { padding: 0 5px; }  /* as the headings have */
QTableView::item:focus { border: 2px solid palette(highlight); padding: 0 3px; }
QTableView::item:selected:focus { border-color: palette(highlighted-text); }
"""


class RowTable(QTableView):
    """Rows of one height without a grid, of which one can be selected; Tab leaves the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setStyleSheet(_SHEET)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setAlternatingRowColors(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 10)
        self.horizontalHeader().setHighlightSections(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Scroll the page, too, to the row to which a key has led."""
        super().keyPressEvent(event)
        show_on_page(self.viewport(), self.visualRect(self.currentIndex()))
