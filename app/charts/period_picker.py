"""How far back the graphs reach: one of five, beside each other."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from app.charts.definitions import PERIODS, Period, period_sentence, period_title


class PeriodPicker(QWidget):
    """Qt's own group of buttons would take all but one of them out of the order of the Tab key."""

    period_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[Period, QToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for period in PERIODS:
            button = QToolButton(self)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(lambda *_, chosen=period: self._choose(chosen))
            self._buttons[period] = button
            row.addWidget(button)
        self.period: Period = "30min"
        self._say()
        self.show_period(self.period)

    def show_period(self, period: Period) -> None:
        """This one is chosen."""
        self.period = period
        for each, button in self._buttons.items():
            button.setChecked(each == period)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language has other words."""
        if event.type() == QEvent.Type.LanguageChange:
            self._say()
        super().changeEvent(event)

    def _choose(self, period: Period) -> None:
        is_new = period != self.period
        self.show_period(period)
        if is_new:
            self.period_chosen.emit(period)

    def _say(self) -> None:
        for period, button in self._buttons.items():
            button.setText(period_title(period))
            button.setToolTip(period_sentence(period))
            button.setAccessibleName(period_sentence(period))
