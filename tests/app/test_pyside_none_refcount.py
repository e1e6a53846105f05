"""PySide6 must not lose references to None: a version that does kills the process within seconds."""

from __future__ import annotations

import sys
import time

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

SECONDS = 1.0


class Painted(QWidget):
    """Makes many calls that return nothing, as every page does."""

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        for x in range(100):
            painter.drawLine(x, 0, x, 50)
        painter.end()


def test_a_second_of_painting_costs_no_references_to_none(qtbot: QtBot) -> None:
    widget = Painted()
    qtbot.addWidget(widget)
    widget.show()
    before = sys.getrefcount(None)
    deadline = time.monotonic() + SECONDS
    paints = 0
    while time.monotonic() < deadline:
        widget.repaint()
        paints += 1
    assert sys.getrefcount(None) > before - paints
