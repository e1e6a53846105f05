"""Time series of each run for its graphs, at the same cost after a year as after a minute.

For the main thread. What is noted or asked for is in memory; a file keeps it across starts.
"""

from __future__ import annotations

import sys
import time
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from core.errors import UserError
from core.records.ring_buffer import RESOLUTIONS, RingBuffer
from core.records.store import CurvePart, HistoryStore

Series = Literal[
    "my_rate",
    "swarm_rate",
    "epoch",
    "step",
    "loss",
    "run_loss",
    "accuracy",
    "peers",
    "gpu_utilisation",
    "gpu_memory",
    "gpu_temperature",
    "gpu_power",
    "sent_rate",
    "received_rate",
    "run_samples",
]
SERIES: tuple[Series, ...] = get_args(Series)
SAVE_EVERY_SECONDS = 30.0
_MOST_COLUMNS_AT_ONCE = 5_000  # so that what waited for a full disk is handed over in bites
_RUNS_IN_MEMORY = 3
_EARLIEST = 1_577_836_800.0  # 2020: a computer that believes in an earlier time has not set its clock yet
_LATEST = 4_102_444_800.0  # 2100


@dataclass(frozen=True)
class Curve:
    """The lowest and highest value in each step of time from ``begin`` on; NaN where nothing was recorded."""

    begin: float
    step_seconds: float
    lows: array[float]
    highs: array[float]


@dataclass
class _Run:
    """The rings of each of its series; ``began`` is when its first value was noted.

    New values wait until somebody looks at the rings, since those of some seconds are sorted into nine rings at about
    the cost of one.
    """

    began: float | None = None
    is_begin_loaded: bool = False
    lines: dict[Series, list[RingBuffer]] = field(default_factory=dict)
    waiting: dict[Series, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, series: Series, at: float, value: float) -> None:
        """Add a value to the rings of a series, when they are next looked at."""
        self.waiting.setdefault(series, []).append((at, value))

    def settle(self) -> None:
        """Sort the values that wait into the rings."""
        waiting, self.waiting = self.waiting, {}
        for series, points in waiting.items():
            for ring in self.rings(series):
                ring.add_points(points)

    def rings(self, series: Series) -> list[RingBuffer]:
        """The ring buffers of a series, from fine to coarse."""
        rings = self.lines.get(series)
        if rings is None:
            rings = self.lines[series] = [RingBuffer(resolution) for resolution in RESOLUTIONS]
        return rings

    def began_by(self, at: float | None) -> None:
        """Its first value is not later than that."""
        if at is not None:
            self.began = at if self.began is None else min(self.began, at)

    @property
    def is_saved(self) -> bool:
        """Whether the store has been given everything."""
        self.settle()
        return all(ring.is_saved for rings in self.lines.values() for ring in rings)

    def unsaved(self, run_id: str, most: int) -> Iterator[CurvePart]:
        """What has changed since it was last handed over; at most so many columns."""
        for series, ring in ((series, ring) for series, rings in self.lines.items() for ring in rings):
            columns = ring.take_unsaved(most)
            most -= len(columns)
            if columns and self.began is not None:
                yield CurvePart(run_id, series, self.began, ring.resolution.step_seconds, columns)


