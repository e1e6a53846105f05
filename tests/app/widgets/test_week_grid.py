"""The week's hours can be switched by dragging, by clicking on a day or an hour, and by keys; each has words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.widgets.week_grid import DAYS, HOURS, WeekGrid
from core.availability.rules import ALWAYS

ALL = (ALWAYS,) * DAYS
NONE = ("." * HOURS,) * DAYS


@pytest.fixture
def grid(qtbot: QtBot, english: None) -> WeekGrid:
    grid = WeekGrid(ALL)
    qtbot.addWidget(grid)
    grid.resize(470, grid.height())
    with qtbot.waitExposed(grid):
        grid.show()
    grid.setFocus()
    return grid


def place(grid: WeekGrid, day: int, hour: int) -> QPoint:
    """The middle of that cell."""
    return grid.visualRect(grid.hours.index(day, hour)).center()


def drag(grid: WeekGrid, first: tuple[int, int], last: tuple[int, int]) -> None:
    """As a person does who holds the button."""
    port = grid.viewport()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=place(grid, *first))
    QTest.mouseMove(port, place(grid, *last))
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=place(grid, *last))


def test_all_hours_are_seen_in_a_small_window(grid: WeekGrid) -> None:
    port = grid.viewport().rect()
    assert all(
        port.contains(grid.visualRect(grid.hours.index(day, hour))) for day in range(DAYS) for hour in range(HOURS)
    )


def test_dragging_switches_everything_between_as_the_first_hour(grid: WeekGrid, qtbot: QtBot) -> None:
    with qtbot.waitSignal(grid.week_changed) as changed:
        drag(grid, (0, 7), (4, 21))
    working_day = "x" * 7 + "." * 15 + "xx"
    assert changed.args == [(working_day,) * 5 + (ALWAYS,) * 2]
    with qtbot.waitSignal(grid.week_changed) as changed:
        drag(grid, (4, 7), (0, 7))
    assert changed.args == [("x" * 8 + "." * 14 + "xx",) * 5 + (ALWAYS,) * 2]


def test_what_was_left_on_the_way_is_as_before(grid: WeekGrid, qtbot: QtBot) -> None:
    port = grid.viewport()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=place(grid, 2, 3))
    QTest.mouseMove(port, place(grid, 6, 23))
    QTest.mouseMove(port, place(grid, 2, 3))
    grid.show_week(NONE)  # which comes while the button is held, and waits
    with qtbot.waitSignal(grid.week_changed) as changed:
        QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=place(grid, 2, 3))
    assert changed.args == [(ALWAYS, ALWAYS, "xxx." + "x" * 20, *[ALWAYS] * 4)]


def test_a_click_on_a_day_or_an_hour_switches_all_of_it(grid: WeekGrid, qtbot: QtBot) -> None:
    days, hours = grid.verticalHeader(), grid.horizontalHeader()
    with qtbot.waitSignal(grid.week_changed) as changed:
        QTest.mouseClick(days.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, days.sectionViewportPosition(1) + 5))
    assert changed.args == [(ALWAYS, NONE[0], *[ALWAYS] * 5)]
    with qtbot.waitSignal(grid.week_changed) as changed:
        QTest.mouseClick(
            hours.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(hours.sectionViewportPosition(23) + 5, 5)
        )
    assert changed.args == [(ALWAYS, "." * 23 + "x", *[ALWAYS] * 5)], "it was not chosen on every day"


def test_keys_switch_hours_days_and_an_hour_of_all_days(grid: WeekGrid, qtbot: QtBot) -> None:
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Space):
        QTest.keyClick(grid, key)
    assert grid.hours.week == (ALWAYS, "x." + "x" * 22, *[ALWAYS] * 5)
    QTest.keyClick(grid, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert grid.hours.week == ALL
    with qtbot.waitSignal(grid.week_changed) as changed:
        QTest.keyClick(grid, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert changed.args == [(ALWAYS, NONE[0], *[ALWAYS] * 5)]


def test_an_arrow_with_shift_carries_what_an_hour_is_on(grid: WeekGrid, qtbot: QtBot) -> None:
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(grid, Qt.Key.Key_Space)
    QTest.keyClick(grid, Qt.Key.Key_Right, shift)
    QTest.keyClick(grid, Qt.Key.Key_Down, shift)
    assert grid.hours.week == (".." + "x" * 22, "x." + "x" * 22, *ALL[2:])
    QTest.keyClick(grid, Qt.Key.Key_Right)
    with qtbot.waitSignal(grid.week_changed) as changed:
        QTest.keyClick(grid, Qt.Key.Key_Left, shift)
    assert changed.args == [(".." + "x" * 22, *ALL[1:])], "of an hour that is chosen, it chooses the next"
    with qtbot.assertNotEmitted(grid.week_changed):
        QTest.keyClick(grid, Qt.Key.Key_Left, shift)


def test_a_screen_reader_is_led_to_the_hour_where_the_keys_are(grid: WeekGrid) -> None:
    table = QAccessible.queryAccessibleInterface(grid)
    QTest.keyClick(grid, Qt.Key.Key_Down)
    assert table.focusChild().text(QAccessible.Text.Name) == "Tuesday, 00:00 – 01:00: free for training"
    QTest.keyClick(grid, Qt.Key.Key_Space)
    assert table.focusChild().text(QAccessible.Text.Name) == "Tuesday, 00:00 – 01:00: not free for training"


def test_a_screen_reader_says_each_hour_and_what_it_is(grid: WeekGrid) -> None:
    grid.show_week((NONE[0], *ALL[1:]))
    table = QAccessible.queryAccessibleInterface(grid)
    names = [table.child(number).text(QAccessible.Text.Name) for number in range(table.childCount())]
    assert "Monday, 22:00 – 23:00: not free for training" in names
    assert "Tuesday, 22:00 – 23:00: free for training" in names
    assert "Monday" in names and "23:00 – 00:00" in names
    assert "Space" in grid.accessibleDescription()
