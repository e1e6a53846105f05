"""Rules, the week's grid, contributions and report as people see them: dark, light, German, 800 by 600 pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QScrollArea, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.appearance.theme import DARK, LIGHT, Colours, Theme
from app.shell.main_window import MainWindow
from app.widgets.week_grid import WeekGrid
from tests.app import test_accessibility as everybody
from tests.app.appearance.test_theme import contrast
from tests.app.support.language_context import speaking

READABLE = 4.0  # of the darkest pixel of a thin letter; the theme's colours themselves have 4.5


@pytest.fixture(params=[(DARK, "dark"), (LIGHT, "light")], ids=["dark", "light"])
def colours(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Colours]:
    """The theme that is worn, in German."""
    worn, name = request.param
    Theme(qapp).choose(name)
    with speaking("de"):
        yield worn
    Theme(qapp).choose("light")


def in_window(page: QWidget, qtbot: QtBot) -> MainWindow:
    """The page in a small window."""
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(800, 600)
    window.show_page(page)
    with qtbot.waitExposed(window):
        window.show()
    return window


def views(page: QWidget) -> Iterator[None]:
    """Scroll down from the beginning to the end, a screen at a time."""
    area = page.findChild(QScrollArea)
    assert area is not None
    bar = area.verticalScrollBar()
    for place in range(0, bar.maximum() + 1, bar.pageStep()):
        bar.setValue(place)
        QApplication.processEvents()
        yield


def places(page: QWidget, window: QWidget) -> dict[str, QRect]:
    """Where in the window the words of the page are that can be seen whole."""
    seen = (each for each in page.findChildren(QLabel) if each.isVisible() and each.text().strip() and each.isEnabled())
    whole = (each for each in seen if each.visibleRegion().boundingRect() == each.rect())
    return {each.text(): QRect(each.mapTo(window, QPoint(0, 0)), each.size()) for each in whole}


def readable(image: QImage, place: QRect) -> float:
    """The contrast of what is written there with the ground that it is written on."""
    part = image.copy(place).convertToFormat(QImage.Format.Format_RGB32)
    pixels = Counter(memoryview(part.constBits()).cast("B").cast("I"))
    ground = QColor.fromRgb(pixels.most_common(1)[0][0])
    return max(contrast(QColor.fromRgb(pixel), ground) for pixel in pixels)


@pytest.mark.parametrize("make", [everybody.contributions_page, everybody.settings_page])
def test_every_word_can_be_read(make: Callable[[], QWidget], colours: Colours, qtbot: QtBot) -> None:
    page = make()
    window = in_window(page, qtbot)
    read: dict[str, float] = {}
    for _ in views(page):
        image = window.grab().toImage()
        assert image.pixelColor(3, 300) == colours.window, "the page wears the theme"
        read |= {words: readable(image, place) for words, place in places(page, window).items()}
    assert len(read) > 8
    assert {words: ratio for words, ratio in read.items() if ratio < READABLE} == {}


def test_the_table_of_contributions_can_be_read(colours: Colours, qtbot: QtBot) -> None:
    page = everybody.contributions_page()
    window = in_window(page, qtbot)
    table, area = page.findChild(QTableView), page.findChild(QScrollArea)
    assert table is not None and area is not None
    area.ensureWidgetVisible(table)
    QApplication.processEvents()
    image = table.viewport().grab().toImage()
    for row in (0, 1):  # every second one is of another ground
        place = table.visualRect(table.model().index(row, 0))
        assert readable(image, place) >= READABLE
    assert window.isVisible()


def test_hours_that_are_free_are_told_from_those_that_are_not(colours: Colours, qtbot: QtBot) -> None:
    grid = WeekGrid(("x" * 12 + "." * 12,) * 7)
    qtbot.addWidget(grid)
    grid.resize(700, grid.height())
    with qtbot.waitExposed(grid):
        grid.show()
    grid.setCurrentIndex(grid.hours.index(6, 23))
    image = grid.viewport().grab().toImage()
    free, not_free = (grid.visualRect(grid.hours.index(2, hour)) for hour in (5, 20))
    inside = [image.pixelColor(place.center()) for place in (free, not_free)]
    assert inside[0] == colours.accent and contrast(*inside) >= 3.0
    assert readable(image, not_free) >= 3.0, "its outline"


def test_the_report_can_be_read(colours: Colours, qtbot: QtBot) -> None:
    dialog = everybody.report_dialog()
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    image = dialog.grab().toImage()
    text = dialog.findChild(QPlainTextEdit)
    assert text is not None and image.pixelColor(3, 3) == colours.window
    viewport = text.viewport()
    assert readable(image, QRect(viewport.mapTo(dialog, QPoint(0, 0)), viewport.size())) >= READABLE
    assert {words for words, place in places(dialog, dialog).items() if readable(image, place) < READABLE} == set()
