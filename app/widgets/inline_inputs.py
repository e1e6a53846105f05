"""Inputs that stand in a sentence; a mouse wheel that passes over them does not change them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QStyle, QStyleOptionComboBox, QStyleOptionSpinBox, QWidget

from app.appearance.theme import colours
from app.widgets.menu_button import draw_chevron

_HEIGHT = 30
_TEXT_MARGIN = 7
_GIGABYTE, _MOST_GIGABYTES = 1_000_000_000, 100_000


class Choice(QComboBox):
    """A list of words, each of which stands for a value.

    Signals:
        chosen: the value that a person has chosen.
    """

    chosen = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumHeight(_HEIGHT)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
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
        """Show the word for that value, without emitting anything; none where no word stands for it."""
        values = [self.itemData(index) for index in range(self.count())]
        self.setCurrentIndex(values.index(value) if value in values else -1)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint the list with a chevron, since a stylesheet knows no signs but pictures."""
        super().paintEvent(event)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        arrow = QStyle.SubControl.SC_ComboBoxArrow
        place = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, arrow, self)
        draw_chevron(QPainter(self), _middle(place), _colour(self))

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Let the wheel scroll the page, unless the list has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Number(QSpinBox):
    """A whole number; its least one may stand for a word, such as "all".

    Signals:
        chosen: the number that a person has entered.
    """

    chosen = Signal(int)

    def __init__(self, name: str, least: int, most: int, least_word: str = "") -> None:
        super().__init__()
        self.setMinimumHeight(_HEIGHT)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setRange(least, most)
        self.setSpecialValueText(least_word)
        self.lineEdit().setTextMargins(_TEXT_MARGIN, 0, 0, 0)  # which the stylesheet's padding does not reach
        self.valueChanged.connect(self.chosen)

    def show_number(self, value: int) -> None:
        """Show that number, without emitting anything."""
        if value != self.value():
            self.blockSignals(True)
            self.setValue(value)
            self.blockSignals(False)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint the number with chevrons; one that leads nowhere is faint."""
        super().paintEvent(event)
        option = QStyleOptionSpinBox()
        self.initStyleOption(option)
        painter = QPainter(self)
        for part, step, is_up in (
            (QStyle.SubControl.SC_SpinBoxUp, QSpinBox.StepEnabledFlag.StepUpEnabled, True),
            (QStyle.SubControl.SC_SpinBoxDown, QSpinBox.StepEnabledFlag.StepDownEnabled, False),
        ):
            place = self.style().subControlRect(QStyle.ComplexControl.CC_SpinBox, option, part, self)
            leads_on = bool(self.stepEnabled() & step)
            draw_chevron(painter, _middle(place), _colour(self, leads_on), is_up=is_up)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Let the wheel scroll the page, unless the number has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Gigabytes(Number):
    """A limit of bytes in whole gigabytes, rounded up, so that a small limit does not read as none.

    Signals:
        limit_chosen: the limit that a person has entered, in bytes; ``None`` for none.
    """

    limit_chosen = Signal(object)

    def __init__(self, name: str, no_limit: str) -> None:
        """``no_limit`` is the word that stands for 0."""
        super().__init__(name, 0, _MOST_GIGABYTES, no_limit)
        self.setSuffix(" GB")
        self.chosen.connect(lambda number: self.limit_chosen.emit(number * _GIGABYTE or None))

    def show_limit(self, limit: int | None) -> None:
        """Show that limit in bytes, without emitting anything."""
        self.show_number(ceil((limit or 0) / _GIGABYTE))


def _middle(place: QRect) -> QPointF:
    return QPointF(place.center()) + QPointF(0.5, 0.5)


def _colour(widget: QWidget, leads_on: bool = True) -> QColor:
    theme = colours(widget.palette())
    if not leads_on:
        return theme.line
    return theme.text if widget.isEnabled() else theme.muted
