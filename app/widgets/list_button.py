"""A row of a list as a button, as wide as its column, whose text wraps."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.widgets.labels import Hint, Strong


class ListButton(QPushButton):
    """A button with a name, and a lesser line below it."""

    def __init__(self, name: str, line: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setAccessibleDescription(line)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(14, 10, 14, 10)
        rows.setSpacing(2)
        for label in (Strong(breakable(name)), Hint(breakable(line))):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            rows.addWidget(label)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Whether the height follows from the width: wrapped words need more height where there is less width."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """The height that the words need at that width."""
        layout = self.layout()
        return layout.heightForWidth(width) if layout else -1

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of the words; the button has no text of its own."""
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The size at which the longest word just fits."""
        layout = self.layout()
        return layout.minimumSize() if layout else super().minimumSizeHint()
