"""What is known of newer versions, and when to request a notice again, in a small file."""

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
        """Whether a check is due at ``now``; a clock that was set back does not put it off."""
        wait = EVERY_SECONDS if self._state.was_answered else AGAIN_SECONDS
        return not 0 <= now - self._state.asked_at < wait

    def record_request(self, now: float) -> None:
        """Record a check before anybody answers: a program that ends meanwhile checks no more often."""
        self._write(asked_at=now, was_answered=False)

    def record_answer(self, notice: UpdateNotice) -> None:
        """Record the notice that came; one that is not newer than what is known changes nothing."""
        newest = self._state.newest
        is_news = newest is None or notice.is_newer_than(newest.version)
        self._write(was_answered=True, newest=notice if is_news else newest)

    def unannounced(self, own: str) -> UpdateNotice | None:
        """The notice that a person with the version ``own`` has not been shown yet, if any: each version once."""
        newest = self._state.newest
        is_news = newest is not None and newest.is_newer_than(own) and newest.version != self._state.told
        return newest if is_news else None

    def record_announced(self, notice: UpdateNotice) -> None:
        """Record that the person has been shown this version."""
        self._write(told=notice.version)

    def _write(self, **changes: object) -> None:
        state = msgspec.structs.replace(self._state, **changes)
        if state != self._state:
            self._state = state
            self._file.save(state)
