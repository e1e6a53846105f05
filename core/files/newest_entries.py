"""A small JSON file of dated entries by name: the newest are kept, and each holds for a while."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from core.files.json_file import JsonFile


class Dated(Protocol):
    """What was found out ``at`` that time, in seconds since 1970."""

    @property
    def at(self) -> float: ...


_Entry = TypeVar("_Entry", bound=Dated)


class NewestEntries(Generic[_Entry]):
    """At most ``most`` structs of one ``kind``, each for ``seconds``. A disk that refuses the file stops nothing."""

    def __init__(self, path: Path, kind: type[_Entry], *, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._file: JsonFile[dict[str, _Entry]] = JsonFile(path, dict[str, kind])  # type: ignore[valid-type]

    def recall(self, name: str) -> _Entry | None:
        """The entry of that name, if it is not too old, or of another clock's future."""
        known = self._read().get(name)
        is_fresh = known is not None and 0 <= time.time() - known.at < self._seconds
        return known if is_fresh else None

    def remember(self, name: str, entry: _Entry) -> None:
        """Keep that entry, and forget the oldest ones."""
        entries = self._read() | {name: entry}
        newest = sorted(entries.items(), key=lambda item: item[1].at)[-self._most :]
        self._file.save(dict(newest))

    def _read(self) -> dict[str, _Entry]:
        return self._file.load() or {}
