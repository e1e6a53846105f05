"""The card of all that was ever given: large figures, each with what it counts."""

from __future__ import annotations

from app.widgets.labels import Figure
from app.widgets.layout.card import Card
from app.widgets.layout.even_grid import EvenGrid
from core.records.contribution_report import ReportRow, Tariff
from core.texts import figures
from core.texts.localization import translate

_LEAST_FIGURE_WIDTH = 128
_LARGER = 1.35


class SummaryCard(Card):
    """The sums over all runs and all time."""

    def __init__(self) -> None:
        super().__init__()
        self._figures = [Figure(_LARGER, self) for _ in range(6)]
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
            (about + figures.energy(total.joules(tariff)), self.tr("energy used")),
            (
                self.tr("no price set") if cost is None else about + figures.money(cost, tariff.currency),
                self.tr("cost of electricity"),
            ),
            (figures.size(total.given.sent_bytes), self.tr("sent")),
            (figures.size(total.given.received_bytes), self.tr("received")),
        )
        for figure, (number, words) in zip(self._figures, said, strict=True):
            figure.set_text(number, words)
