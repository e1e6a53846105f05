"""The request to stop: Ctrl-C, SIGTERM or `q`; a second Ctrl-C forces the end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED_CODE = 130
_SIGNALS = [each for name in ("SIGINT", "SIGTERM", "SIGHUP") if (each := getattr(signal, name, None)) is not None]


class Stopped(Exception):  # noqa: N818 - a request that was met, not an error
    """A person asked to stop before the command had done its work; carries the exit code."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


class ForceQuitError(Stopped):
    """A person does not wait for the worker to leave the swarm."""


class Stop:
    """The request to stop, once it is made; ``wake`` is then called, by a signal handler or a thread."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.is_requested = False
        self.exit_code = 0
        self._wake = wake
        self._is_prompting = False
        self._forced = 0

    def request(self, exit_code: int = 0) -> None:
        """Request a proper end; ``exit_code`` is for a command that has not begun its work yet."""
        if not self.is_requested:
            self.is_requested, self.exit_code = True, exit_code
            self._wake()

    @contextmanager
    def by_signals(self) -> Iterator[None]:
        """While this lasts, a first signal requests the end and a second Ctrl-C forces it."""
        before = {each: signal.signal(each, self._on_signal) for each in _SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    @contextmanager
    def while_prompting(self) -> Iterator[None]:
        """While a person is prompted, the first signal already interrupts: the prompt would go on waiting."""
        self._is_prompting = True
        try:
            if self.is_requested:
                raise Stopped(self.exit_code)
            yield
        finally:
            self._is_prompting = False

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        is_forced = self.is_requested and number == signal.SIGINT
        self.request(128 + number)
        if self._is_prompting:
            self._is_prompting = False
            raise Stopped(128 + number)
        self._forced += is_forced
        if is_forced and self._forced == 1:
            raise ForceQuitError(128 + number)
