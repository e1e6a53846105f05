"""What is recorded of the runs that the window sees: curves, contributions, and the list of recent runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.controllers.curve_recorder import CurveRecorder
from app.controllers.recent_run_recorder import MAX_NAME_CHARACTERS, RecentRunRecorder
from core.client.session import Session
from core.errors import UserError
from core.files.folders import Folders
from core.records.contribution_totals import ContributionDelta, RunDay
from core.records.contributions import Contribution, ContributionLog
from core.records.receipts import ReceiptBook
from core.records.store import run_key
from core.records.time_series import Curve, History, Series
from core.run.receipt_file import KeptReceipt
from core.security.known_organisers import KnownOrganisers

if TYPE_CHECKING:
    from core.hardware.device import Device


class RunRecorder:
    """Opens the files of all three recorders and closes them.

    Nothing here raises: where a file is damaged or cannot be written, ``error`` and ``quarantined_paths`` say so,
    and everything is kept in memory until the program ends.
    """

    def __init__(self, folders: Folders) -> None:
        known = KnownOrganisers(folders.contents.known_organisers_file)
        self._history, _ = History.open(folders.contents.history_file, known.organisers())
        self._curves = CurveRecorder(self._history)
        self._contributions = ContributionLog(self._history.store)
        self._further: dict[str, _FurtherRecorder] = {}
        self._receipts = ReceiptBook(folders.contents.receipts_file)
        self.recent_runs = RecentRunRecorder(folders.contents.recent_runs_file)

    @property
    def error(self) -> UserError | None:
        """Why something cannot be kept at the moment, if something cannot."""
        return self._history.trouble or self.recent_runs.error

    @property
    def quarantined_paths(self) -> tuple[Path, ...]:
        """Where damaged files were moved to, at the start or while they were open."""
        paths = (self._history.store.aside, self.recent_runs.quarantined_path, self._receipts.aside)
        return tuple(path for path in paths if path is not None)

    def contributions(self, session: Session) -> tuple[Contribution, Contribution]:
        """What this computer has contributed to the session's run, and to all runs."""
        key = _run_key(session)
        of_run = self._contributions.of(key) if key else Contribution()
        return of_run, self._contributions.total()

    def contributions_by_day(self) -> dict[RunDay, ContributionDelta]:
        """What this computer has contributed to each run on each day."""
        return self._contributions.by_day()

    def receipts(self) -> tuple[KeptReceipt, ...]:
        """What organisers and keepers have signed for."""
        return self._receipts.all()

    def curve(
        self, session: Session, series: Series, period_seconds: float | None, now: float, further_device: str = ""
    ) -> Curve:
        """A series of the session's run over the last ``period_seconds``; ``None`` means since it began.

        Each further device has its own curves, by its label.
        """
        key = _run_key(session) or ""
        return self._curves.curve(_key_of(key, further_device), series, period_seconds, now)

    def record(self, session: Session, device: Device | None, at: float) -> None:
        """Record what is new in a session that trains on ``device``; to be called about once a second."""
        key = _run_key(session)
        if key is None:
            return
        if session.chosen:
            self._contributions.start_run(key, session.chosen.manifest.run.name[:MAX_NAME_CHARACTERS])
        self._contributions.record(session, (device,) if device else (), at)
        self._receipts.record(session)
        if session.phase == "training":
            self._curves.record(key, session, device, at)

    def record_further(
        self, session: Session, label: str, device: Device | None, at: float, *, counts_epochs: bool
    ) -> None:
        """Record what is new in a session that trains on the further device of that label."""
        key = _run_key(session)
        if key is None:
            return
        if label not in self._further:
            log, curves = ContributionLog(self._history.store), CurveRecorder(self._history)
            self._further[label] = _FurtherRecorder(log, curves)
        recorder = self._further[label]
        if session.chosen:
            recorder.contributions.start_run(key, session.chosen.manifest.run.name[:MAX_NAME_CHARACTERS])
        recorder.contributions.record(session, (device,) if device else (), at, counts_epochs=counts_epochs)
        self._receipts.record(session)
        if session.phase == "training":
            recorder.curves.record(_key_of(key, label), session, device, at)

    def close(self) -> None:
        """Write everything to the disk, and close the files."""
        self._history.close()


@dataclass(frozen=True)
class _FurtherRecorder:
    """What is recorded of a further device; the history's file is that of the first."""

    contributions: ContributionLog
    curves: CurveRecorder


def _key_of(run: str, further_device: str) -> str:
    """The key of the curves of a run on a further device: no run's id and no peer id has a ``#``."""
    return f"{run}#{further_device}" if further_device else run


def _run_key(session: Session) -> str | None:
    """The key under which the session's run is recorded: two organisers may give their runs the same id."""
    return run_key(session.consent.run_id, session.consent.organiser) if session.consent else None
