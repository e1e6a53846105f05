"""Who is told how the fetching of files goes, and who may end it."""

from __future__ import annotations

from typing import Protocol

from core.errors import ErrorKind


class ProgressListener(Protocol):
    """``progress`` and ``check`` are called often, and raise what must end the work, as when we leave."""

    def progress(self, received_bytes: int, total_bytes: int) -> None: ...

    def check(self) -> None: ...

    def warn(self, problem: ErrorKind, detail: str) -> None: ...
