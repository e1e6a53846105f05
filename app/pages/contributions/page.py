"""The page of what this computer has given to all runs, and what that cost its owner."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.appearance.theme import give_role
from app.charts.bar_chart import BarChart
from app.pages.contributions.bars import Measure, bars_of, measure_names, measures
from app.pages.contributions.picture import PictureContents
from app.pages.contributions.picture_dialog import PictureDialog
from app.pages.contributions.receipts_card import ReceiptsCard
from app.pages.contributions.summary_card import SummaryCard
from app.pages.contributions.table import ContributionsTable
from app.pages.save_dialog import open_save_dialog, save_in_words
from app.widgets.inline_inputs import Choice
from app.widgets.labels import Hint, Title
from app.widgets.layout.card import Card
from app.widgets.layout.flow_layout import FlowLayout
from app.widgets.layout.inline_form import InlineForm
from app.widgets.layout.page_column import PageColumn
from core.records.contribution_report import ContributionReport, Period, Tariff, as_csv
from core.records.contribution_totals import ContributionDelta, RunDay
from core.texts.contributions.table import has_earlier, notes

_WIDEST = 920
FILE_NAME = "workerbee-contributions.csv"


class ContributionsPage(QWidget):
    """Shows contributions as sums, bars and a table, and saves them as CSV or as a picture.

    Signals:
        back_requested: go back to the page before.
        settings_requested: go to the settings, where the price of electricity is.
    """

    back_requested = Signal()
    settings_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._given: Mapping[RunDay, ContributionDelta] = {}
        self._tariff, self._public_name = Tariff(), ""
        self._period: Period = "day"
        self._measure: Measure = "training"
        self.report = ContributionReport.of({}, self._period)
        self.files: QFileDialog | None = None
        self.picture_dialog: PictureDialog | None = None
        self.summary, self.bars, self.table = SummaryCard(), BarChart(), ContributionsTable()
        self.receipts = ReceiptsCard()
        self.period, self.measure = Choice(self.tr("A row for each")), Choice(self.tr("What the bars show"))
        self.csv, self.picture = QPushButton(self.tr("Save as CSV…")), QPushButton(self.tr("Picture…"))
        self.price, self.back = QPushButton(self.tr("Price of electricity…")), QPushButton(self.tr("Back"))
        self._empty, self._notes, self.state = Hint(), Hint(), Hint()
        self._offer_choices()
        self._connect()
        self._lay_out()
        self._show()

    def show_contributions(
        self, given: Mapping[RunDay, ContributionDelta], tariff: Tariff, public_name: str = ""
    ) -> None:
        """Show contributions by run and day; ``public_name`` is what a picture may tell if that is ticked."""
        self._public_name = public_name
        if given != self._given or tariff != self._tariff:
            self._given, self._tariff = dict(given), tariff
            self._show()

    def save_csv(self, path: Path) -> None:
        """Write the table there, and say so; or why that cannot be done."""
        self.state.set_text(save_in_words(path, as_csv(self.report, self._tariff).encode()))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Give the bars the focus, so that the keys that read them out work at once."""
        super().showEvent(event)
        (self.bars if self.report.rows else self.back).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Go back when Escape is pressed."""
        if event.key() == Qt.Key.Key_Escape:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        self.report = ContributionReport.of(self._given, self._period)
        runs = {run_id for run_id, _ in self._given}
        has_any = bool(self.report.rows)
        self.summary.show_total(self.report.total, len(runs), self._tariff)
        self.table.show_report(self.report, self._tariff)
        self._show_bars()
        for part in (self._contents, self.csv, self.picture):
            part.setVisible(has_any)
        keys = tuple(row.key for row in self.report.rows)
        sentences = notes(self.report.total, self._tariff, has_earlier=has_earlier(keys)) if has_any else ()
        self._notes.set_text("\n".join(sentences))
        self._empty.set_text("" if has_any else self.tr("This computer has not given anything yet: join a run first."))

    def _show_bars(self) -> None:
        measured = measures(self._tariff)[self._measure]
        bars = bars_of(self.report, measured)
        name = next(words for words, measure in measure_names() if measure == self._measure)
        self.bars.show_bars(name, bars, measured.words)
        self.bars.setVisible(bool(bars))

    def _offer_choices(self) -> None:
        self.period.show_choices([(self.tr("day"), "day"), (self.tr("month"), "month"), (self.tr("run"), "run")])
        self.period.show_chosen(self._period)
        self.measure.show_choices(measure_names())
        self.measure.show_chosen(self._measure)

    def _connect(self) -> None:
        self.period.chosen.connect(self._choose_period)
        self.measure.chosen.connect(self._choose_measure)
        self.csv.clicked.connect(self._choose_file)
        self.picture.clicked.connect(self._open_picture)
        self.price.clicked.connect(self.settings_requested)
        self.back.clicked.connect(self.back_requested)

    def _choose_period(self, period: Period) -> None:
        self._period = period
        self._show()

    def _choose_measure(self, measure: Measure) -> None:
        self._measure = measure
        self._show_bars()

    def _choose_file(self) -> None:
        self.files = open_save_dialog(self, self.tr("Save the table"), FILE_NAME, self.save_csv)

    def _open_picture(self) -> None:
        runs = ContributionReport.of(self._given, "run").rows
        months = ContributionReport.of(self._given, "month")
        names = tuple(row.name for row in runs if row.name)
        self.picture_dialog = PictureDialog(
            PictureContents(months, len(runs), self._tariff, self._public_name, names), self
        )
        self.picture_dialog.open()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(Title(self.tr("Contributions")), 1)
        top.addWidget(self.back)
        card = Card()
        card.parts.setSpacing(12)
        card.parts.addWidget(InlineForm(self.tr("Show %1 by %2"), self.measure, self.period))
        card.parts.addWidget(self.bars)
        card.parts.addWidget(self.table)
        self._contents = QWidget()
        contents = QVBoxLayout(self._contents)
        contents.setContentsMargins(0, 0, 0, 0)
        contents.setSpacing(16)
        contents.addWidget(self.summary)
        contents.addWidget(card)
        actions = QWidget()
        flow = FlowLayout(actions)
        give_role(self.price, "link")
        for button in (self.csv, self.picture, self.price):
            flow.addWidget(button)
        column = PageColumn(_WIDEST)
        column.parts.addLayout(top)
        for part in (self._empty, self._contents, self._notes, actions, self.state, self.receipts):
            column.parts.addWidget(part)
        column.parts.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(column)
        self.state.hide()
