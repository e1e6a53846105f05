"""The card of the swarm's progress to its next step, and of who takes part in it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.pages.training.epoch_progress_bar import EpochProgressBar, Step
from app.widgets.labels import Hint
from app.widgets.layout.card import Card
from app.widgets.metric import Metric
from core.placeholders import fill_placeholders
from core.protocol.events import Progress
from core.texts import figures


class EpochProgressCard(Card):
    """How near the swarm is to its next step: the share that is done, and the swarm's speed as a sparkline."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption, self.number, self.bar = Hint(), Metric(1, is_above=False), EpochProgressBar(self)
        self._samples, self._peers = Hint(), Hint()
        for part in (self._caption, self.number, self.bar, self._samples, self._peers):
            self.parts.addWidget(part)
        self.show_progress(None, (), is_resting=False)

    def show_progress(self, progress: Progress | None, values: Sequence[float | None], *, is_resting: bool) -> None:
        """Show where the swarm is, and how fast it was; a computer at rest is not told."""
        self._caption.set_text(self.tr("The swarm's next step"))
        self.number.show_values(values)
        if progress is None:
            words = self.tr("not known at rest") if is_resting else figures.unknown()
            self.number.show_number(words, "", is_known=False)
            self.bar.show_step(None)
            self._samples.setText(" ")
            self._peers.setText(" ")
            return
        step = Step(progress.samples, progress.target, progress.my_samples)
        share = min(1.0, step.samples / step.target) if step.target else None
        self.number.show_number(figures.share(share), "", is_known=share is not None)
        self.bar.show_step(step)
        samples = self.tr("%1 of %2 samples, %3 of them mine")
        counts = (figures.count(step.samples), figures.count(step.target), figures.count(step.mine))
        self._samples.set_text(fill_placeholders(samples, *counts))
        self._peers.set_text(self._peers_words(progress))

    def _peers_words(self, progress: Progress) -> str:
        parts = [self.tr("%n peers", "", progress.peers)]
        if progress.clients:
            parts.append(self.tr("%n of them outgoing only", "", progress.clients))
        words = ", ".join(parts)
        if progress.swarm_samples_per_second is None:
            return words
        return f"{words} · {fill_placeholders(self.tr('%1 together'), figures.rate(progress.swarm_samples_per_second))}"
