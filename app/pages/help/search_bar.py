"""The search in a document: a field, how much was found, and the way to the next and the previous place."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from app.widgets.labels import Hint
from core.placeholders import fill_placeholders
from core.texts.figures import count

_MOST = 999


class SearchBar(QWidget):
    """Finds the words in a document that it is given; ``found`` tells the places and the current one."""

    found = Signal(object, int)

    def __init__(self) -> None:
        super().__init__()
        self._document: QTextDocument | None = None
        self._places: list[QTextCursor] = []
        self._current = 0
        self.field = _SearchField()
        self.field.setPlaceholderText(self.tr("Search this page"))
        self.field.setAccessibleName(self.tr("Search this page"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.search)
        self.field.next_requested.connect(lambda: self.go(1))
        self.field.previous_requested.connect(lambda: self.go(-1))
        self.told = Hint()
        self.told.setWordWrap(False)
        self.previous, self.next = QPushButton("↑"), QPushButton("↓")
        for button, name, step in (
            (self.previous, self.tr("Previous place"), -1),
            (self.next, self.tr("Next place"), 1),
        ):
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.clicked.connect(lambda _checked=False, step=step: self.go(step))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.field, self.told, self.previous, self.next):
            row.addWidget(widget)
        self._show_count()

    def search_in(self, document: QTextDocument) -> None:
        """Look for the same words in another document."""
        self._document = document
        self.search()

    def search(self) -> None:
        """Find every place of the words, whatever their case, and go to the first."""
        words, self._places, self._current = self.field.text(), [], 0
        if self._document is not None and words:
            place = self._document.find(words)
            while not place.isNull() and len(self._places) < _MOST:
                self._places.append(place)
                place = self._document.find(words, place)
        self._show_count()

    def go(self, step: int) -> None:
        """On to the next place, or with -1 to the previous one; after the last comes the first."""
        if self._places:
            self._current = (self._current + step) % len(self._places)
        self._show_count()

    def _show_count(self) -> None:
        total = len(self._places)
        if total:
            self.told.set_text(fill_placeholders(self.tr("%1 of %2"), count(self._current + 1), count(total)))
        else:
            self.told.set_text(self.tr("Nothing found") if self.field.text() else "")
        for button in (self.previous, self.next):
            button.setEnabled(total > 0)
        self.found.emit(self._places, self._current)


class _SearchField(QLineEdit):
    """A line whose Enter goes on to the next place, and whose Escape first empties it."""

    next_requested = Signal()
    previous_requested = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter and Shift+Enter go from place to place; Escape leaves the page once the line is empty."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.previous_requested if is_back else self.next_requested).emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
