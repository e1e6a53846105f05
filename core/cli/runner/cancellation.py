"""The wish to stop: Ctrl-C, SIGTERM, `q`; asked for once, and insisted on by a second Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = [each for name in ("SIGINT", "SIGTERM", "SIGHUP") if (each := getattr(signal, name, None)) is not None]


class Stopped(Exception):  # noqa: N818 - a wish that was heard, not an error
    """Somebody asked to stop before the command had done what it is for; carries the exit code."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


class ForceQuitError(Stopped):
    """Somebody will not wait for a proper end."""


class Stop:
    """Whether somebody wants to stop; ``wake`` is called when it changes, by a signal handler or a thread."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.is_requested = False
        self.exit_code = 0
        self._wake = wake
        self._is_asking = False
        self._insists = 0

    def request(self, exit_code: int = 0) -> None:
        """Ask for a proper end; ``exit_code`` is for a command that has not begun its work yet."""
        if not self.is_requested:
            self.is_requested, self.exit_code = True, exit_code
            self._wake()

    @contextmanager
    def by_signals(self) -> Iterator[None]:
        """While this lasts, a first signal asks to stop and a second Ctrl-C ends at once."""
        before = {each: signal.signal(each, self._on_signal) for each in _SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    @contextmanager
    def while_asking(self) -> Iterator[None]:
        """While a person is asked, the first signal already interrupts: the prompt would go on waiting."""
        self._is_asking = True
        try:
            if self.is_requested:
                raise Stopped(self.exit_code)
            yield
        finally:
            self._is_asking = False

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        insists = self.is_requested and number == signal.SIGINT
        self.request(128 + number)
        if self._is_asking:
            self._is_asking = False
            raise Stopped(128 + number)
        self._insists += insists
        if insists and self._insists == 1:
            raise ForceQuitError(128 + number)
