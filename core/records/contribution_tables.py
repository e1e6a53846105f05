"""The tables of the history file that hold what was contributed: a total for each run, and its days."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import Any

from core.records.contribution_totals import BEFORE_DAYS, ContributionDelta, RunDay, before_days, total_of
from core.records.database import Rows

SCHEMA = """
CREATE TABLE IF NOT EXISTS deeds (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, samples INTEGER NOT NULL, epochs INTEGER NOT NULL,
    seconds REAL NOT NULL, joules REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS days (
    run_id TEXT NOT NULL, day TEXT NOT NULL, samples INTEGER NOT NULL, epochs INTEGER NOT NULL,
    seconds REAL NOT NULL, joules REAL, unmeasured_seconds REAL NOT NULL, run_samples INTEGER NOT NULL,
    sent_bytes INTEGER NOT NULL, received_bytes INTEGER NOT NULL,
    PRIMARY KEY (run_id, day)) WITHOUT ROWID
"""
_SAVE_TOTAL = """
INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    name = coalesce(nullif(excluded.name, ''), name),
    samples = samples + excluded.samples, epochs = epochs + excluded.epochs,
    seconds = seconds + excluded.seconds, joules = coalesce(joules + excluded.joules, excluded.joules, joules)
"""
_SAVE_DAY = """
INSERT INTO days VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    samples = samples + excluded.samples, epochs = epochs + excluded.epochs,
    seconds = seconds + excluded.seconds, joules = coalesce(joules + excluded.joules, excluded.joules, joules),
    unmeasured_seconds = unmeasured_seconds + excluded.unmeasured_seconds,
    run_samples = run_samples + excluded.run_samples,
    sent_bytes = sent_bytes + excluded.sent_bytes, received_bytes = received_bytes + excluded.received_bytes
"""
# A damaged file may have text in a column of numbers: such rows are passed over.
_LOAD_TOTALS = """
SELECT run_id, name, samples, epochs, seconds, joules FROM deeds
WHERE typeof(run_id) = 'text' AND typeof(name) = 'text' AND typeof(samples) = 'integer'
    AND typeof(epochs) = 'integer' AND typeof(seconds) = 'real' AND typeof(joules) IN ('real', 'null')
"""
_LOAD_DAYS = """
SELECT run_id, day, samples, epochs, seconds, joules, unmeasured_seconds, run_samples, sent_bytes, received_bytes
FROM days
WHERE typeof(run_id) = 'text' AND day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
    AND typeof(samples) = 'integer' AND typeof(epochs) = 'integer' AND typeof(seconds) = 'real'
    AND typeof(joules) IN ('real', 'null') AND typeof(unmeasured_seconds) = 'real'
    AND typeof(run_samples) = 'integer' AND typeof(sent_bytes) = 'integer' AND typeof(received_bytes) = 'integer'
"""
_MOST_COUNTED = 2**53  # a damaged file may hold any number; sums of these can still be written in words
_MOST_MEASURED = 1e18
_HAS_DAYS = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'days'"


def save_contribution(connection: sqlite3.Connection, run_day: RunDay, more: ContributionDelta) -> None:
    """Add a contribution to the total of its run, and to its day if it has one."""
    run_id, day = run_day
    name, samples, epochs, seconds, joules, *rest = astuple(more)
    connection.execute(_SAVE_TOTAL, (run_id, name, samples, epochs, seconds, joules))
    if day != BEFORE_DAYS:
        connection.execute(_SAVE_DAY, (run_id, day, samples, epochs, seconds, joules, *rest))


def load_contributions(connection: sqlite3.Connection) -> dict[RunDay, ContributionDelta]:
    """All contributions, by run and day; a file from before version 3 has no days."""
    totals = {run_id: _bounded(name, fields) for run_id, name, *fields in connection.execute(_LOAD_TOTALS)}
    days: dict[RunDay, ContributionDelta] = {}
    for run_id, day, *fields in _day_rows(connection):
        days[run_id, day] = _bounded(totals[run_id].name if run_id in totals else "", fields)
    return _older_than_days(totals, days) | days


def contributions_in_file(path: Path) -> dict[RunDay, ContributionDelta]:
    """What that file holds, without writing to it or its folder; nothing where it cannot be read."""
    return _read(f"{path.absolute().as_uri()}?mode=ro")


def contributions_in_damaged(path: Path) -> dict[RunDay, ContributionDelta]:
    """What a file that was put aside can still tell."""
    return _read(f"{path.absolute().as_uri()}?mode=ro&immutable=1")


def _read(uri: str) -> dict[RunDay, ContributionDelta]:
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            return load_contributions(connection)
    except (sqlite3.Error, UnicodeDecodeError):
        return {}


def _bounded(name: str, fields: Sequence[Any]) -> ContributionDelta:
    return ContributionDelta(name, *map(_bounded_number, fields))


def _bounded_number(value: Any) -> Any:
    if isinstance(value, float):
        return min(max(0.0, value), _MOST_MEASURED)
    return value if value is None else min(max(0, value), _MOST_COUNTED)


def _day_rows(connection: sqlite3.Connection) -> Rows:
    [[has_days]] = connection.execute(_HAS_DAYS).fetchall()
    return connection.execute(_LOAD_DAYS).fetchall() if has_days else []


def _older_than_days(
    totals: Mapping[str, ContributionDelta], days: Mapping[RunDay, ContributionDelta]
) -> dict[RunDay, ContributionDelta]:
    dated: dict[str, list[ContributionDelta]] = {}
    for (run_id, _), given in days.items():
        dated.setdefault(run_id, []).append(given)
    older = {run_id: before_days(total, total_of(dated.get(run_id, ()))) for run_id, total in totals.items()}
    return {
        (run_id, BEFORE_DAYS): given
        for run_id, given in older.items()
        if given.samples or given.epochs or given.seconds >= 1 or run_id not in dated
    }
