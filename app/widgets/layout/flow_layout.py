"""A layout like a line of writing: parts stand beside each other, and the line breaks where it is full."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class Flow(QLayout):
    """Parts of one line are centred upon it; a part that is wider than the line is made as narrow as it."""

    def __init__(self, parent: QWidget, between: int = 5, lines_between: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._between, self._lines_between = between, lines_between
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Called by Qt."""
        self._items.append(item)

    def count(self) -> int:
        """Called by Qt."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Called by Qt, which expects ``None`` beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Called by Qt."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """It asks for no more room than its lines need."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """A narrower line breaks more often."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """What the lines need."""
        lines = self._lines(width)
        heights = [max(item.sizeHint().height() for item in line) for line in lines]
        return sum(heights) + self._lines_between * max(0, len(lines) - 1)

    def sizeHint(self) -> QSize:  # noqa: N802
        """All in one line."""
        sizes = [item.sizeHint() for item in self._items]
        width = sum(size.width() + self._between for size in sizes)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802
        """The widest part's."""
        sizes = [item.minimumSize() for item in self._items]
        width = max((size.width() for size in sizes), default=0)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Place every part, from the right where one reads from there."""
        super().setGeometry(rect)
        parent = self.parentWidget()
        is_mirrored = parent is not None and parent.layoutDirection() == Qt.LayoutDirection.RightToLeft
        top = rect.top()
        for line in self._lines(rect.width()):
            height = max(item.sizeHint().height() for item in line)
            left = rect.left()
            for item in line:
                size = item.sizeHint().boundedTo(QSize(rect.width(), height))
                x = rect.right() + 1 - (left - rect.left()) - size.width() if is_mirrored else left
                item.setGeometry(QRect(QPoint(x, top + (height - size.height()) // 2), size))
                left += size.width() + self._between
            top += height + self._lines_between

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        room = 0
        for item in self._items:
            needed = item.sizeHint().width()
            if not lines or needed > room:
                lines.append([])
                room = width
            lines[-1].append(item)
            room -= needed + self._between
        return lines
