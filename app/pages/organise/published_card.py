"""The card of the runs that were published from here: watch one, copy its address, export its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.widgets.labels import Heading
from app.widgets.layout.card import Card
from app.widgets.layout.flow_layout import FlowLayout
from app.widgets.list_button import ListButton
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts import figures


@dataclass(frozen=True)
class PublishedLine:
    """What the card says of a run: its link is empty where nobody knows it any more."""

    run_id: str
    name: str
    link: str
    is_published: bool
    epoch: int
    loss: float | None
    checkpoints: int


class PublishedCard(Card):
    """A row for each run; hidden where there is none.

    Signals:
        watch_requested: watch the peers of the run with that link.
        copy_requested: copy that link.
        export_requested: export the model of the run with that id.
    """

    watch_requested = Signal(str)
    copy_requested = Signal(str)
    export_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[PublishedLine, ...] = ()
        self._rows: list[QWidget] = []
        self.parts.addWidget(Heading(self.tr("Published from this computer")))
        self.hide()

    def show_runs(self, runs: Sequence[PublishedLine]) -> None:
        """Show these runs; a list that is the same already is left alone, and so is the focus in it."""
        if tuple(runs) == self._shown:
            return
        self._shown = tuple(runs)
        for row in self._rows:
            self.parts.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(run) for run in runs]
        for row in self._rows:
            self.parts.addWidget(row)
        self.setVisible(bool(runs))

    def _row(self, run: PublishedLine) -> QWidget:
        name = sanitize_line(run.name, 120) or sanitize_line(run.run_id, 64)
        watch = ListButton(name, self._line(run))
        watch.setToolTip(self.tr("Watch the peers of this run"))
        watch.setEnabled(bool(run.link))
        watch.clicked.connect(lambda: self.watch_requested.emit(run.link))
        copy, export = QPushButton(self.tr("Copy the address")), QPushButton(self.tr("Export the model…"))
        copy.setEnabled(bool(run.link))
        copy.setAccessibleName(fill_placeholders(self.tr("Copy the address of “%1”"), name))
        copy.clicked.connect(lambda: self.copy_requested.emit(run.link))
        export.setEnabled(run.checkpoints > 0)
        export.setAccessibleName(fill_placeholders(self.tr("Export the model of “%1”"), name))
        export.clicked.connect(lambda: self.export_requested.emit(run.run_id))
        buttons = QWidget()
        flow = FlowLayout(buttons)
        flow.addWidget(copy)
        flow.addWidget(export)
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(watch)
        column.addWidget(buttons)
        return row

    def _line(self, run: PublishedLine) -> str:
        state = self.tr("published now") if run.is_published else self.tr("not published now")
        epoch = fill_placeholders(self.tr("epoch %1"), figures.count(run.epoch))
        loss = [] if run.loss is None else [fill_placeholders(self.tr("loss %1"), figures.loss(run.loss))]
        kept = self.tr("%n checkpoint(s)", "", run.checkpoints)
        return " · ".join([state, epoch, *loss, kept])
