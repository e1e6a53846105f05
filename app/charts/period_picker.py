"""The buttons that choose how far back the charts reach."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from app.charts.definitions import PERIODS, Period, period_sentence, period_title


class PeriodPicker(QWidget):
    """A row of buttons, one for each period.

    Qt's own group of buttons would take all but one of them out of the order of the Tab key.

    Signals:
        period_chosen: another period was chosen (its key).
    """

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
        self._retranslate()
        self.show_period(self.period)

    def show_period(self, period: Period) -> None:
        """Show which period is chosen, without emitting anything."""
        self.period = period
        for each, button in self._buttons.items():
            button.setChecked(each == period)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _choose(self, period: Period) -> None:
        is_new = period != self.period
        self.show_period(period)
        if is_new:
            self.period_chosen.emit(period)

    def _retranslate(self) -> None:
        for period, button in self._buttons.items():
            button.setText(period_title(period))
            button.setToolTip(period_sentence(period))
            button.setAccessibleName(period_sentence(period))
