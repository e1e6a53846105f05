"""What is known of newer versions, and when to ask again: a small file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from core.files.json_file import JsonFile
from core.schema import StrictStruct
from core.updates.notice import UpdateNotice

EVERY_SECONDS = 14 * 24 * 3600.0
AGAIN_SECONDS = 24 * 3600.0  # after nobody has answered, or not well
_MAX_FILE_BYTES = 16 * 1024


class _State(StrictStruct, kw_only=True, frozen=True):
    """``told`` is the version that the person has been told of last."""

    asked_at: float = 0.0
    was_answered: bool = False
    newest: UpdateNotice | None = None
    told: str = ""


class UpdateState:
    """What is known of updates, kept in a small file; what the disk refuses is remembered until the program ends."""

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[_State] = JsonFile(path, _State, max_bytes=_MAX_FILE_BYTES)
        self._state = self._file.load() or _State()

    @property
    def newest(self) -> UpdateNotice | None:
        """The newest version that the publisher has ever announced to us."""
        return self._state.newest

    def is_due(self, now: float) -> bool:
        """Whether to ask; a clock that was set back does not put it off."""
        wait = EVERY_SECONDS if self._state.was_answered else AGAIN_SECONDS
        return not 0 <= now - self._state.asked_at < wait

    def note_asked(self, now: float) -> None:
        """Before anybody answers: a program that ends meanwhile asks no more often."""
        self._write(asked_at=now, was_answered=False)

    def note_answered(self, notice: UpdateNotice) -> None:
        """One of a version that is no newer than what is known changes nothing, whoever shows it again."""
        newest = self._state.newest
        is_news = newest is None or notice.is_newer_than(newest.version)
        self._write(was_answered=True, newest=notice if is_news else newest)

    def untold(self, own: str) -> UpdateNotice | None:
        """What a person should be told who has the version ``own``: each version once."""
        newest = self._state.newest
        is_news = newest is not None and newest.is_newer_than(own) and newest.version != self._state.told
        return newest if is_news else None

    def note_told(self, notice: UpdateNotice) -> None:
        """Never again of this one."""
        self._write(told=notice.version)

    def _write(self, **changes: object) -> None:
        state = msgspec.structs.replace(self._state, **changes)
        if state != self._state:
            self._state = state
            self._file.save(state)
