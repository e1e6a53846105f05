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
        self._parents: dict[int, int] = {}  # as they were when a process was seen first
        self._opened: dict[int, psutil.Process] = {}

    def processes(self, pids: frozenset[int]) -> list[psutil.Process]:
        """Who of it is among these, which are all that run; raises psutil.NoSuchProcess if the process is not."""
        if self._pid not in pids:
            raise psutil.NoSuchProcess(self._pid)
        if pids != self._parents.keys():
            self._see(pids)
        return list(self._opened.values())

    def _see(self, pids: frozenset[int]) -> None:
        """Some have come or gone."""
        self._parents = {pid: self._parents[pid] if pid in self._parents else _parent(pid) for pid in pids}
        children: dict[int, list[int]] = {}
        for pid, parent in self._parents.items():
            if pid != parent:
                children.setdefault(parent, []).append(pid)
        before, self._opened = self._opened, {}
        wanted = [self._pid]
        while wanted:
            pid = wanted.pop()
            wanted += children.get(pid, [])
            if (process := before.get(pid) or _process(pid)) is not None:
                self._opened[pid] = process


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.Error:
        return None


def _parent(pid: int) -> int:
    """Its own id for a process that has none, or has ended."""
    try:
        return psutil.Process(pid).ppid()
    except psutil.Error:
        return pid
