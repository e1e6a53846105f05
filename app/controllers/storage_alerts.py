"""Whether the memory can be kept: told once when it cannot, and taken back when it can again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from core.errors import ErrorKind, UserError


class _Memory(Protocol):
    @property
    def trouble(self) -> UserError | None: ...

    @property
    def quarantined_paths(self) -> tuple[Path, ...]: ...


class StorageAlerts:
    """``look`` now and then: a disk fills up, and is emptied again, while the program runs."""

    def __init__(
        self, memory: _Memory, tell: Callable[[UserError], None], take_back: Callable[[UserError], None]
    ) -> None:
        self._memory, self._tell, self._take_back = memory, tell, take_back
        self._told: UserError | None = None
        self._asides: set[Path] = set()

    def look(self) -> None:
        """Tell what is new."""
        trouble, told = self._memory.trouble, self._told
        if (trouble and trouble.problem) is not (told and told.problem):
            self._told = trouble
            if told is not None:
                self._take_back(told)
            if trouble is not None:
                self._tell(trouble)
        for aside in self._memory.quarantined_paths:
            if aside not in self._asides:
                self._asides.add(aside)
                self._tell(UserError(ErrorKind.HISTORY_DAMAGED, f"It is now {aside}."))
