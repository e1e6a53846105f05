"""The card of all that was ever given: large figures, each with what it counts."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.widgets.labels import Hint, Strong
from app.widgets.layout.card import Card
from app.widgets.layout.even_grid import EvenGrid
from core.records.contribution_report import ReportRow, Tariff
from core.texts import figures
from core.texts.localization import translate

_LEAST_FIGURE_WIDTH = 128
_LARGER = 1.35


class SummaryCard(Card):
    """The sums over all runs and all time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures = [_Figure(self) for _ in range(6)]
        grid = EvenGrid(_LEAST_FIGURE_WIDTH, 3, self)
        grid.show_parts(self._figures)
        self.parts.addWidget(grid)

    @property
    def text(self) -> str:
        """Everything that the card says, one figure a line."""
        return "\n".join(each.text for each in self._figures)

    def show_total(self, total: ReportRow, runs: int, tariff: Tariff) -> None:
        """Show the sums; money only where a price is known."""
        about = "~" if total.estimated_joules(tariff) else ""
        cost = total.cost(tariff)
        said = (
            (figures.count(total.given.samples), translate("SummaryCard", "samples in %n run(s)", "", runs)),
            (figures.time(total.given.seconds), self.tr("of training")),
            (about + figures.energy(total.joules(tariff)), self.tr("of energy")),
            (
                figures.unknown() if cost is None else about + figures.money(cost, tariff.currency),
                self.tr("for electricity"),
            ),
            (figures.size(total.given.sent_bytes), self.tr("sent")),
            (figures.size(total.given.received_bytes), self.tr("received")),
        )
        for figure, (number, words) in zip(self._figures, said, strict=True):
            figure.set_text(number, words)


class _Figure(QWidget):
    """A number, and below it what it counts."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._number, self._words = Strong(), Hint()
        font = self._number.font()
        font.setPointSizeF(font.pointSizeF() * _LARGER)
        self._number.setFont(font)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self._number)
        column.addWidget(self._words)

    @property
    def text(self) -> str:
        return f"{self._number.text()} {self._words.text()}"

    def set_text(self, number: str, words: str) -> None:
        self._number.set_text(number)
        self._words.set_text(words)