class History:
    """The time series of all runs: ``record`` values, read a ``curve``; neither raises nor waits for a disk."""

    def __init__(self, store: HistoryStore) -> None:
        self.store = store
        self._runs: dict[str, _Run] = {}
        self._aside = store.aside
        self._saved_at = time.monotonic()

    @classmethod
    def open(cls, path: Path, organisers: Mapping[str, str] | None = None) -> tuple[History, Path | None]:
        """The history in that file; and where a damaged file has been put aside.

        Runs are named by their ``run_key``; ``organisers`` are for old files, as for ``HistoryStore.open``.

        A file that is locked or cannot be written leaves a history in memory; see ``trouble``.
        """
        store, aside = HistoryStore.open(path, organisers)
        return cls(store), aside

    @property
    def is_kept(self) -> bool:
        """Whether the history is saved to disk; if not, that is tried again all the time."""
        return self.store.trouble is None

    @property
    def trouble(self) -> UserError | None:
        """The error that keeps the history from being saved, if any."""
        return self.store.trouble

    def record(self, run_id: str, series: Series, at: float, value: float) -> None:
        """Add a value at a time in seconds since 1970; what is not a number or not a time is left out."""
        if abs(value) <= sys.float_info.max and _EARLIEST <= at < _LATEST:
            run = self._run(run_id)
            run.began_by(at)
            run.add(series, at, float(value))
        if time.monotonic() - self._saved_at >= SAVE_EVERY_SECONDS:
            self._hand_over()
            self.store.save_soon()

    def curve(self, run_id: str, series: Series, period_seconds: float | None, now: float) -> Curve:
        """A series over the last ``period_seconds`` before ``now``, or since the run began; at most 1,441 columns.

        There are columns for all of the period, also for the part that is before anything was noted.
        """
        run = self._run(run_id)
        run.settle()
        span = now - self._begin(run_id, run, now) if period_seconds is None else period_seconds
        rings = run.rings(series)
        ring = next((ring for ring in rings if span <= ring.resolution.span_seconds), rings[-1])
        if not ring.is_loaded:
            self._load(run_id, series, ring)
        resolution = ring.resolution
        last = resolution.bucket(now)
        first = resolution.bucket(now - min(max(span, 0.0), resolution.span_seconds))
        lows, highs = ring.window(first, last - first + 1)
        return Curve(float(first * resolution.step_seconds), float(resolution.step_seconds), lows, highs)

    def age(self, run_id: str, now: float) -> float | None:
        """The seconds since the run's first value; ``None`` where none is known."""
        run = self._run(run_id)
        began = self._begin(run_id, run, now)
        return None if run.began is None else max(0.0, now - began)

    def flush(self) -> bool:
        """Save now what is not saved yet; whether all of it is in the file."""
        is_saved = self.store.save()
        while is_saved and self._hand_over():
            is_saved = self.store.save()
        return is_saved

    def close(self) -> None:
        """Save everything, and close the file."""
        self.flush()
        self.store.close()

    def _run(self, run_id: str) -> _Run:
        run = self._runs.get(run_id)
        if run is None:
            self._forget_old_runs()
            run = self._runs[run_id] = _Run()
        return run

    def _forget_old_runs(self) -> None:
        """What is saved of the runs that were first looked at need not stay in memory."""
        for run_id, run in list(self._runs.items())[: 1 - _RUNS_IN_MEMORY]:
            if self.store.is_ready and run.is_saved:
                del self._runs[run_id]

    def _begin(self, run_id: str, run: _Run, now: float) -> float:
        if not run.is_begin_loaded:
            saved = self.store.began(run_id)
            run.is_begin_loaded = saved is not None
            run.began_by(saved)
        return now if run.began is None else run.began

    def _load(self, run_id: str, series: Series, ring: RingBuffer) -> None:
        columns = self.store.columns(run_id, series, ring.resolution.step_seconds)
        if columns is not None:
            ring.merge(columns)

    def _fill_new_file(self) -> None:
        """The file was damaged while it was open: a new one gets what is still in memory."""
        for run in self._runs.values():
            for ring in (ring for rings in run.lines.values() for ring in rings):
                ring.forget_saving()

    def _hand_over(self) -> bool:
        """Give the store what is new; whether there was anything."""
        self._saved_at = time.monotonic()
        for run in self._runs.values():
            run.settle()
        if not self.store.is_ready:
            return False
        if self.store.aside != self._aside:
            self._aside = self.store.aside
            self._fill_new_file()
        parts: list[CurvePart] = []
        room = _MOST_COLUMNS_AT_ONCE
        for run_id, run in self._runs.items():
            for part in run.unsaved(run_id, room):
                parts.append(part)
                room -= len(part.columns)
        self.store.keep_curves(parts)
        return bool(parts)
