"""The runs that this person has looked at or helped, so that they need not be pasted again."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.errors import ErrorKind, UserError
from core.files.atomic import quarantine, storage_problem, write_atomically
from core.schema import StrictStruct

_log = logging.getLogger(__name__)
MOST_RUNS = 20
_MAX_FILE_BYTES = 4 * 1024 * 1024  # twice what the bounds below let in, however it is written

LastState = Literal["trained", "paused", "failed", "refused", "finished"]


class RecentRun(StrictStruct, kw_only=True, frozen=True):
    """One of them; ``address`` can be pasted as it is, ``at`` is in seconds since 1970."""

    run_id: Annotated[str, Meta(min_length=1, max_length=64)]
    name: Annotated[str, Meta(max_length=200)]
    organiser: Annotated[str, Meta(max_length=200)]
    address: Annotated[str, Meta(max_length=16_000)]
    last_state: LastState
    at: Annotated[float, Meta(ge=0, le=1e12)]


class RecentRuns:
    """A small file. One that is damaged is kept ``aside``; one that cannot be written is told in ``trouble``.

    Nothing here raises: what could not be written is remembered until the program ends.
    """

    def __init__(self, path: Path) -> None:
        self.trouble: UserError | None = None
        self.aside: Path | None = None
        self._path = path
        self._runs = self._load()

    def all(self) -> tuple[RecentRun, ...]:
        """The latest first."""
        return self._runs

    def remember(self, run: RecentRun) -> None:
        """Put it first, in place of what was known of it."""
        try:
            msgspec.convert(msgspec.to_builtins(run), RecentRun)
            msgspec.json.encode(run)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            _log.warning("%r is not remembered: %r", run.run_id, error)
        else:
            self._keep((run, *self._without(run.run_id, run.organiser))[:MOST_RUNS])

    def forget(self, run_id: str, organiser: str) -> None:
        """Whatever was known of it."""
        self._keep(self._without(run_id, organiser))

    def _without(self, run_id: str, organiser: str) -> tuple[RecentRun, ...]:
        return tuple(run for run in self._runs if (run.run_id, run.organiser) != (run_id, organiser))

    def _keep(self, runs: tuple[RecentRun, ...]) -> None:
        self._runs = runs
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(self._path, msgspec.json.format(msgspec.json.encode(runs)))
            self.trouble = None
        except OSError as error:
            self._tell(error)

    def _load(self) -> tuple[RecentRun, ...]:
        try:
            with self._path.open("rb") as file:
                encoded = file.read(_MAX_FILE_BYTES)
            return msgspec.json.decode(encoded, type=tuple[RecentRun, ...])[:MOST_RUNS]
        except FileNotFoundError:
            pass
        except PermissionError as error:
            self._tell(error)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError):
            self._put_aside()
        return ()

    def _put_aside(self) -> None:
        try:
            self.aside = quarantine(self._path)
            _log.warning("%s is damaged, and is now %s", self._path, self.aside.name)
        except OSError as error:
            self._tell(error)

    def _tell(self, error: OSError) -> None:
        self.trouble = storage_problem(error, self._path, ErrorKind.HISTORY_NOT_KEPT)
        _log.warning("%s: %r", self._path, error)
