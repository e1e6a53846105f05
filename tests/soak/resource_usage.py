"""How much memory and how many descriptors each kind of process has, again and again."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import psutil

from core.worker.delegation.calls import DELEGATES
from tests.support.computer.memory_use import memory_use
from tests.support.forked.server import MARK
from tests.support.peers.slow_computer import is_worker
from tests.support.worker_processes import is_p2pd

YOUNG_SECONDS = 30.0  # a process that still grows up
WATCHED_SECONDS = 60.0  # at least, or its growth says nothing


@dataclass(frozen=True)
class Look:
    """``memory_bytes`` is what it has for itself alone, shared with nobody."""

    at: float
    memory_bytes: int
    descriptors: int


@dataclass
class Watched:
    """One process."""

    kind: str
    mark: str
    born: float
    looks: list[Look] = field(default_factory=list)

    @property
    def grown_up(self) -> list[Look]:
        """The looks at it when it was no longer young."""
        return [look for look in self.looks if look.at - self.born >= YOUNG_SECONDS]

    @property
    def seconds(self) -> float:
        """How long it was watched."""
        return self.grown_up[-1].at - self.grown_up[0].at if self.grown_up else 0.0


class Census:
    """Of all whose mark begins so."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self.watched: dict[psutil.Process, Watched] = {}

    def look(self) -> None:
        """At everybody who lives now."""
        marks = {process: mark for process, mark in _marked() if mark.startswith(self._mark)}
        daemons = set(filter(None, map(_parent_of_p2pd, marks)))
        for process, mark in marks.items():
            with contextlib.suppress(psutil.Error, OSError):
                if process not in self.watched:
                    kind = _kind_of(process, daemons)
                    self.watched[process] = Watched(kind, mark, process.create_time())
                memory = memory_use(process.pid).uss_bytes
                self.watched[process].looks.append(Look(time.time(), memory, process.num_fds()))

    def of(self, kind: str, marks: Sequence[str]) -> list[Watched]:
        """Who was watched long enough, of that kind and of those families."""
        return [
            each
            for each in self.watched.values()
            if each.kind == kind and each.mark in marks and each.seconds >= WATCHED_SECONDS
        ]


def _parent_of_p2pd(process: psutil.Process) -> int | None:
    """The pid of that process's parent; ``None`` where it is no p2pd, or has ended in this moment."""
    with contextlib.suppress(psutil.Error, OSError):
        return process.ppid() if is_p2pd(process) else None
    return None


def _marked() -> Iterator[tuple[psutil.Process, str]]:
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if mark := process.environ().get(MARK):
                yield process, mark


def _kind_of(process: psutil.Process, parents_of_daemons: set[int]) -> str:
    if process.name() == "p2pd":
        return "p2pd"
    if process.name() in DELEGATES.values() or is_p2pd(process):
        return "delegate"
    if not is_worker(process.cmdline()):
        return "client"
    if process.pid in parents_of_daemons:
        return "dht"
    parent = process.parent()
    is_forked = parent is not None and is_worker(parent.cmdline())
    return "averager" if is_forked else "worker"
