"""The processes that a peer cannot do without.

WORKAROUND H22: hivemind waits for ever for those of its own processes that are gone.
"""

from __future__ import annotations

import threading

import psutil

from core.localizable import Detail

POLL_SECONDS = 1.0


class ChildProcesses:
    """The DHT process, p2pd and the averagers: each is watched from its birth on, until ``stop_watching``."""

    def __init__(self) -> None:
        self._processes: list[tuple[Detail, psutil.Process]] = []
        self._may_exit = threading.Event()

    def watch(self, name: Detail, pid: int | None) -> None:
        """Watch a process that has just been born; raises NoSuchProcess if it has ended since."""
        self._processes.append((name, psutil.Process(pid)))

    def stop_watching(self) -> None:
        """From now on all of them may end, because we are leaving."""
        self._may_exit.set()

    def wait_for_exit(self) -> Detail:
        """Wait until one of them has ended, and return its name; empty once they may."""
        while not self._may_exit.wait(POLL_SECONDS):
            if exited := self.exited():
                return exited
        return ""

    def exited(self) -> Detail:
        """The name of one that has ended; empty while all live, and once they may end."""
        dead = next((name for name, process in self._processes if not _is_alive(process)), "")
        return "" if self._may_exit.is_set() else dead


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
