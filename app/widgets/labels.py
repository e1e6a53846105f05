"""Labels: always plain text, always wrapped, in the sizes that the theme gives to their roles."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.appearance.theme import Role, give_role


class Words(QLabel):
    """A sentence or a paragraph as plain text, which never asks for more width than its longest word."""

    role: Role | None = None

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        if self.role:
            give_role(self, self.role)

    def set_text(self, text: str) -> None:
        """Show the text; without any, take no room."""
        if text != self.text():
            self.setText(text)
        self.setVisible(bool(text))


class Title(Words):
    """The name of a page or of a run."""

    role = "title"


class Heading(Words):
    """The name of a part of a page."""

    role = "heading"


class Hint(Words):
    """A text that helps and need not be read, in a muted colour."""

    role = "quiet"


class Strong(Words):
    """A name, or the one word that counts, in bold letters."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        font = self.font()
        font.setBold(True)
        self.setFont(font)


class Figure(QWidget):
    """A number, and below it what it counts."""

    def __init__(self, larger: float, parent: QWidget) -> None:
        """``larger`` is the size of the number, in times that of the usual text."""
        super().__init__(parent)
        self._number, self._words = Strong(), Hint()
        font = self._number.font()
        font.setPointSizeF(font.pointSizeF() * larger)
        self._number.setFont(font)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self._number)
        column.addWidget(self._words)

    @property
    def text(self) -> str:
        """The number and what it counts, as they are shown."""
        return f"{self._number.text()} {self._words.text()}"

    def set_text(self, number: str, words: str) -> None:
        """Show that number, and what it counts."""
        self._number.set_text(number)
        self._words.set_text(words)
