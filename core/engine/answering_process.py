"""Runs a module once in a process of the engine's Python, so that nobody waits for its answer."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from core.engine.python import engine_python
from core.engine.worker_command import worker_environment
from core.security.sanitize import sanitize_line

_LIMIT_SECONDS = 90.0
_log = logging.getLogger(__name__)


class AnsweringProcess:
    """One process that prints an answer and ends.

    ``post`` is called once, from a thread of its own, with what was printed; with ``None`` where the process has
    failed, or has taken longer than 90 seconds. The engine's Python runs it, which has what verifies signatures;
    ``command``, if given, is what runs instead of that Python with the module. See `core.engine.one_answer`.
    """

    def __init__(
        self,
        module: str,
        words: tuple[str, ...],
        data: Path,
        post: Callable[[bytes | None], None],
        command: Sequence[str] | None = None,
    ) -> None:
        self._module, self._words, self._data, self._post, self._command = module, words, data, post, command
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name=module, daemon=True)

    def start(self) -> None:
        """Start the process; raises UserError where there is no engine, OSError where it does not start."""
        command = self._command or (str(engine_python(self._data)), "-P", "-m", self._module)
        self._process = subprocess.Popen(
            [*command, *self._words],
            env=worker_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it has been started and has not posted its answer yet."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Kill the process, for the end of the program."""
        if self._process is not None:
            self._process.kill()
            self._thread.join()

    def _run(self) -> None:
        self._post(self._answer())

    def _answer(self) -> bytes | None:
        assert self._process is not None
        with self._process as process:
            try:
                said, complaint = process.communicate(timeout=_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
        if process.returncode != 0:
            words = complaint[-1000:].decode("utf-8", "replace")
            _log.info("%s %s: %s", self._module, self._words[0], sanitize_line(words, 300))
            return None
        return said
