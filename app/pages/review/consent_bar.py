"""The foot of the review page: Back, what to expect, and Start."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.appearance.theme import give_role
from app.presentation.fit import MEANING, advice_for
from app.widgets.labels import Words
from app.widgets.status_icon import StatusIcon
from core.hardware.fit import FitVerdict


class ConsentBar(QWidget):
    """The foot of the review: Start is the default only where the run fits; to press it is a person's own decision.

    Signals:
        start_requested: train in this run.
        later_requested: agree to this run, and help it after the others.
        back_requested: go back.
    """

    start_requested = Signal()
    later_requested = Signal()
    back_requested = Signal()

    def __init__(self, widest: int) -> None:
        super().__init__()
        self._icon, self._words = StatusIcon(), Words()
        self.back = QPushButton(self.tr("Back"))
        self.back.setAutoDefault(True)
        self.back.clicked.connect(self.back_requested)
        self.later = QPushButton(self.tr("Help it later"))
        self.later.setAutoDefault(True)
        self.later.setToolTip(self.tr("Agree to it now, and help it after the other runs of your order"))
        self.later.clicked.connect(self.later_requested)
        self.start = QPushButton(self.tr("Start"))
        self.start.setAutoDefault(True)
        self.start.clicked.connect(self.start_requested)
        self._lay_out(widest)

    @property
    def text(self) -> str:
        """The sentence beside the Start button."""
        return self._words.text()

    def show_fit(self, verdict: FitVerdict) -> None:
        """Allow to start, and show what is to be expected."""
        self._show(verdict in ("fits", "tight"), advice_for(verdict))
        self._icon.set_severity(MEANING[verdict])
        self._icon.show()
        is_bad = verdict == "too_little"
        self.start.setText(self.tr("Start all the same") if is_bad else self.tr("Start"))
        self.start.setEnabled(True)
        self.later.setEnabled(True)

    def show_obstacle(self, why: str) -> None:
        """Disable Start, and show why the run cannot be started now."""
        self._show(False, why)
        self._icon.hide()
        self.start.setText(self.tr("Start"))
        self.start.setEnabled(False)
        self.later.setEnabled(False)

    def hide_start(self) -> None:
        """Hide Start while there is nothing yet that could be started."""
        self.show_obstacle("")
        self.start.hide()
        self.later.hide()

    def _show(self, is_default: bool, words: str) -> None:
        self.start.show()
        self.later.show()
        self._words.setText(words)
        self.start.setAccessibleDescription(words)
        if is_default != self.start.isDefault():
            self.start.setDefault(is_default)
            give_role(self.start, "primary" if is_default else None)

    def _lay_out(self, widest: int) -> None:
        middle = QWidget()
        middle.setMaximumWidth(widest)
        sides = QHBoxLayout(self)
        sides.setContentsMargins(24, 12, 24, 16)
        sides.addStretch(1)
        sides.addWidget(middle, 1000)
        sides.addStretch(1)
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.back)
        row.addWidget(self._icon)
        row.addWidget(self._words, 1)
        row.addWidget(self.later)
        row.addWidget(self.start)
