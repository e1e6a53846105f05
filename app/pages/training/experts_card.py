"""The card of a run's experts: what this computer sends to them and receives, and a grid of all."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.appearance.line_breaks import in_whole_parts
from app.pages.training.experts_grid import ExpertsGrid
from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from core.protocol.experts import ExpertsSeen
from core.texts.experts import experts_words


class ExpertsCard(Card):
    """Hidden where a run has no experts, and until something is known of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading, self._summary, self.grid = Heading(), Hint(), ExpertsGrid(self)
        for part in (self._heading, self._summary, self.grid):
            self.parts.addWidget(part)
        self.hide()

    @property
    def text(self) -> str:
        """What is said above the grid."""
        return self._summary.text().replace("\u00a0", " ")

    def show_experts(self, seen: ExpertsSeen | None) -> None:
        """Show what was told last of all experts."""
        self.setVisible(seen is not None)
        if seen is None:
            return
        self._heading.set_text(self.tr("Experts"))
        self._summary.set_text(in_whole_parts(experts_words(seen)))
        self.grid.show_experts(seen.experts)
