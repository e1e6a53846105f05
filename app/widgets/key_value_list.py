"""A list of names and their values, one pair a row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.appearance.line_breaks import breakable
from app.widgets.labels import Hint, Words

_NAME_WIDTH = 120


class KeyValueList(QWidget):
    """A list of names and values, which are expected to be sanitised."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnMinimumWidth(0, _NAME_WIDTH)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 4)
        self._shown: list[tuple[str, str]] = []

    def show_facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Show these pairs; the labels of before are used again."""
        if list(facts) == self._shown:
            return
        self._shown = list(facts)
        for row, (name, words) in enumerate(facts):
            self._label(row, 0).setText(name)
            self._label(row, 1).setText(breakable(words))
        for row in range(max(len(facts), self._grid.rowCount())):
            for column in (0, 1):
                item = self._grid.itemAtPosition(row, column)
                if item and (label := item.widget()):
                    label.setVisible(row < len(facts))

    @property
    def text(self) -> str:
        """Everything that the list says, a pair a line."""
        return "\n".join(f"{name}: {words}" for name, words in self._shown)

    def _label(self, row: int, column: int) -> Words:
        item = self._grid.itemAtPosition(row, column)
        label = item.widget() if item else None
        if not isinstance(label, Words):
            label = Words() if column else Hint()
            self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        return label
