"""Runs the update check in a process of the engine, so that nobody waits for it."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from core.engine.python import engine_python
from core.engine.worker_command import worker_environment
from core.security.sanitize import sanitize_line
from core.updates.notice import UpdateNotice
from core.updates.publisher import Source

_LIMIT_SECONDS = 90.0
_log = logging.getLogger(__name__)


class UpdateCheck:
    """One update check; ``post`` is called from a thread of its own, with ``None`` where nothing has come of it.

    The engine's Python asks, which has what verifies signatures; without an engine nobody does.
    """

    def __init__(self, source: Source, data: Path, post: Callable[[UpdateNotice | None], None]) -> None:
        self._source, self._data, self._post = source, data, post
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="updates", daemon=True)

    def start(self) -> None:
        """Start the process; raises UserError where there is no engine, OSError where it does not start."""
        self._process = subprocess.Popen(
            [str(engine_python(self._data)), "-P", "-m", "core.updates", *self._words],
            env=worker_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._thread.start()

    def stop(self) -> None:
        """Kill the process, for the end of the program."""
        if self._process is not None:
            self._process.kill()
            self._thread.join()

    @property
    def _words(self) -> tuple[str, str]:
        return self._source.address, self._source.publisher

    def _run(self) -> None:
        self._post(self._answer())

    def _answer(self) -> UpdateNotice | None:
        assert self._process is not None
        with self._process as process:
            try:
                said, complaint = process.communicate(timeout=_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
        if process.returncode != 0:
            words = complaint[-1000:].decode("utf-8", "replace")
            _log.info("No notice of newer versions from %s: %s", self._source.host, sanitize_line(words, 300))
            return None
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            return msgspec.json.decode(said, type=UpdateNotice)
        return None
