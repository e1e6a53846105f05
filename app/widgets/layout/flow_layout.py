"""A layout like a line of writing: parts stand in a row, which breaks where it is full."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """A layout that breaks lines: parts of one line are centred, and one that is wider than the line is narrowed.

    A part that is hidden takes no room.
    """

    def __init__(self, parent: QWidget, between: int = 5, lines_between: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._between, self._lines_between = between, lines_between
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Add a part at the end, for Qt's layout."""
        self._items.append(item)

    def count(self) -> int:
        """The number of parts, for Qt's layout."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """The part at that index; ``None`` beyond the end, as Qt expects."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Remove the part at that index; ``None`` beyond the end, as Qt expects."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """No direction: the layout asks for no more room than its lines need."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Whether the height follows from the width: a narrower line breaks more often."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """The height that the lines need at that width."""
        lines = self._lines(width)
        heights = [max(item.sizeHint().height() for item in line) for line in lines]
        return sum(heights) + self._lines_between * max(0, len(lines) - 1)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of all parts in one line."""
        sizes = [item.sizeHint() for item in self._shown()]
        width = sum(size.width() + self._between for size in sizes)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802
        """The size of the widest and of the highest part."""
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

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        room = 0
        for item in self._shown():
            needed = item.sizeHint().width()
            if not lines or needed > room:
                lines.append([])
                room = width
            lines[-1].append(item)
            room -= needed + self._between
        return lines
