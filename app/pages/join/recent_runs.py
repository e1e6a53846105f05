"""The list of recent runs, newest first, each with the state in which it was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from app.appearance.theme import give_role
from app.widgets.labels import Heading, Hint
from app.widgets.list_button import ListButton
from core.placeholders import fill_placeholders
from core.run.steering.control_value import Order
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.run import order_words

if TYPE_CHECKING:
    from core.records.recent_runs import RecentRun


class RecentRunsList(QWidget):
    """A list of runs; a click on one of them asks for its address again.

    Signals:
        run_requested: look at that run again (a RecentRun).
        forget_requested: take a run off the list (run id, organiser).
    """

    run_requested = Signal(object)
    forget_requested = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[RecentRun, ...] = ()
        self._none = Hint(self.tr("The runs that you help will be listed here."))
        self._rows: list[QWidget] = []
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(8)
        self._box.addWidget(Heading(self.tr("Recent runs")))
        self._box.addWidget(self._none)

    def show_runs(self, runs: tuple[RecentRun, ...]) -> None:
        """Show these runs; a list that is the same already is left alone, and so is the focus in it."""
        if runs == self._shown:
            return
        self._shown = runs
        for row in self._rows:
            self._box.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(run) for run in runs]
        for row in self._rows:
            self._box.addWidget(row)
        self._none.setVisible(not runs)

    def _row(self, run: RecentRun) -> QWidget:
        name = sanitize_line(run.name, 120) or sanitize_line(run.run_id, 64)
        again = ListButton(name, self._last_words(run))
        again.setToolTip(self.tr("Look at this run again"))
        again.clicked.connect(lambda: self.run_requested.emit(run))
        forget = QToolButton()
        forget.setText("✕")
        forget.setToolTip(self.tr("Take it off this list"))
        forget.setAccessibleName(fill_placeholders(self.tr("Take “%1” off this list"), name))
        give_role(forget, "link")
        forget.clicked.connect(lambda: self.forget_requested.emit(run.run_id, run.organiser))
        row = QWidget()
        sides = QHBoxLayout(row)
        sides.setContentsMargins(0, 0, 0, 0)
        sides.setSpacing(4)
        sides.addWidget(again, 1)
        sides.addWidget(forget, 0, Qt.AlignmentFlag.AlignVCenter)
        return row

    def _last_words(self, run: RecentRun) -> str:
        words = {
            "trained": self.tr("you left it"),
            "paused": self.tr("paused"),
            "failed": self.tr("ended with a problem"),
            "refused": self.tr("refused: not joined"),
            "finished": self._words_of_end(run),
        }
        return f"{words[run.last_state]} · {figures.clock(run.at)}"

    def _words_of_end(self, run: RecentRun) -> str:
        """Why the organiser has ended it; who has helped is thanked, in the words of the training page."""
        if run.has_helped:
            return order_words(Order(state="ended", reason=run.reason))
        reason = sanitize_line(run.reason).rstrip(".")
        return ": ".join(part for part in (self.tr("finished by its organiser"), reason) if part)
