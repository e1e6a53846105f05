"""The column of a page is scrolled to whatever has the keyboard's focus, wherever the focus comes from."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.labels import Hint
from app.widgets.layout.page_column import PageColumn
from app.widgets.layout.row_table import RowTable
from app.widgets.week_grid import WeekGrid
from core.availability.rules import ALWAYS

LOW = 330


class Page(QWidget):
    """A button beside the column, as the header has them; in it a button, what is given, and a button far below."""

    def __init__(self, contents: QWidget) -> None:
        super().__init__()
        self.above, self.first, self.last = QPushButton("above"), QPushButton("first"), QPushButton("last")
        self.column = PageColumn(600)
        for part in (self.first, contents, self.last):
            self.column.parts.addWidget(part)
            self.column.parts.addSpacing(LOW)
        self.column.parts.addWidget(Hint("A page has words, and is as high as they need at its width."))
        rows = QVBoxLayout(self)
        top = QHBoxLayout()
        top.addWidget(self.above)
        rows.addLayout(top)
        rows.addWidget(self.column)
        self.resize(600, LOW)

    def is_seen(self, part: QWidget, rectangle: QRect | None = None) -> bool:
        """Whether all of that rectangle of a part is in the visible part of the column."""
        rectangle = rectangle or part.rect()
        port = self.column.viewport()
        return port.rect().contains(QRect(part.mapTo(port, rectangle.topLeft()), rectangle.size()))


def shown(qtbot: QtBot, contents: QWidget) -> Page:
    page = Page(contents)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    qtbot.waitUntil(lambda: page.isActiveWindow() and page.column.verticalScrollBar().maximum() > 0)
    return page


def test_tab_from_beside_the_column_scrolls_it_both_ways(qtbot: QtBot) -> None:
    page = shown(qtbot, QWidget())
    page.above.setFocus()
    QTest.keyClick(page.above, Qt.Key.Key_Backtab)
    assert page.last.hasFocus()
    qtbot.waitUntil(lambda: page.is_seen(page.last))
    assert not page.is_seen(page.first)
    QTest.keyClick(page.last, Qt.Key.Key_Tab)
    QTest.keyClick(page.above, Qt.Key.Key_Tab)
    assert page.first.hasFocus()
    qtbot.waitUntil(lambda: page.is_seen(page.first))


def test_a_click_does_not_move_the_page_under_the_mouse(qtbot: QtBot) -> None:
    button = QPushButton("between")
    page = shown(qtbot, button)
    page.first.setFocus()
    QApplication.processEvents()
    bar = page.column.verticalScrollBar()
    bar.setValue(button.mapTo(page.column.viewport(), QPoint()).y() + button.height() // 2)  # its lower half is seen
    half = bar.value()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(5, button.height() - 3))
    QApplication.processEvents()
    assert button.hasFocus() and bar.value() == half


def test_the_week_s_hours_are_seen_where_the_arrows_lead(qtbot: QtBot) -> None:
    grid = WeekGrid((ALWAYS,) * 7)
    page = shown(qtbot, grid)
    page.first.setFocus()
    QTest.keyClick(page.first, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: page.is_seen(grid))
    page.resize(600, 160)  # lower than the grid
    QApplication.processEvents()
    for _ in range(6):
        QTest.keyClick(grid, Qt.Key.Key_Down)
    assert page.is_seen(grid.viewport(), grid.visualRect(grid.currentIndex())) and not page.is_seen(grid)


@pytest.mark.parametrize(("key", "times"), [(Qt.Key.Key_Down, 11), (Qt.Key.Key_PageDown, 1)])
def test_a_row_of_a_table_is_seen_where_the_keys_lead(qtbot: QtBot, key: Qt.Key, times: int) -> None:
    rows, table = QStandardItemModel(12, 1), RowTable()
    table.setModel(rows)
    table.setFixedHeight(2 * LOW)
    page = shown(qtbot, table)
    page.first.setFocus()
    QTest.keyClick(page.first, Qt.Key.Key_Tab)
    for _ in range(times):
        QTest.keyClick(table, key)
    assert table.currentIndex().row() == 11
    assert page.is_seen(table.viewport(), table.visualRect(table.currentIndex()))
