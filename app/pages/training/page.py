"""The training page: status, Pause, two figures, charts, and whether this computer helps."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.charts.data_source import ChartDataSource
from app.charts.definitions import Period
from app.charts.panel import GraphsPanel
from app.pages.order.card import OrderCard
from app.pages.training.answers_card import AnswersCard
from app.pages.training.contribution_card import ContributionCard
from app.pages.training.device_list import DeviceList
from app.pages.training.epoch_progress_card import EpochProgressCard
from app.pages.training.event_log import EventLog
from app.pages.training.experts_card import ExpertsCard
from app.pages.training.network_card import NetworkCard
from app.pages.training.pause_button import Pausing
from app.pages.training.peers_table import PeersTable
from app.pages.training.status_header import StatusHeader
from app.pages.training.throughput_card import ThroughputCard
from app.presentation.alerts import Alert, alert_of
from app.presentation.answers import compared_answers
from app.presentation.device import device_in_use, live_words
from app.presentation.severity import Severity
from app.widgets.callout import Callout
from app.widgets.layout.even_grid import EvenGrid
from app.widgets.layout.page_column import PageColumn
from core.client.event_timestamps import EventTimestamps
from core.client.session import Session
from core.client.traffic_share import RunShare
from core.errors import ErrorKind
from core.hardware.monitor import DevicesSeen
from core.placeholders import fill_placeholders
from core.protocol.client_events import ClientEvent
from core.protocol.events import ContributionStatus, Progress, RunFound
from core.records.contributions import Contribution
from core.records.time_series import Series
from core.texts import event_log as event_lines
from core.texts import figures
from core.texts import run as run_words
from core.texts import status as sentences
from core.texts.contributions.status import contribution_status
from core.texts.device import short_label_of
from core.texts.run_order import reopened_words, switch_words
from core.texts.traffic import hourly_traffic, run_share

_WIDEST = 1500
_LEAST_CARD_WIDTH = 310
_SPARKS = 120
_TABS_HEIGHT = 250


class TrainingPage(QWidget):
    """Shows a session, the devices, contributions and curves; while it is hidden it only keeps them.

    Signals:
        pause_requested: for how many seconds, or ``None`` for until the person resumes.
        resume_requested: go on after a pause.
        ignore_requested: ignore the reason of the pause until midnight.
        finish_requested: stop after this epoch, or take that back.
        leave_requested: leave the run, or go back from one that has ended.
        advice_requested: do what the button beside an error says (the key of its ErrorKind).
        graphs_chosen: the period and the curves of the graphs.
        network_test_requested: test again whether others can reach this computer.
    """

    pause_requested = Signal(object)
    resume_requested = Signal()
    ignore_requested = Signal()
    finish_requested = Signal()
    leave_requested = Signal()
    advice_requested = Signal(str)
    graphs_chosen = Signal(str, object)
    network_test_requested = Signal()

    def __init__(self, curves: ChartDataSource) -> None:
        super().__init__()
        self._session, self._now = Session(), 0.0
        self._timestamps = EventTimestamps()
        self._seen: DevicesSeen | None = None
        self._chosen_device = ""
        self._alert: Alert | None = None
        self._dismissed: frozenset[Alert] = frozenset()
        self._rates: defaultdict[str, _Rates] = defaultdict(_Rates)
        self._further_device = ""
        self._told_status: dict[str, str | None] = {}
        self._traffic_share: RunShare | None = None
        self.header, self.warning, self.devices = StatusHeader(self), Callout(self), DeviceList(self)
        self.speed, self.step = ThroughputCard(self), EpochProgressCard(self)
        self.graphs, self.contribution_status = GraphsPanel(curves, self), ContributionCard(self)
        self.experts, self.answers = ExpertsCard(self), AnswersCard(self)
        self.network, self.order = NetworkCard(self), OrderCard(self)
        self.peers, self.events = PeersTable(self), EventLog(self)
        self.tabs = QTabWidget(self)
        self._lay_out()
        self._connect()
        self._retranslate()

    def show_session(self, session: Session, timestamps: EventTimestamps, now: float, further_device: str = "") -> None:
        """Show a session whose events were seen at those times; ``now`` is time.time().

        ``further_device`` is the label of the one it trains on, empty for the first.
        """
        self._further_device = further_device
        if session.opening is not self._session.opening:
            self._dismissed = frozenset()
        self._session, self._timestamps, self._now = session, timestamps, now
        if self.isVisible():
            self._show()

    def show_event(self, event: ClientEvent, now: float, further_device: str = "") -> None:
        """Add a line about an event to the log, with the name of the further device that it is about."""
        line = event_lines.line(event)
        if isinstance(event, ContributionStatus):  # one comes with each round, mostly of the same words
            if line == self._told_status.get(further_device):
                return
            self._told_status[further_device] = line
        if line is not None:
            self.events.add(now, f"{short_label_of(further_device)}: {line}" if further_device else line)

    def show_devices(self, seen: DevicesSeen, chosen: str) -> None:
        """Show the devices; ``chosen`` is the one that the settings name."""
        self._seen, self._chosen_device = seen, chosen
        if seen.is_driver_answering:
            self.graphs.show_gpu(any(device.is_gpu for device in seen.devices))
        if self.isVisible():
            self._show_device()
            self._show_alert()

    def keep_traffic_share(self, share: RunShare | None) -> None:
        """Keep the run's share of this computer's traffic, which the next session that is shown is shown with."""
        self._traffic_share = share

    def show_contributions(self, run: Contribution, total: Contribution) -> None:
        """Show what this computer has contributed to this run and to all runs."""
        self.contribution_status.show_contributions(run, total)

    def refresh_graphs(self) -> None:
        """Draw the graphs again with the newest values; to be called about once a second."""
        self.graphs.refresh()

    def add_progress(self, progress: Progress | None, further_device: str = "") -> None:
        """Add the speeds of a report to the sparklines; ``None``, at the end of training, makes a gap."""
        rates = self._rates[further_device]
        rates.mine.append(progress.samples_per_second if progress else None)
        rates.swarm.append(progress.swarm_samples_per_second if progress else None)

    def forget_rates(self) -> None:
        """Empty the sparklines, since another run begins."""
        self._rates.clear()

    def choose_graphs(self, period: Period, curves: tuple[Series, ...]) -> None:
        """Show the period and the curves that were chosen the last time; no curves mean the usual ones."""
        self.graphs.choose(period, curves)

    @property
    def status(self) -> str:
        """The status sentence of the session."""
        return sentences.status(self._session, self._timestamps, self._now)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Draw what was kept while the page was hidden."""
        super().showEvent(event)
        self._show()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        session = self._session
        if session.chosen is not None:
            self.header.show_run(breakable(self._run_words(session.chosen)), self._notice(session.chosen))
        else:
            self.header.show_run("", "")
        self.header.show_status(self.status)
        self.header.button.show_pausing(_pausing(session), session.is_finishing)
        progress = session.progress if session.phase == "training" else None
        rate = progress.samples_per_second if progress else None
        is_resting = session.phase in ("idle", "leaving", "paused", "ended") or session.order.state == "paused"
        self.speed.show_speed(rate, self._rates[self._further_device].mine, is_resting=is_resting)
        self.step.show_progress(progress, self._rates[self._further_device].swarm, is_resting=is_resting)
        self.contribution_status.show_verdict(_severity(session), contribution_status(session))
        self.contribution_status.show_share(session.last_share)
        self.experts.show_experts(session.experts)
        self.answers.show_answers(compared_answers(session))
        self.network.show_network(session.network)
        traffic = hourly_traffic(self._timestamps.traffic, session, self._now)
        self.network.show_traffic(traffic, run_share(self._traffic_share))
        self.peers.show_peers(session.peers)
        self._retranslate_tabs()
        self._show_device()
        self._show_alert()

    def _run_words(self, run: RunFound) -> str:
        """Which run it is, and why, where it has taken the place of another."""
        switch = self._session.switch
        return switch_words(switch) if switch is not None else run_words.title_of(run)

    def _notice(self, run: RunFound) -> str:
        """What the organiser has to say, whether the run is open, and what follows it."""
        notice = run_words.notice_of(run)
        says = fill_placeholders(self.tr("The organiser says: %1"), breakable(notice)) if notice else ""
        reopened = self._session.reopened
        follows = f"{reopened_words(reopened)}." if reopened is not None else ""
        return " ".join(part for part in (run_words.closed_words(run), says, breakable(follows)) if part)

    def _show_device(self) -> None:
        devices = self._seen.devices if self._seen else ()
        device = device_in_use(self._session, devices, self._chosen_device)
        self.speed.show_device(live_words(device) if device else " ")

    def _show_alert(self) -> None:
        alert = alert_of(self._session, self._seen, self._dismissed)
        if alert == self._alert:
            return
        self._alert = alert
        if alert is None:
            self.warning.clear()
            return
        severity: Severity = "bad" if alert.is_grave else "caution"
        detail = breakable(alert.detail)
        error = ErrorKind.from_key(alert.problem_key)
        self.warning.show_message(severity, alert.title, detail, alert.advice, action=alert.button, error=error)

    def _follow_advice(self) -> None:
        """A warning that was answered goes away; what has ended the training stays until one leaves."""
        if self._alert is None:
            return
        key = self._alert.problem_key
        if not self._alert.is_grave:
            self._dismissed |= {self._alert}
        self._show_alert()
        self.advice_requested.emit(key)

    def _retranslate_tabs(self) -> None:
        count = len(self._session.peers)
        peers = fill_placeholders(self.tr("Peers (%1)"), figures.count(count)) if count else self.tr("Peers")
        if peers != self.tabs.tabText(0):
            self.tabs.setTabText(0, peers)

    def _lay_out(self) -> None:
        numbers = EvenGrid(_LEAST_CARD_WIDTH, 2, self)
        numbers.show_parts((self.speed, self.step))
        self.tabs.addTab(self.peers, "")
        self.tabs.addTab(self.events, "")
        self.tabs.setMinimumHeight(_TABS_HEIGHT)
        column = PageColumn(_WIDEST, self)
        cards = (
            self.header,
            self.devices,
            self.warning,
            numbers,
            self.graphs,
            self.contribution_status,
            self.experts,
            self.answers,
            self.network,
            self.order,
            self.tabs,
        )
        for part in cards:
            column.parts.addWidget(part)
        self.warning.hide()
        column.verticalScrollBar().valueChanged.connect(self.graphs.refresh)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(column)

    def _connect(self) -> None:
        button = self.header.button
        button.pause_requested.connect(self.pause_requested)
        button.resume_requested.connect(self.resume_requested)
        button.ignore_requested.connect(self.ignore_requested)
        button.finish_requested.connect(self.finish_requested)
        button.leave_requested.connect(self.leave_requested)
        self.warning.action_requested.connect(self._follow_advice)
        self.graphs.graphs_chosen.connect(self.graphs_chosen)
        self.network.test_requested.connect(self.network_test_requested)

    def _retranslate(self) -> None:
        self.tabs.setTabText(1, self.tr("What has happened"))
        self._retranslate_tabs()


@dataclass
class _Rates:
    """The speeds of the last reports of one device, and those of the swarm that it has told."""

    mine: deque[float | None] = field(default_factory=lambda: deque(maxlen=_SPARKS))
    swarm: deque[float | None] = field(default_factory=lambda: deque(maxlen=_SPARKS))


def _pausing(session: Session) -> Pausing:
    match session.phase:
        case "paused":
            return "held" if session.is_held else "can_resume"
        case "leaving":
            return "leaving" if session.pause is None else "pausing"
        case "idle" | "ended":
            return "over"
        case _:
            return "can_pause"


def _severity(session: Session) -> Severity:
    """Which sign stands before the verdict."""
    if session.phase == "paused":
        return "info"
    if session.phase != "training" or session.contribution_status is None:
        return "unknown"
    match session.contribution_status.state:
        case "helping":
            return "good"
        case "starting":
            return "info"
        case _:
            return "caution"
