"""The history file: the columns of all curves, and the contributions to each run.

A kill loses what was not saved yet, a power cut what was saved just before; neither leaves half of it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import UserError
from core.records.contribution_tables import SCHEMA as _CONTRIBUTIONS_SCHEMA
from core.records.contribution_tables import contributions_in_damaged, load_contributions, save_contribution
from core.records.contribution_totals import ContributionDelta, PendingContributions, RunDay
from core.records.database import Database, Rows
from core.records.ring_buffer import Column

_VERSION = 3  # since 2 a run is named by its id and its organiser (see ``run_key``), since 3 there are days
_PATIENCE_SECONDS = 3.0
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS curves (
    id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, series TEXT NOT NULL, began REAL NOT NULL,
    UNIQUE (run_id, series));
CREATE TABLE IF NOT EXISTS columns (
    curve INTEGER NOT NULL, step INTEGER NOT NULL, slot INTEGER NOT NULL,
    bucket INTEGER NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
    PRIMARY KEY (curve, step, slot)) WITHOUT ROWID;
{_CONTRIBUTIONS_SCHEMA}
"""
# Two processes, or a note from before a ring was loaded, may each have seen only a part of one column.
_SAVE_COLUMN = """
INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    low = CASE bucket WHEN excluded.bucket THEN min(low, excluded.low) ELSE excluded.low END,
    high = CASE bucket WHEN excluded.bucket THEN max(high, excluded.high) ELSE excluded.high END,
    bucket = excluded.bucket
"""
_SAVE_CURVE = """
INSERT INTO curves (run_id, series, began) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET began = min(began, excluded.began) RETURNING id
"""
# A damaged file may have text in a column of numbers: such rows are passed over.
_LOAD_COLUMNS = """
SELECT bucket, low, high FROM columns
WHERE curve = (SELECT id FROM curves WHERE run_id = ? AND series = ?) AND step = ?
    AND typeof(bucket) = 'integer' AND typeof(low) = 'real' AND typeof(high) = 'real'
"""
_LOAD_BEGAN = "SELECT min(began) FROM curves WHERE run_id = ? AND typeof(began) = 'real'"


def run_key(run_id: str, organiser: str) -> str:
    """The name of a run in the history; of a run from a local file, which nobody has signed, its id alone.

    Anybody may publish any id, and an id never contains an ``@``.
    """
    return f"{run_id}@{organiser}" if organiser else run_id


@dataclass(frozen=True)
class CurvePart:
    """Columns of one curve at one resolution; ``began`` is the time of the curve's first value."""

    run_id: str
    series: str
    began: float
    step_seconds: int
    columns: Sequence[Column]


class HistoryStore:
    """Saves curves and contributions soon after they are handed over; what cannot be saved is tried again."""

    def __init__(self, path: Path, organisers: Mapping[str, str]) -> None:
        self._database = Database(path, _SCHEMA, _VERSION, self._add_organisers)
        self._organisers = organisers
        self._saving = threading.Lock()
        self._wake = threading.Event()
        self._writer: threading.Thread | None = None
        self._is_closing = False
        self._curves: list[CurvePart] = []
        self._contributions = PendingContributions()
        self._aside: Path | None = None

    @classmethod
    def open(cls, path: Path, organisers: Mapping[str, str] | None = None) -> tuple[HistoryStore, Path | None]:
        """The store in that file; and where a file that was damaged has been put. Never raises.

        ``organisers`` names the organiser of each run id for files of version 1, which did not know them.
        """
        store = cls(path, organisers or {})
        store.save()
        return store, store.aside

    @property
    def trouble(self) -> UserError | None:
        """The error that keeps the file from being written at the moment, if any."""
        return self._database.trouble

    @property
    def aside(self) -> Path | None:
        """The path of a damaged file that was quarantined, now or while it was open."""
        return self._database.aside

    @property
    def is_ready(self) -> bool:
        """Whether the last curves that were handed over have been saved, so that others may be."""
        return not self._curves

    @property
    def contributions(self) -> PendingContributions:
        """The contributions to all runs; ``save_soon`` saves what is added to them."""
        return self._contributions

    def keep_curves(self, parts: list[CurvePart]) -> None:
        """Hand over curves for the next ``save``; only when ``is_ready``."""
        self._curves = parts

    def columns(self, run_id: str, series: str, step_seconds: int) -> Rows | None:
        """The saved (bucket, low, high) of a curve; ``None`` if they cannot be read at the moment."""
        return self._database.read(_LOAD_COLUMNS, (run_id, series, step_seconds))

    def began(self, run_id: str) -> float | None:
        """The time of the run's first value; ``None`` if it has none, or none can be read at the moment."""
        rows = self._database.read(_LOAD_BEGAN, (run_id,))
        return rows[0][0] if rows else None

    def save_soon(self) -> None:
        """Save in a thread of its own, because a disk may be slow."""
        if self._writer is None and not self._is_closing:
            self._writer = threading.Thread(target=self._save_when_woken, name="history", daemon=True)
            self._writer.start()
        self._wake.set()

    def save(self) -> bool:
        """Save now; whether everything that was handed over is in the file."""
        if not self._saving.acquire(timeout=_PATIENCE_SECONDS):
            return False
        try:
            curves, contributions = self._curves, self._contributions.take()
            if not curves and not contributions and self._contributions.saved is not None and self.trouble is None:
                return True
            is_saved = self._database.write(lambda connection: self._write(connection, curves, contributions))
            if is_saved:
                if self._curves is curves:  # others may have been handed over meanwhile
                    self._curves = []
                self._aside = self._database.aside
            self._contributions.settle(is_saved)
            return is_saved
        finally:
            self._saving.release()

    def close(self) -> None:
        """Save what can be saved, and close the file."""
        self._is_closing = True
        self._wake.set()
        self.save()
        self._database.close()

    def _save_when_woken(self) -> None:
        while not self._is_closing:
            self._wake.wait()
            self._wake.clear()
            self.save()

    def _write(
        self, connection: sqlite3.Connection, curves: list[CurvePart], contributions: dict[RunDay, ContributionDelta]
    ) -> None:
        if self._contributions.saved is None or self._database.aside != self._aside:
            self._begin(connection)
        for run_day, more in contributions.items():
            save_contribution(connection, run_day, more)
        for part in curves:
            saved = connection.execute(_SAVE_CURVE, (part.run_id, part.series, part.began))
            [[curve]] = saved.fetchall()
            rows = ((curve, part.step_seconds, *column) for column in part.columns)
            connection.executemany(_SAVE_COLUMN, rows)

    def _add_organisers(self, connection: sqlite3.Connection) -> None:
        """In version 1 a run was named by its id alone; the runs of others keep that name."""
        [[version]] = connection.execute("PRAGMA user_version").fetchall()
        if version != 1:
            return
        for run_id, organiser in self._organisers.items():
            for table in ("curves", "deeds"):
                connection.execute(
                    f"UPDATE OR IGNORE {table} SET run_id = ? WHERE run_id = ?", (run_key(run_id, organiser), run_id)
                )

    def _begin(self, connection: sqlite3.Connection) -> None:
        """A file that takes the place of a damaged one gets what that one said had been given."""
        aside = self._database.aside
        if aside is not None and aside != self._aside:
            saved = self._contributions.saved
            for run_day, given in (contributions_in_damaged(aside) if saved is None else saved).items():
                save_contribution(connection, run_day, given)
        self._contributions.load(load_contributions(connection))
