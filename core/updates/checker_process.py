"""Runs the update check in a process of the engine, so that nobody waits for it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from core.engine.answering_process import AnsweringProcess
from core.updates.notice import UpdateNotice
from core.updates.publisher import Source


class UpdateCheck(AnsweringProcess):
    """One update check; ``post`` is called from a thread of its own, with ``None`` where nothing has come of it.

    Without an engine nobody is asked.
    """

    def __init__(self, source: Source, data: Path, post: Callable[[UpdateNotice | None], None]) -> None:
        super().__init__("core.updates", (source.address, source.publisher), data, lambda said: post(_notice_in(said)))


def _notice_in(said: bytes | None) -> UpdateNotice | None:
    if said is not None:
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            return msgspec.json.decode(said, type=UpdateNotice)
    return None
