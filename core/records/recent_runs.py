"""The runs that this person has looked at or helped, so that they need not be pasted again."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.json_file import JsonFile
from core.schema import StrictStruct

_log = logging.getLogger(__name__)
MOST_RUNS = 20
MAX_REASON_CHARACTERS = 300
_MAX_FILE_BYTES = 4 * 1024 * 1024  # twice what the bounds below let in, however it is written

LastState = Literal["trained", "paused", "failed", "refused", "finished"]


class RecentRun(StrictStruct, kw_only=True, frozen=True):
    """One run; ``address`` can be pasted as it is, ``at`` is in seconds since 1970.

    ``reason`` is what its organiser said when it ended; ``has_helped``: this computer has computed something for it.
    """

    run_id: Annotated[str, Meta(min_length=1, max_length=64)]
    name: Annotated[str, Meta(max_length=200)]
    organiser: Annotated[str, Meta(max_length=200)]
    address: Annotated[str, Meta(max_length=16_000)]
    last_state: LastState
    at: Annotated[float, Meta(ge=0, le=1e12)]
    reason: Annotated[str, Meta(max_length=MAX_REASON_CHARACTERS)] = ""
    has_helped: bool = False


class RecentRuns:
    """The recent runs in a small file, which is quarantined where it is damaged.

    ``trouble`` says why it cannot be written.

    Nothing here raises: what could not be written is remembered until the program ends.
    """

    def __init__(self, path: Path) -> None:
        self.trouble: UserError | None = None
        self._file: JsonFile[tuple[RecentRun, ...]] = JsonFile(path, tuple[RecentRun, ...], max_bytes=_MAX_FILE_BYTES)
        self._runs = self._load()

    @property
    def aside(self) -> Path | None:
        """Where a file that was damaged has been put."""
        return self._file.quarantined

    def all(self) -> tuple[RecentRun, ...]:
        """All recent runs, the latest first."""
        return self._runs

    def remember(self, run: RecentRun) -> None:
        """Put the run first, in place of what was known of it."""
        try:
            msgspec.convert(msgspec.to_builtins(run), RecentRun)
            msgspec.json.encode(run)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            _log.warning("%r is not remembered: %r", run.run_id, error)
        else:
            self._keep((run, *self._without(run.run_id, run.organiser))[:MOST_RUNS])

    def forget(self, run_id: str, organiser: str) -> None:
        """Strike the run from the list, if it is there."""
        self._keep(self._without(run_id, organiser))

    def _without(self, run_id: str, organiser: str) -> tuple[RecentRun, ...]:
        return tuple(run for run in self._runs if (run.run_id, run.organiser) != (run_id, organiser))

    def _keep(self, runs: tuple[RecentRun, ...]) -> None:
        self._runs = runs
        try:
            self._file.write(runs)
            self.trouble = None
        except OSError as error:
            self._report(error)

    def _load(self) -> tuple[RecentRun, ...]:
        try:
            return (self._file.read() or ())[:MOST_RUNS]
        except OSError as error:
            self._report(error)
            return ()

    def _report(self, error: OSError) -> None:
        self.trouble = storage_problem(error, self._file.path, ErrorKind.HISTORY_NOT_KEPT)
        _log.warning("%s: %r", self._file.path, error)
