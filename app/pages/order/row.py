"""A row of the order: number, name, what is in the way of the run, and buttons to move and remove it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.appearance.theme import give_role
from app.pages.order.view import OrderRow
from app.widgets.labels import Hint, Strong
from core.placeholders import fill_placeholders
from core.texts.run_order import standing_words

translate = QCoreApplication.translate  # lupdate knows it by this name only
_LEAST_NAME_WIDTH = 120


class OrderRowWidget(QWidget):
    """One run; every button works with the keyboard alone.

    Signals:
        moved: one place earlier (-1) or later (1).
        removed: strike it from the order.
        look_requested: look at what its organiser has changed.
    """

    moved = Signal(int)
    removed = Signal()
    look_requested = Signal()

    def __init__(self, row: OrderRow, number: int, last: int) -> None:
        super().__init__()
        name = fill_placeholders(translate("OrderCard", "%1. %2"), str(number), row.name)
        self.up = _button("▲", fill_placeholders(translate("OrderCard", "Move “%1” up"), row.name))
        self.down = _button("▼", fill_placeholders(translate("OrderCard", "Move “%1” down"), row.name))
        self.remove = _button("✕", fill_placeholders(translate("OrderCard", "Remove “%1” from the order"), row.name))
        self.up.setEnabled(number > 1)
        self.down.setEnabled(number < last)
        self.up.clicked.connect(lambda: self.moved.emit(-1))
        self.down.clicked.connect(lambda: self.moved.emit(1))
        self.remove.clicked.connect(self.removed)
        self.look = QPushButton(translate("OrderCard", "Look at it"))
        self.look.setVisible(row.obstacle == "changed")
        self.look.clicked.connect(self.look_requested)
        is_helped = row.is_present and row.obstacle is None
        words = translate("OrderCard", "helped now") if is_helped else standing_words(row.obstacle)
        self._lay_out(Strong(breakable(name)), words)

    @property
    def buttons(self) -> tuple[QToolButton | QPushButton, ...]:
        """Its buttons, of which one may have the focus."""
        return self.up, self.down, self.remove, self.look

    def _lay_out(self, name: Strong, words: str) -> None:
        hint = Hint()
        hint.set_text(words)
        name.setMinimumWidth(_LEAST_NAME_WIDTH)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(name)
        column.addWidget(hint)
        sides = QHBoxLayout(self)
        sides.setContentsMargins(0, 0, 0, 0)
        sides.setSpacing(4)
        sides.addLayout(column, 1)
        for button in (self.look, self.up, self.down, self.remove):
            sides.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)


def _button(sign: str, name: str) -> QToolButton:
    button = QToolButton()
    button.setText(sign)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    give_role(button, "link")
    return button
