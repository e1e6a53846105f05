"""The recorder of the window: fed by the session, read by the pages and the charts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.controllers.session_controller import SessionController
from core.client.session import Session
from core.files.folders import Folders

if TYPE_CHECKING:
    from app.controllers.run_recorder import RunRecorder
    from app.controllers.storage_alerts import StorageAlerts
    from core.records.contribution_totals import ContributionDelta, RunDay
    from core.records.contributions import Contribution
    from core.records.recent_runs import RecentRun
    from core.records.time_series import Curve, Series
    from core.run.receipt_file import KeptReceipt

RECORD_SECONDS_HIDDEN = 3  # from one record to the next while nobody sees the window


class RecordingController(QObject):
    """Records the session from ``open`` to ``close``; it is the charts' ``ChartDataSource``.

    The database is loaded by ``open`` and not with this module, since loading it takes a tenth of a second that the
    window's start has not got. Before ``open`` nothing is recorded, and nothing is asked for.

    Signals:
        storage_failed: what is recorded cannot be kept, or a file was damaged (a UserError).
        storage_recovered: an error that was emitted is over (the same UserError).
    """

    storage_failed = Signal(object)
    storage_recovered = Signal(object)

    def __init__(self, folders: Folders, session_controller: SessionController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folders, self._session_controller = folders, session_controller
        self._recorder: RunRecorder | None = None
        self._shown_further_device = ""
        self._alerts: StorageAlerts | None = None

    def open(self) -> None:
        """Open the files, and follow the session from now on."""
        from app.controllers.run_recorder import RunRecorder
        from app.controllers.storage_alerts import StorageAlerts

        self._recorder = RunRecorder(self._folders)
        self._alerts = StorageAlerts(self._recorder, self.storage_failed.emit, self.storage_recovered.emit)
        self._alerts.poll()
        self._session_controller.changed.connect(self._record_run)
        self._session_controller.stage_changed.connect(self._record_stage)

    @property
    def is_open(self) -> bool:
        """Whether the recent runs are known yet."""
        return self._recorder is not None

    @property
    def recent_runs(self) -> tuple[RecentRun, ...]:
        """The recent runs, newest first."""
        return self._recorder.recent_runs.runs if self._recorder is not None else ()

    def contributions(self) -> tuple[Contribution, Contribution]:
        """What this computer has contributed to the session's run, and to all runs."""
        return self._open_recorder.contributions(self._session_controller.session)

    def contributions_by_day(self) -> dict[RunDay, ContributionDelta]:
        """What this computer has contributed to each run on each day; nothing before ``open``."""
        return self._recorder.contributions_by_day() if self._recorder is not None else {}

    def receipts(self) -> tuple[KeptReceipt, ...]:
        """What organisers and keepers have signed for; nothing before ``open``."""
        return self._recorder.receipts() if self._recorder is not None else ()

    def curve(self, series: Series, period_seconds: float | None) -> Curve:
        """A series of the session's run over the last ``period_seconds``; ``None`` means since it began."""
        session, device = self._session_controller.session, self._shown_further_device
        return self._open_recorder.curve(session, series, period_seconds, time.time(), device)

    def show_further_device(self, device: str) -> None:
        """Have the charts draw the curves of that further device, by its label; of the first one where empty."""
        self._shown_further_device = device

    def forget_run(self, run_id: str, organiser: str) -> None:
        """Take that run off the list of recent runs."""
        self._open_recorder.recent_runs.forget(run_id, organiser)

    def record(self) -> None:
        """Record what is new in the session; to be called about once a second."""
        self._record(self._session_controller.session)

    def record_further(self, session: Session, *, counts_epochs: bool) -> None:
        """Record what is new in the session of a further device; epochs count once, whatever takes part in them."""
        consent = session.consent
        if self._recorder is not None and consent is not None:
            device = self._session_controller.device_called(consent.device)
            self._recorder.record_further(session, consent.device, device, time.time(), counts_epochs=counts_epochs)

    def poll_storage(self) -> None:
        """Emit whether everything can still be kept; to be called every few seconds."""
        if self._alerts is not None:
            self._alerts.poll()

    def close(self) -> None:
        """Record the last state of the session, and close the files."""
        self.record()
        if self._recorder is not None:
            self._recorder.close()

    @property
    def _open_recorder(self) -> RunRecorder:
        assert self._recorder is not None, "nothing is asked for before open()"
        return self._recorder

    def _record(self, session: Session) -> None:
        if self._recorder is not None:
            self._recorder.record(session, self._session_controller.device, time.time())

    def _record_run(self, _before: Session, after: Session) -> None:
        self._open_recorder.recent_runs.record(after, time.time())

    def _record_stage(self, before: Session, _after: Session) -> None:
        """Record what a stage has reported in its last second, before another run can take its place."""
        self._record(before)
