"""A large figure with its unit and a sparkline."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.appearance.theme import give_role
from app.widgets.sparkline import Sparkline

_LARGER = 2.1


class Metric(QWidget):
    """A large number with its unit, and a sparkline; what is not known is said in smaller letters."""

    def __init__(self, curve: int, *, is_above: bool) -> None:
        super().__init__()
        self._number, self._unit, self._sparkline = QLabel(self), QLabel(self), Sparkline(curve, self)
        self._usual_size = self._number.font().pointSizeF()
        for label in (self._number, self._unit):
            label.setTextFormat(Qt.TextFormat.PlainText)
        give_role(self._unit, "quiet")
        column, self._row = QVBoxLayout(self), QHBoxLayout()
        row = self._row
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        row.setSpacing(6)
        row.addWidget(self._number)
        row.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignVCenter)
        if is_above:
            row.addStretch(1)
            column.addWidget(self._sparkline)
        else:
            row.addSpacing(12)
            row.addWidget(self._sparkline, 1)
        self.show_number("", "", is_known=False)

    @property
    def text(self) -> str:
        """The number and its unit, as they are shown."""
        return f"{self._number.text()} {self._unit.text()}".strip()

    def show_number(self, number: str, unit: str, *, is_known: bool) -> None:
        """Show that number with its unit; ``is_known`` makes it large."""
        if number == self._number.text() and unit == self._unit.text():
            return
        font = self._number.font()
        font.setPointSizeF(self._usual_size * (_LARGER if is_known else 1.3))
        font.setBold(is_known)
        self._number.setFont(font)
        self._number.setText(number)
        self._number.setMinimumHeight(round(self._usual_size * _LARGER * 1.9))
        self._unit.setText(unit)
        self._unit.setVisible(bool(unit))
        self._row.activate()  # at once: a larger number would be drawn once into the place of the smaller one

    def show_values(self, values: Sequence[float | None]) -> None:
        """Show the newest values in the sparkline, oldest first."""
        self._sparkline.show_values(values)
