"""The last events of the sessions of this person, kept in a file as the lines of the event log."""

from __future__ import annotations

import contextlib
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from core.files.logs import keep_small

if TYPE_CHECKING:
    from core.protocol.client_events import ClientEvent

_FILE_NAME = "events.log"
_MAX_LINES, _MAX_BYTES = 300, 100_000  # that are told
_log = logging.getLogger(__name__)


class SessionEvents:
    """Writes a line for each event that has one; several processes of a person may write to the same folder of logs.

    Never raises: what the disk refuses is told once in the client's log.
    """

    def __init__(self, logs: Path) -> None:
        self._path = logs / _FILE_NAME
        self._is_refused = False

    def note(self, event: ClientEvent, device: str = "") -> None:
        """Keep what happened; ``device`` is the label of a further device whose session it happened to."""
        from core.texts.event_log import line  # late: the window's start has not got the time

        words = line(event)
        if not words:
            return
        told = " ".join(part for part in (time.strftime("%Y-%m-%d %H:%M:%S"), device, words) if part)
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{told}\n")
            keep_small(self._path)
        except OSError as error:
            if not self._is_refused:
                _log.warning("The events cannot be kept: %r", error)
            self._is_refused = True


def last_events(logs: Path) -> list[str]:
    """The newest lines in that folder, oldest first; none where nothing has happened, or cannot be read."""
    with contextlib.suppress(OSError), (logs / _FILE_NAME).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _MAX_BYTES))
        lines = file.read(_MAX_BYTES).decode("utf-8", "replace").splitlines()
        return lines[1 if size > _MAX_BYTES else 0 :][-_MAX_LINES:]
    return []
