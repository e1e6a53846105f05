"""A frame around what belongs together."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.appearance.theme import give_role


class Card(QFrame):
    """A frame with rounded corners; its contents are added to ``parts``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        give_role(self, "card")
        self.parts = QVBoxLayout(self)
        self.parts.setContentsMargins(16, 14, 16, 14)
        self.parts.setSpacing(8)
