"""A sentence with inputs in it, such as "Use [the GPU] with [all] CPU threads"."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets.layout.flow_layout import FlowLayout
from core.placeholders import split_placeholders


class InlineForm(QWidget):
    """A sentence with inputs in it; ``%1``, ``%2``, … in the translated sentence stand for them, in any order."""

    def __init__(self, sentence: str, *blanks: QWidget) -> None:
        super().__init__()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        flow = FlowLayout(self)
        parts = split_placeholders(sentence)
        for part in parts:
            if isinstance(part, int):
                flow.addWidget(blanks[part])
            else:
                flow.addWidget(_word(part))
        for before, after in zip(_numbers(parts), _numbers(parts)[1:], strict=False):
            QWidget.setTabOrder(blanks[before], blanks[after])


def _numbers(parts: list[str | int]) -> list[int]:
    return [part for part in parts if isinstance(part, int)]


def _word(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
