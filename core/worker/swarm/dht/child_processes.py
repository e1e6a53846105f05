"""The processes that a peer cannot do without: hivemind waits for ever for those that are gone."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psutil

LOOK_SECONDS = 1.0


class ChildProcesses:
    """Each is watched from its birth on, until ``rest`` is called: from then on they may end.

    ``say_goodbye`` is how to leave those who count on us, once there are any.
    """

    def __init__(self) -> None:
        self.say_goodbye: Callable[[], None] = lambda: None
        self._parts: list[tuple[str, psutil.Process]] = []
        self._is_over = threading.Event()

    def watch(self, name: str, pid: int | None) -> None:
        """It has just been born; raises NoSuchProcess if it has ended since."""
        self._parts.append((name, psutil.Process(pid)))

    def rest(self) -> None:
        """We are leaving."""
        self._is_over.set()

    def wait_for_exit(self) -> str:
        """Wait until one of them has ended: which, in words; nothing once they may."""
        while not self._is_over.wait(LOOK_SECONDS):
            if dead := next((name for name, process in self._parts if not _lives(process)), ""):
                return "" if self._is_over.is_set() else dead
        return ""


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
