"""A session with NVIDIA's driver through NVML; every call may hang for ever, so it needs a thread to spare."""

from __future__ import annotations

import logging
import time
from typing import Any

LIBRARY_RETRY_SECONDS = 60.0
"""After so long the library is looked for again where there was none: a driver may be installed meanwhile."""
_log = logging.getLogger(__name__)


class NvmlSession:
    """Opened when it is needed, and open until it is closed because something has failed; for one thread."""

    def __init__(self) -> None:
        self._is_open = False
        self._missing: tuple[float, Exception] | None = None
        self._told: set[str] = set()

    def opened(self) -> Any:
        """The module ``pynvml``, with a session; raises whatever is wrong with the library or the driver."""
        import pynvml

        if not self._is_open:
            if self._missing is not None and time.monotonic() - self._missing[0] < LIBRARY_RETRY_SECONDS:
                raise self._missing[1].with_traceback(None)  # or else it grows with every look
            try:
                pynvml.nvmlInit()
            except pynvml.NVMLError_LibraryNotFound as error:
                self._missing = time.monotonic(), error
                raise
            self._is_open = True
        return pynvml

    def close(self) -> None:
        """End the session; `opened` begins another."""
        if self._is_open:
            self._is_open = False
            try:
                import pynvml

                pynvml.nvmlShutdown()
            except Exception as error:
                _log.info("NVML: %r", error)

    def log_once(self, what: str) -> None:
        """A look follows every second or two, and the log is for people."""
        if what not in self._told:
            self._told.add(what)
            _log.info("%s", what)
