"""Blanks to be filled in: they change by a click or a key, never by a wheel that passes over them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

_HEIGHT = 30


class Choice(QComboBox):
    """One of several words, each of which stands for a value."""

    chosen = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumHeight(_HEIGHT)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    def show_choices(self, choices: Sequence[tuple[str, object]]) -> None:
        """Offer these words for these values; a list that is open stays open unless it changes."""
        if [(self.itemText(index), self.itemData(index)) for index in range(self.count())] == list(choices):
            return
        before = self.currentData()
        self.clear()
        for word, value in choices:
            self.addItem(word, value)
        self.show_chosen(before)

    def show_chosen(self, value: object) -> None:
        """Fill in the word for that value; leave the blank empty where there is none."""
        values = [self.itemData(index) for index in range(self.count())]
        self.setCurrentIndex(values.index(value) if value in values else -1)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Scroll the page instead, unless this is where the person is."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Number(QSpinBox):
    """A whole number; its least one may stand for a word, such as "all"."""

    chosen = Signal(int)

    def __init__(self, name: str, least: int, most: int, least_word: str = "") -> None:
        super().__init__()
        self.setMinimumHeight(_HEIGHT)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setRange(least, most)
        self.setSpecialValueText(least_word)
        self.valueChanged.connect(self.chosen)

    def show_number(self, value: int) -> None:
        """Fill it in without asking for anything."""
        if value != self.value():
            self.blockSignals(True)
            self.setValue(value)
            self.blockSignals(False)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Scroll the page instead, unless this is where the person is."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
