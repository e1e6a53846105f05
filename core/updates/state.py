"""What is known of newer versions, and when to ask again: a small file."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from core.files.atomic import write_atomically
from core.schema import StrictStruct
from core.updates.notice import UpdateNotice

EVERY_SECONDS = 14 * 24 * 3600.0
AGAIN_SECONDS = 24 * 3600.0  # after nobody has answered, or not well
_MAX_FILE_BYTES = 16 * 1024
_log = logging.getLogger(__name__)


class _Page(StrictStruct, kw_only=True, frozen=True):
    """``told`` is the version that the person has been told of last."""

    asked_at: float = 0.0
    was_answered: bool = False
    newest: UpdateNotice | None = None
    told: str = ""


class UpdateState:
    """A damaged file is as good as none, and one that cannot be written is kept in mind instead."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._page = _read(path)

    @property
    def newest(self) -> UpdateNotice | None:
        """The newest version that the publisher has ever announced to us."""
        return self._page.newest

    def is_due(self, now: float) -> bool:
        """Whether to ask; a clock that was set back does not put it off."""
        wait = EVERY_SECONDS if self._page.was_answered else AGAIN_SECONDS
        return not 0 <= now - self._page.asked_at < wait

    def note_asked(self, now: float) -> None:
        """Before anybody answers: a program that ends meanwhile asks no more often."""
        self._write(asked_at=now, was_answered=False)

    def note_answered(self, notice: UpdateNotice) -> None:
        """One of a version that is no newer than what is known changes nothing, whoever shows it again."""
        newest = self._page.newest
        is_news = newest is None or notice.is_newer_than(newest.version)
        self._write(was_answered=True, newest=notice if is_news else newest)

    def untold(self, own: str) -> UpdateNotice | None:
        """What a person should be told who has the version ``own``: each version once."""
        newest = self._page.newest
        is_news = newest is not None and newest.is_newer_than(own) and newest.version != self._page.told
        return newest if is_news else None

    def note_told(self, notice: UpdateNotice) -> None:
        """Never again of this one."""
        self._write(told=notice.version)

    def _write(self, **changes: object) -> None:
        page = msgspec.structs.replace(self._page, **changes)
        if page == self._page:
            return
        self._page = page
        try:
            write_atomically(self._path, msgspec.json.format(msgspec.json.encode(page)))
        except OSError as error:
            _log.warning("%s cannot be written: %r", self._path, error)


def _read(path: Path) -> _Page:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MAX_FILE_BYTES), type=_Page)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Page()
