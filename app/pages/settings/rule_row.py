"""A rule on the settings page: its switch, its limit, and what it sees right now."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from app.widgets.inline_inputs import Number
from app.widgets.labels import Hint
from app.widgets.layout.inline_form import InlineForm
from core.placeholders import fill_placeholders

INDENT = 24


class RuleRow(QWidget):
    """A rule with a switch, whose words may go on with a limit.

    Signals:
        changed: whether the rule is on, and its limit; that is 0 where it has none.
    """

    changed = Signal(bool, int)

    def __init__(self, words: str, sentence: str = "%1", limit: Number | None = None) -> None:
        """``words`` are the switch's own; in ``sentence``, %1 is the switch and %2 the limit."""
        super().__init__()
        self._sentence = sentence
        self.switch, self.limit, self.reading = QCheckBox(words), limit, Hint()
        self.reading.setContentsMargins(INDENT, 0, 0, 0)
        inputs = [self.switch] if limit is None else [self.switch, limit]
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(2)
        rows.addWidget(InlineForm(sentence, *inputs))
        rows.addWidget(self.reading)
        self.reading.hide()
        self.switch.clicked.connect(lambda: self._emit())
        if limit is not None:
            limit.chosen.connect(lambda: self._emit())

    def show_rule(self, is_on: bool, limit: int | None = None) -> None:
        """Show the rule, without emitting anything; a rule that is off keeps the limit that was shown last."""
        self.switch.setChecked(is_on)
        if self.limit is not None:
            self.limit.setEnabled(is_on)
            if limit is not None:
                self.limit.show_number(limit)
            words = fill_placeholders(self._sentence, self.switch.text(), self.limit.text())
            self.switch.setAccessibleName(words)  # whole, since several rules begin with the same words

    def show_reading(self, words: str) -> None:
        """Show what the rule sees, below its switch; a screen reader says it with the switch."""
        self.reading.set_text(words)
        self.switch.setAccessibleDescription(words)

    def _emit(self) -> None:
        self.changed.emit(self.switch.isChecked(), self.limit.value() if self.limit is not None else 0)
