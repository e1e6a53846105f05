"""The bar of the swarm's progress to its next step, with this computer's part in it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from app.appearance.theme import colours
from core.placeholders import fill_placeholders
from core.texts import figures

_HEIGHT = 14
_LEAST_WIDTH = 2.0


@dataclass(frozen=True)
class Step:
    """Samples of the step: those of the whole swarm, the target, and this computer's among them."""

    samples: int
    target: int
    mine: int


class EpochProgressBar(QProgressBar):
    """A bar of two parts: this computer's samples in its colour, then everybody else's in the swarm's.

    Its value, which a screen reader tells, is the share of the step that is done, in per cent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._step: Step | None = None
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._retranslate()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of a thick line."""
        return QSize(200, _HEIGHT)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The size of a short thick line."""
        return QSize(60, _HEIGHT)

    @property
    def step(self) -> Step | None:
        """The step that is shown."""
        return self._step

    def show_step(self, step: Step | None) -> None:
        """Show that step; ``None`` shows an empty bar."""
        if step == self._step:
            return
        self._step = step
        self.setValue(0 if step is None or not step.target else min(100, round(100 * step.samples / step.target)))
        self._retranslate()
        self.update()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Progress to the next step"))
        self.setAccessibleDescription(figures.unknown() if self._step is None else self._description(self._step))

    def _description(self, step: Step) -> str:
        return fill_placeholders(
            self.tr("%1 of %2 samples, %3 of them mine"),
            figures.count(step.samples),
            figures.count(step.target),
            figures.count(step.mine),
        )

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the two parts upon what is still to be done."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = colours(self.palette())
        whole = QRectF(self.rect())
        outline = QPainterPath()
        outline.addRoundedRect(whole, _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(outline)
        painter.fillRect(whole, theme.line)
        step = self._step
        if step is None or step.target <= 0 or step.samples <= 0:
            return
        done = min(1.0, step.samples / step.target) * whole.width()
        mine = min(1.0, step.mine / step.samples) * done
        others = QColor(theme.curves[1])
        painter.fillRect(QRectF(0, 0, done, whole.height()), others)
        if step.mine > 0:
            painter.fillRect(QRectF(0, 0, max(mine, _LEAST_WIDTH), whole.height()), theme.curves[0])
            painter.fillRect(QRectF(max(mine, _LEAST_WIDTH), 0, 1.5, whole.height()), theme.surface)
