"""What is written of a fleet while it is watched: its log, and its status page; where that fails, watching goes on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from core.errors import UserError
from core.files.atomic import storage_problem
from core.fleet.history import FleetHistory
from core.fleet.log import FleetLog, read_log
from core.fleet.page import write_page
from core.fleet.snapshot import FleetSnapshot

LOG_SECONDS = 30.0  # from one line of the log to the next
PAGE_SECONDS = 60.0


class FleetRecorder:
    """Writes snapshots to a log and a page as often as they are due, and keeps the history that charts draw.

    ``serve`` is given every snapshot, for whoever asks for the last one.
    ``warn`` is called with what cannot be written and why, once until something else is wrong or it works again.
    """

    def __init__(
        self,
        log: Path | None,
        page: Path | None,
        warn: Callable[[UserError], None],
        clock: Callable[[], float] = time.monotonic,
        serve: Callable[[FleetSnapshot], None] | None = None,
    ) -> None:
        self.history = FleetHistory()
        self._log, self._page, self._warn, self._clock = log, page, warn, clock
        self._serve, self._is_remembered = serve, log is None
        self._due: dict[Path, float] = {}
        self._problems: dict[Path, UserError] = {}

    def add(self, snapshot: FleetSnapshot) -> None:
        """Note what is so now, and write what is due."""
        if not self._is_remembered and self._log is not None:
            self._is_remembered = True
            self._remember(self._log, snapshot.run_id)
        self.history.add(snapshot)
        if self._serve is not None:
            self._serve(snapshot)
        if (log := self._log) is not None:
            self._when_due(log, LOG_SECONDS, lambda: FleetLog(log).add(snapshot))
        if (page := self._page) is not None:
            self._when_due(page, PAGE_SECONDS, lambda: write_page(page, snapshot, self.history))

    def _remember(self, log: Path, run_id: str) -> None:
        """Take what an earlier start has logged of that run."""
        with contextlib.suppress(OSError):  # there is none yet; whether it can be written will be seen soon
            self.history = FleetHistory(each for each in read_log(log) if each.run_id == run_id)

    def _when_due(self, path: Path, seconds: float, write: Callable[[], None]) -> None:
        if self._clock() < self._due.get(path, 0.0):
            return
        self._due[path] = self._clock() + seconds
        try:
            write()
        except OSError as error:
            problem, before = storage_problem(error, path), self._problems.get(path)
            if before is None or (before.problem, before.detail) != (problem.problem, problem.detail):
                self._problems[path] = problem
                self._warn(problem)
        else:
            self._problems.pop(path, None)
