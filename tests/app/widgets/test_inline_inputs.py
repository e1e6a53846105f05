"""Inputs that stand in a sentence: what a person sees of them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.appearance.theme import Theme
from app.widgets.inline_inputs import Choice


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_short_list_shows_all_of_its_entries_and_marks_the_chosen_one(
    qtbot: QtBot, qapp: QApplication, theme: str
) -> None:
    before = qapp.styleSheet()
    Theme(qapp).choose("dark" if theme == "dark" else "light")
    choice = Choice("Look")
    qtbot.addWidget(choice)
    choice.show_choices([("like the system", "system"), ("light", "light"), ("dark", "dark")])
    choice.show_chosen("dark")
    choice.show()
    choice.showPopup()
    entries = choice.view()
    qtbot.waitExposed(entries.window())
    rectangles = [entries.visualRect(choice.model().index(number, 0)) for number in range(3)]
    assert all(entries.viewport().rect().contains(each) for each in rectangles)
    picture = entries.viewport().grab().toImage()
    ratio = picture.devicePixelRatio()
    grounds = [
        picture.pixelColor(round(each.center().x() * ratio), round((each.top() + 2) * ratio)) for each in rectangles
    ]
    choice.hidePopup()
    qapp.setStyleSheet(before)
    assert grounds[0] == grounds[1] != grounds[2]


def test_a_choice_is_as_wide_as_a_longer_entry_that_comes_later(qtbot: QtBot) -> None:
    choice = Choice("When to help")
    qtbot.addWidget(choice)
    choice.show_choices([("always", "always")])
    choice.show()
    assert choice.sizeHint().width() < choice.fontMetrics().horizontalAdvance("by rules that are the owner's own")
    choice.show_choices([("always", "always"), ("by rules that are the owner's own", None)])
    assert choice.sizeHint().width() > choice.fontMetrics().horizontalAdvance("by rules that are the owner's own")
