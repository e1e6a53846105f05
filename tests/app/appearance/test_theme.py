"""The themes: readable, distinguishable, and found again from a palette."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QPushButton,
    QRadioButton,
    QTableWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.appearance.stylesheet import stylesheet
from app.appearance.theme import (
    DARK,
    DARK_CONTRAST,
    LIGHT,
    LIGHT_CONTRAST,
    Colours,
    Theme,
    colours,
    give_role,
    palette_of,
    sheet_words,
)
from app.widgets.inline_inputs import Choice, Number
from app.widgets.layout.card import Card

THEMES = {"light": LIGHT, "dark": DARK, "light contrast": LIGHT_CONTRAST, "dark contrast": DARK_CONTRAST}
every_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def contrast(one: QColor, other: QColor) -> float:
    """As the Web Content Accessibility Guidelines reckon it: 1 is none, 21 is black on white."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: QColor) -> float:
    """From 0 to 1."""

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@every_theme
def test_everything_can_be_read(theme: Colours) -> None:
    least = 7.0 if "contrast" in next(name for name, known in THEMES.items() if known is theme) else 4.5
    words = (theme.text, theme.muted, theme.accent, theme.good, theme.warning, theme.bad, *theme.curves)
    faint = [
        (word.name(), ground.name(), round(contrast(word, ground), 1))
        for word in words
        for ground in (theme.window, theme.surface)
        if contrast(word, ground) < least
    ]
    assert faint == []
    assert contrast(theme.on_accent, theme.accent) >= least


@every_theme
def test_curves_differ(theme: Colours) -> None:
    assert len({curve.name() for curve in theme.curves}) == len(theme.curves) == 6
    assert all(abs(one.hue() - other.hue()) > 5 for one, other in combinations(theme.curves, 2))


@every_theme
def test_a_widget_finds_the_theme_by_its_palette(theme: Colours) -> None:
    assert colours(palette_of(theme)) is theme


def test_a_palette_that_is_not_ours_gets_the_colours_that_suit_it() -> None:
    assert colours(QPalette(QColor("#102030"))) is DARK
    assert colours(QPalette(QColor("#f0f0ff"))) is LIGHT


def test_the_volunteer_chooses_and_every_widget_follows(qtbot: QtBot, qapp: QApplication) -> None:
    theme = Theme(qapp)
    button = QPushButton("Pause")
    qtbot.addWidget(button)
    give_role(button, "primary")
    theme.choose("light")
    with qtbot.waitSignal(theme.changed):
        theme.choose("dark")
    assert colours(button.palette()) is DARK
    theme.choose("light")
    assert colours(button.palette()) is LIGHT


def test_a_desktop_that_does_not_say_keeps_the_light_theme(qapp: QApplication) -> None:
    qapp.setPalette(palette_of(LIGHT))
    theme = Theme(qapp)
    theme.choose("system")
    assert colours(qapp.palette()) is LIGHT


@pytest.mark.parametrize("is_usable", [True, False], ids=["usable", "disabled"])
@pytest.mark.parametrize("ground", [QWidget, Card], ids=["page", "card"])
@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
@pytest.mark.parametrize("dress", ["light", "dark"])
def test_the_outline_of_what_is_not_ticked_can_be_seen(
    qtbot: QtBot,
    qapp: QApplication,
    dress: Literal["light", "dark"],
    kind: type[QAbstractButton],
    ground: type[QWidget],
    is_usable: bool,
) -> None:
    """At least 3 to 1, as the Web Content Accessibility Guidelines ask of controls that can be used (1.4.11)."""
    Theme(qapp).choose(dress)
    page = ground()
    qtbot.addWidget(page)
    button = kind(page)
    button.setEnabled(is_usable)
    button.setGeometry(10, 10, 60, 24)
    page.resize(80, 44)
    image = page.grab(QRect(9, 9, 30, 26)).toImage()
    pixels = [image.pixelColor(x, image.height() // 2) for x in range(image.width())]
    outline = max(contrast(pixel, image.pixelColor(0, 0)) for pixel in pixels)
    assert outline >= (3.0 if is_usable else 1.5)


@every_theme
def test_a_ticked_box_is_filled_and_its_tick_can_be_seen(qtbot: QtBot, qapp: QApplication, theme: Colours) -> None:
    qapp.setPalette(palette_of(theme))
    page, box = QWidget(), QCheckBox()
    qtbot.addWidget(page)
    page.setStyleSheet(stylesheet(sheet_words(theme, page.font())))
    box.setParent(page)
    box.setChecked(True)
    box.setGeometry(10, 10, 60, 24)
    image = page.grab(QRect(10, 10, 14, 24)).toImage()
    middle = [image.pixelColor(x, image.height() // 2) for x in range(image.width())]
    assert contrast(middle[0], theme.window) >= 3.0, "its edge"
    assert max(contrast(pixel, theme.accent) for pixel in middle) >= 3.0, "the tick upon it"


@pytest.mark.parametrize("is_checked", [True, False])
@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
@pytest.mark.parametrize("dress", ["light", "dark"])
def test_what_has_the_focus_has_a_ring(
    qtbot: QtBot, qapp: QApplication, dress: Literal["light", "dark"], kind: type[QAbstractButton], is_checked: bool
) -> None:
    Theme(qapp).choose(dress)
    page = Card()
    qtbot.addWidget(page)
    before, button = QPushButton("Pause"), kind()
    button.setText("Pause on battery")
    for part in (before, button):
        page.parts.addWidget(part)
    button.setChecked(is_checked)
    with qtbot.waitActive(page):
        page.show()
    QTest.keyClick(before, Qt.Key.Key_Tab)
    assert button.hasFocus()
    image = button.grab().toImage()
    row = [image.pixelColor(x, image.height() // 2) for x in range(8)]
    theme = colours(qapp.palette())
    ring = [each for each in row if abs(each.hue() - theme.accent.hue()) < 15 and contrast(each, theme.surface) >= 3.0]
    assert ring, [each.name() for each in row]


@pytest.mark.parametrize("dress", ["light", "dark"])
def test_blanks_show_where_they_open(qtbot: QtBot, qapp: QApplication, dress: Literal["light", "dark"]) -> None:
    Theme(qapp).choose(dress)
    theme = colours(qapp.palette())
    choice, number = Choice("Theme"), Number("Threads", 0, 8, "all")
    choice.show_choices([("light", "light")])
    for blank in (choice, number):
        qtbot.addWidget(blank)
        blank.resize(160, 30)
        image = blank.grab(QRect(138, 3, 18, 24)).toImage()
        pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
        assert min(abs(pixel.lightness() - theme.text.lightness()) for pixel in pixels) < 40


def test_nothing_is_drawn_where_two_scroll_bars_meet(qtbot: QtBot, qapp: QApplication) -> None:
    Theme(qapp).choose("light")
    table = QTableWidget(90, 90)
    qtbot.addWidget(table)
    with qtbot.waitExposed(table):
        table.show()
    beside, below = (
        bar.mapTo(table, bar.rect().center()) for bar in (table.verticalScrollBar(), table.horizontalScrollBar())
    )
    picture = table.grab(QRect(beside.x() - 5, below.y() - 5, 11, 11)).toImage()
    assert len({picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}) == 1
