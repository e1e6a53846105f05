"""Whether what is recorded can be kept: reported once when it cannot, and withdrawn when it can again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from core.errors import ErrorKind, UserError
from core.localizable import localized


class _Recorder(Protocol):
    @property
    def error(self) -> UserError | None: ...

    @property
    def quarantined_paths(self) -> tuple[Path, ...]: ...


class StorageAlerts:
    """Compares the state of a recorder's files with what has been reported of them.

    A disk fills up, and is emptied again, while the program runs; so ``poll`` is called every few seconds.
    """

    def __init__(
        self, recorder: _Recorder, report: Callable[[UserError], object], withdraw: Callable[[UserError], object]
    ) -> None:
        self._recorder, self._report, self._withdraw = recorder, report, withdraw
        self._reported: UserError | None = None
        self._reported_paths: set[Path] = set()

    def poll(self) -> None:
        """Report an error that is new, and every damaged file once; withdraw an error that is over."""
        error, reported = self._recorder.error, self._reported
        if (error and error.problem) is not (reported and reported.problem):
            self._reported = error
            if reported is not None:
                self._withdraw(reported)
            if error is not None:
                self._report(error)
        for path in self._recorder.quarantined_paths:
            if path not in self._reported_paths:
                self._reported_paths.add(path)
                self._report(UserError(ErrorKind.HISTORY_DAMAGED, localized("It is now %1.", path)))
