"""The card of how fast this computer trains, and on which device."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.appearance.line_breaks import unbroken
from app.widgets.labels import Hint
from app.widgets.layout.card import Card
from app.widgets.metric import Metric
from core.texts import figures


class ThroughputCard(Card):
    """How fast this computer trains; a speed that is not known is not shown as zero."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption, self.number, self._device = Hint(), Metric(0, is_above=True), Hint()
        self.parts.addWidget(self._caption)
        self.parts.addWidget(self.number)
        self.parts.addStretch(1)
        self.parts.addWidget(self._device)
        self.show_speed(None, (), is_resting=False)

    def show_speed(self, samples_per_second: float | None, values: Sequence[float | None], *, is_resting: bool) -> None:
        """Show the speed now and those before; ``is_resting`` means that there is none to be known."""
        self._caption.set_text(self.tr("This computer"))
        if is_resting:
            self.number.show_number(self.tr("at rest"), "", is_known=False)
        elif samples_per_second is None:
            self.number.show_number(figures.unknown(), "", is_known=False)
        else:
            words = figures.amount(samples_per_second)
            self.number.show_number(words, self.tr("samples/s"), is_known=True)
        self.number.show_values(values)

    def show_device(self, words: str) -> None:
        """Show on which device it trains."""
        self._device.set_text(unbroken(words))
