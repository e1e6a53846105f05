"""The page of an organiser: the runs published from here, and the fleet of the run that is watched."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.pages.organise.facts import facts_of
from app.pages.organise.fleet_charts import FleetCharts
from app.pages.organise.fleet_table import FleetTable
from app.pages.organise.published_card import PublishedCard, PublishedLine
from app.widgets.callout import Callout
from app.widgets.key_value_list import KeyValueList
from app.widgets.labels import Heading, Hint, Title, Words
from app.widgets.layout.card import Card
from app.widgets.layout.page_column import PageColumn
from core.client.session import Session
from core.fleet.history import FleetHistory
from core.fleet.snapshot import FleetSnapshot
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.errors import advice_of, title_of
from core.texts.worker_messages import translate_message

_WIDEST = 1200


class OrganisePage(QWidget):
    """Shows a fleet, and what becomes of the watching of it.

    Signals:
        opened: the page has become visible.
        back_requested: go back to the page before.
        stop_requested: watch no longer.
        watch_again_requested: watch the run again that was watched last.

    Attributes:
        published: the card of the runs that were published from here.
        fleet: the peers in a table.
    """

    opened = Signal()
    back_requested = Signal()
    stop_requested = Signal()
    watch_again_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._snapshot: FleetSnapshot | None = None
        self.published, self.charts, self.fleet = PublishedCard(), FleetCharts(), FleetTable()
        self.facts, self.problem = KeyValueList(), Callout()
        self.name, self.status, self.notice, self.outcome = Heading(), Hint(), Words(), Hint()
        self.back, self.stop = QPushButton(self.tr("Back")), QPushButton(self.tr("Stop watching"))
        self.back.clicked.connect(self.back_requested)
        self.stop.clicked.connect(self.stop_requested)
        self.problem.action_requested.connect(self.watch_again_requested)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self).activated.connect(self._search)
        self._lay_out()
        self.show_watching(Session(), is_watching=False)

    @property
    def text(self) -> str:
        """What it says of the fleet in words."""
        return "\n".join([self.name.text(), self.status.text(), self.notice.text(), self.facts.text])

    def show_published(self, runs: Sequence[PublishedLine]) -> None:
        """Show the runs that were published from here."""
        self.published.show_runs(runs)

    def show_outcome(self, words: str) -> None:
        """Show what has become of what was asked for, such as an export."""
        self.outcome.set_text(words)

    def show_watching(self, session: Session, *, is_watching: bool) -> None:
        """Show what the observing worker does, or why it does nothing."""
        self.stop.setVisible(is_watching)
        self._show_problem(session, is_watching)
        if is_watching and self._snapshot is None:
            self.status.set_text(self.tr("Looking for the run and its peers…"))
        elif self._snapshot is not None:
            at = figures.moment(self._snapshot.at)
            seen = self.tr("Seen %1, and every few seconds again.") if is_watching else self.tr("Last seen %1.")
            self.status.set_text(fill_placeholders(seen, at))
        else:
            self.status.set_text(
                self.tr(
                    "No run is watched. Choose one that was published from here, or paste the address of any run on "
                    "the first page, and choose “Watch its peers” beside what is found there."
                )
            )

    def show_fleet(self, snapshot: FleetSnapshot | None, history: FleetHistory) -> None:
        """Show the fleet at that moment; ``None`` before the first look."""
        if snapshot is self._snapshot and snapshot is not None:
            return
        self._snapshot = snapshot
        self._contents.setVisible(snapshot is not None)
        if snapshot is None:
            self.name.set_text("")
            self.notice.set_text("")
            return
        self.name.set_text(f"{sanitize_line(snapshot.name, 120)} · {self._state(snapshot)}")
        said = sanitize_line(snapshot.notice, 500)
        self.notice.set_text(fill_placeholders(self.tr("Notice to the volunteers: %1"), said) if said else "")
        self.facts.show_facts(facts_of(snapshot))
        self.charts.show_fleet(snapshot, history)
        self.fleet.show_fleet(snapshot)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Emit that the page is opened."""
        super().showEvent(event)
        self.opened.emit()
        self.back.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Go back when Escape is pressed; the first one clears what is searched for."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.fleet.search.hasFocus() and self.fleet.search.text():
            self.fleet.search.clear()
        else:
            self.back_requested.emit()

    def _search(self) -> None:
        if self.fleet.isVisible():
            self.fleet.search.setFocus()

    def _state(self, snapshot: FleetSnapshot) -> str:
        words = {"open": self.tr("open"), "paused": self.tr("paused"), "finished": self.tr("finished")}
        return words[snapshot.state]

    def _show_problem(self, session: Session, is_watching: bool) -> None:
        """Why nothing is seen just now; where it is not looked for again by itself, a button does that."""
        if session.problem is None:
            self.problem.clear()
            return
        again = "" if is_watching else self.tr("Watch again")
        advice = self.tr("It is looked for again by itself.") if is_watching else advice_of(session.problem)
        detail = sanitize_line(translate_message(session.problem_detail), 300)
        error = None if is_watching else session.problem
        self.problem.show_message("bad", title_of(session.problem), detail, advice, action=again, error=error)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(Title(self.tr("Organise")), 1)
        top.addWidget(self.back)
        watched = QHBoxLayout()
        words = QVBoxLayout()
        words.setSpacing(4)
        for label in (self.name, self.status, self.notice):
            words.addWidget(label)
        watched.addLayout(words, 1)
        watched.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        card = Card()
        card.parts.addWidget(self.facts)
        self._contents = QWidget()
        contents = QVBoxLayout(self._contents)
        contents.setContentsMargins(0, 0, 0, 0)
        contents.setSpacing(16)
        contents.addWidget(card)
        contents.addWidget(self.charts)
        contents.addWidget(self.fleet)
        column = PageColumn(_WIDEST)
        column.parts.addLayout(top)
        column.parts.addWidget(self.published)
        column.parts.addWidget(self.outcome)
        column.parts.addLayout(watched)
        for part in (self.problem, self._contents):
            column.parts.addWidget(part)
        column.parts.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(column)
        self.outcome.hide()
        self._contents.hide()
