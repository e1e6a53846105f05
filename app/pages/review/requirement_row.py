"""A row that compares one requirement of a run with this computer: an icon, a bar, a verdict and the figures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.presentation.fit import MEANING
from app.widgets.labels import Hint, Strong
from app.widgets.memory_bar import MemoryBar
from app.widgets.status_icon import StatusIcon
from core.hardware.fit import Fit
from core.texts.fit import numbers_of, verdict_on


class RequirementRow(QWidget):
    """One requirement of a run: GPU memory, memory, or disk; hidden where the run has none."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._icon = StatusIcon()
        self._verdict = QLabel()
        self._verdict.setTextFormat(Qt.TextFormat.PlainText)
        self._bar = MemoryBar()
        self._numbers = Hint()
        head = QHBoxLayout()
        head.addWidget(Strong(name), 1)
        head.addWidget(self._verdict, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addLayout(head)
        words.addWidget(self._bar)
        words.addWidget(self._numbers)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.hide()

    @property
    def text(self) -> str:
        """Everything that the row says, in one line."""
        return f"{self._name}: {self._verdict.text()}. {self._numbers.text()}"

    def show_fit(self, fit: Fit | None) -> None:
        """Show how the requirement fits; ``None`` hides the row."""
        self.setVisible(fit is not None)
        if fit is None:
            return
        severity = MEANING[fit.verdict]
        self._icon.set_severity(severity)
        self._verdict.setText(verdict_on(fit))
        self._numbers.setText(numbers_of(fit))
        self.setAccessibleName(self.text)
        self._bar.setVisible(fit.needed_bytes > 0 and fit.available_bytes is not None)
        if fit.available_bytes is not None:
            whole = max(fit.total_bytes or fit.available_bytes, 1)
            self._bar.show_shares(1.0 - fit.available_bytes / whole, fit.needed_bytes / whole, severity)
