"""The join page: the address of a run, what this computer can lend, and the recent runs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.pages.join.address_form import AddressForm
from app.pages.join.device_card import DeviceCard
from app.pages.join.recent_runs import RecentRunsList
from app.pages.join.search_status import SearchStatus
from app.pages.order.card import OrderCard
from app.widgets.labels import Hint, Title
from app.widgets.layout.page_column import PageColumn
from app.widgets.layout.responsive_row import ResponsiveRow
from core.errors import ErrorKind
from core.localizable import Detail

if TYPE_CHECKING:
    from app.pages.join.first_questions import FirstQuestions
    from app.pages.join.run_catalogue import RunCatalogue
    from core.catalogue.catalogue import CatalogueEntry
    from core.client.session import Session
    from core.hardware.monitor import DevicesSeen
    from core.records.recent_runs import RecentRun
    from core.records.settings import Settings
    from core.run.address import JoinAddress

_WIDEST = 980


class JoinPage(QWidget):
    """Takes the address of a run; nothing on it trains anything, and joining only asks which run is there.

    Signals:
        join_requested: look for the runs at the address that was entered (a JoinAddress).
        listed_run_requested: look for a recent run, or one of a catalogue, at that address (a JoinAddress).
        cancel_requested: stop looking.
        run_file_requested: join with that run file (its Path).
        run_file_withdrawn: join without a run file.
        device_chosen: train on that device, as the settings name it.
        settings_requested: the settings can mend the error that is shown.
        forget_requested: take a run off the list (run id, organiser).
        change_requested: the fields of the settings that a person has changed, with their new values (a dict).
    """

    join_requested = Signal(object)
    listed_run_requested = Signal(object)
    cancel_requested = Signal()
    run_file_requested = Signal(object)
    run_file_withdrawn = Signal()
    device_chosen = Signal(str)
    settings_requested = Signal()
    forget_requested = Signal(str, str)
    forget_key_requested = Signal(str)
    change_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.form = AddressForm()
        self.form.join_requested.connect(self.join_requested)
        self.form.run_file_requested.connect(self.run_file_requested)
        self.form.run_file_withdrawn.connect(self.run_file_withdrawn)
        self.form.settings_requested.connect(self.settings_requested)
        self.form.forget_key_requested.connect(self.forget_key_requested)
        self.search_status = SearchStatus()
        self.search_status.cancel_requested.connect(self.cancel_requested)
        self.card = DeviceCard()
        self.card.device_chosen.connect(self.device_chosen)
        self.order = OrderCard()
        self.recent = RecentRunsList()
        self.recent.run_requested.connect(self._join_again)
        self.recent.forget_requested.connect(self.forget_requested)
        self.questions: FirstQuestions | None = None
        self._shown_problem: tuple[ErrorKind, Detail] | None = None
        self._lay_out()

    @cached_property
    def catalogue(self) -> RunCatalogue:
        """The runs of the catalogues, below the recent ones, made when it is first needed."""
        from app.pages.join.run_catalogue import RunCatalogue

        catalogue = RunCatalogue()
        catalogue.run_requested.connect(self._join_listed)
        catalogue.adding.unfolded.connect(lambda: self._column.scroll_to(catalogue.adding))
        self._left.insertWidget(self._left.indexOf(self.recent) + 1, catalogue)
        catalogue.show()
        return catalogue

    @property
    def address(self) -> JoinAddress | None:
        """The address in the field, if it can be read; it is parsed first if that has not been done."""
        return self.form.field.parse().address

    def show_devices(self, seen: DevicesSeen, chosen: str) -> None:
        """Show what can be lent; ``chosen`` is the device that the settings name."""
        self.card.show_devices(seen, chosen)

    def show_recent(self, runs: tuple[RecentRun, ...]) -> None:
        """Show the list of recent runs."""
        self.recent.show_runs(runs)

    def show_questions(self, settings: Settings | None) -> None:
        """Ask, on the first day, when this computer helps; ``None`` asks nothing."""
        if settings is None:
            if self.questions is not None:
                self.questions.hide()
            return
        if self.questions is None:
            from app.pages.join.first_questions import FirstQuestions

            self.questions = FirstQuestions()
            self.questions.change_requested.connect(self.change_requested)
            self._left.insertWidget(self._left.indexOf(self.recent), self.questions)
        self.questions.show_settings(settings)
        self.questions.show()

    def fill_address(self, text: str) -> None:
        """Put a text that was handed over into the address field."""
        self.form.fill(text)

    def offer_clipboard(self, text: str) -> None:
        """Offer the address in that text, unless it is in the field already."""
        self.form.offer.offer(text)
        if address := self.form.field.result.address:
            self.form.offer.withdraw(address)

    def show_run_file(self, file_name: str, run_name: str) -> None:
        """Show which run file will be joined with; none if both names are empty."""
        self.form.show_run_file(file_name, run_name)

    def show_problem(self, problem: ErrorKind, detail: Detail) -> None:
        """Show beside the field what went wrong; it goes when the address is changed."""
        self.form.show_problem(problem, detail)

    def forget_problem(self) -> None:
        """Show what went wrong no longer, since something new has begun."""
        self.form.forget_problem()

    def show_session(self, session: Session) -> None:
        """Show the search, and once what came of it; a problem of training is shown on the training page."""
        is_asking = session.phase == "found" and not session.is_search_finished
        is_searching = session.consent is None and (session.phase == "connecting" or is_asking)
        is_in_vain = is_searching and session.is_search_finished and not session.runs
        self.search_status.show_session(session, is_searching and not is_in_vain)
        self.form.set_searching(is_searching and not is_in_vain)
        problem_now: tuple[ErrorKind, Detail] | None = (ErrorKind.NO_SUCH_RUN, "") if is_in_vain else None
        if session.problem is not None and session.consent is None:
            problem_now = (session.problem, session.problem_detail)
        if problem_now is not None and problem_now != self._shown_problem:
            self.show_problem(*problem_now)
        elif problem_now is None and is_searching:
            self.form.forget_problem()
        self._shown_problem = problem_now

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Put the focus into the address field, since whoever comes here wants to paste."""
        super().showEvent(event)
        self.form.field.setFocus()

    def _join_again(self, run: RecentRun) -> None:
        self._look_at(run.address)

    def _join_listed(self, entry: CatalogueEntry) -> None:
        self._look_at(entry.address)

    def _look_at(self, text: str) -> None:
        """Fill in an address, and ask there which run it is; the review and the consent come after it."""
        if self.form.field.isReadOnly():
            return
        self.fill_address(text)
        if address := self.address:
            self.listed_run_requested.emit(address)

    def _lay_out(self) -> None:
        left = QWidget()
        rows = self._left = QVBoxLayout(left)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(16)
        rows.addWidget(self.form)
        rows.addWidget(self.search_status)
        rows.addWidget(Hint(self.tr("You will see what the run is and needs before anything is computed.")))
        rows.addSpacing(8)
        rows.addWidget(self.order)
        rows.addWidget(self.recent)
        rows.addStretch(1)
        right = QWidget()
        beside = QVBoxLayout(right)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.addWidget(self.card)
        beside.addStretch(1)
        column = self._column = PageColumn(_WIDEST)
        column.parts.addWidget(Title(self.tr("Help a run")))
        column.parts.addWidget(ResponsiveRow(left, right), 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(column)
