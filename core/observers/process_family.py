"""A process and its descendants, found anew at little cost: only of new processes is it read who has started them."""

from __future__ import annotations

import psutil


class ProcessFamily:
    """The family of one process; whose parent has ended still belongs to it, if it was seen before.

    psutil's own ``children(recursive=True)`` reads every process of the computer each time. A process is opened once:
    of each look, all that is read again are the figures that somebody asks it for.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._parents: dict[int, int] = {}
        self._opened: dict[int, psutil.Process] = {}

    def processes(self) -> list[psutil.Process]:
        """Who is alive of it now; raises psutil.NoSuchProcess where the process itself has ended."""
        parents = self._parents = self._current_parents()
        before, self._opened = self._opened, {}
        if self._pid not in parents:
            raise psutil.NoSuchProcess(self._pid)
        children: dict[int, list[int]] = {}
        for pid, parent in parents.items():
            children.setdefault(parent, []).append(pid)
        wanted = [self._pid]
        while wanted:
            pid = wanted.pop()
            wanted += children.get(pid, [])
            if (process := before.get(pid) or _process(pid)) is not None:
                self._opened[pid] = process
        return list(self._opened.values())

    def _current_parents(self) -> dict[int, int]:
        """By process id, that of the parent as it was when the process was seen first; a dead one's child keeps it."""
        known, current = self._parents, dict[int, int]()
        for pid in psutil.pids():
            parent = known[pid] if pid in known else _parent(pid)
            if parent is not None and pid != parent:
                current[pid] = parent
        return current


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.Error:
        return None


def _parent(pid: int) -> int | None:
    try:
        return psutil.Process(pid).ppid()
    except psutil.Error:
        return None
