"""A long text, of which only the beginning is shown at first."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.appearance.theme import give_role
from app.widgets.labels import Words
from core.security.sanitize import sanitize_text

_SHORT = 700
_LONGEST = 8000


class ExpandableText(QWidget):
    """A stranger's text as plain text of bounded length: its beginning, and a button for the rest."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self._words = Words()
        self.more = QPushButton(self.tr("Read all of it"))
        give_role(self.more, "link")
        self.more.clicked.connect(self._unfold)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self._words)
        rows.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.more.hide()
        self.hide()

    @property
    def text(self) -> str:
        """The part of the text that can be read now."""
        return self._words.text()

    def show_text(self, text: str) -> None:
        """Show a text, folded if it is long."""
        whole = breakable(sanitize_text(text, _LONGEST))
        if whole == self._whole:
            return
        self._whole = whole
        is_long = len(whole) > _SHORT
        self._words.setText(f"{whole[:_SHORT].rpartition(' ')[0] or whole[:_SHORT]}…" if is_long else whole)
        self.more.setVisible(is_long)
        self.setVisible(bool(whole))

    def _unfold(self) -> None:
        self._words.setText(self._whole)
        self.more.hide()
