"""The card that says whether this computer helps, and what it has contributed so far."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.presentation.severity import Severity
from app.widgets.labels import Figure, Hint, Strong
from app.widgets.layout.card import Card
from app.widgets.layout.even_grid import EvenGrid
from app.widgets.status_icon import StatusIcon
from core.placeholders import fill_placeholders
from core.records.contributions import Contribution
from core.texts import figures
from core.texts.localization import translate

_LEAST_FIGURE_WIDTH = 118
_LARGER = 1.15


class ContributionCard(Card):
    """Whether this computer helps, in a sentence; then figures, which say so where they are not known."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._verdict, self._total = StatusIcon("unknown", self), Strong(), Hint()
        self._figures = [Figure(_LARGER, self) for _ in range(5)]
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._verdict, 1)
        grid = EvenGrid(_LEAST_FIGURE_WIDTH, len(self._figures), self)
        grid.show_parts(self._figures)
        self.parts.setSpacing(14)
        self.parts.addLayout(row)
        self.parts.addWidget(grid)
        self.parts.addWidget(self._total)
        self._contributions = (Contribution(), Contribution())
        self._share: float | None = None
        self._retranslate()

    @property
    def text(self) -> str:
        """Everything that the card says, one part a line."""
        return "\n".join((self._verdict.text(), *(each.text for each in self._figures), self._total.text()))

    def show_verdict(self, severity: Severity, sentence: str) -> None:
        """Show whether this computer helps: an icon and a sentence."""
        if severity != self._icon.severity:
            self._icon.set_severity(severity)
        self._verdict.set_text(sentence)

    def show_contributions(self, run: Contribution, total: Contribution) -> None:
        """Show what was contributed to this run, and to all runs."""
        self._contributions = (run, total)
        self._retranslate()

    def show_share(self, share: float | None) -> None:
        """Show this computer's share of the last step."""
        self._share = share
        self._retranslate()

    def _retranslate(self) -> None:
        run, total = self._contributions
        said = (
            (figures.count(run.samples), self.tr("samples given")),
            (figures.count(run.epochs), self.tr("epochs helped")),
            (figures.time(run.seconds), self.tr("of training")),
            (_energy(run), self.tr("energy used")),
            (figures.share(self._share), self.tr("of the last step")),
        )
        for figure, (number, words) in zip(self._figures, said, strict=True):
            figure.set_text(number, words)
        in_all = self.tr("In all runs together: %1 samples, %2 epochs, %3 of training")
        counts = (figures.count(total.samples), figures.count(total.epochs), figures.time(total.seconds))
        energy = "" if total.joules is None else f", {figures.energy(total.joules)}"
        self._total.set_text("" if run == total else f"{fill_placeholders(in_all, *counts)}{energy}")


def _energy(contribution: Contribution) -> str:
    joules = contribution.joules
    return translate("ContributionCard", "not measured") if joules is None else figures.energy(joules)
