"""Parts that stand in a row like words."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.layout.flow_layout import FlowLayout


def test_a_hidden_part_takes_no_room_and_leaves_no_gap(qtbot: QtBot) -> None:
    place = QWidget()
    qtbot.addWidget(place)
    line = FlowLayout(place, between=8)
    hidden, shown = QPushButton("Help in this order"), QPushButton("Add a run")
    for each in (hidden, shown):
        line.addWidget(each)
    hidden.hide()
    place.show()
    assert shown.x() == 0
    alone = place.sizeHint().width()
    hidden.show()
    place.adjustSize()
    assert shown.x() == hidden.sizeHint().width() + 8
    assert place.sizeHint().width() > alone
