"""Which programs use a GPU, by the names that the system knows them by."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from core.hardware.device import DeviceUser


class _Program(NamedTuple):
    """``name`` is empty where the system does not tell it; ``is_ours`` is true of us and what we started."""

    name: str
    is_ours: bool


class DeviceUsers:
    """Remembers from one look to the next which process is which, because finding out takes a while."""

    def __init__(self) -> None:
        self._known: dict[int, _Program] = {}
        self._known_before: dict[int, _Program] = {}

    def begin_look(self) -> None:
        """Forget the processes that the last look has not met: their numbers may be given to others."""
        self._known_before, self._known = self._known, {}

    def others(self, memory: Mapping[int, int | None]) -> tuple[DeviceUser, ...]:
        """Those of the processes, with the bytes that each uses, that are not ours; the greediest first."""
        users = [
            DeviceUser(pid, program.name, size)
            for pid, size in memory.items()
            if not (program := self._program(pid)).is_ours
        ]
        return tuple(sorted(users, key=lambda user: (-(user.memory_bytes or 0), user.pid)))

    def _program(self, pid: int) -> _Program:
        program = self._known.get(pid) or self._known_before.get(pid) or _found(pid)
        self._known[pid] = program
        return program


def _found(pid: int) -> _Program:
    import psutil

    try:
        process = psutil.Process(pid)
        is_ours = pid == os.getpid() or any(parent.pid == os.getpid() for parent in process.parents())
        return _Program(process.name(), is_ours)
    except (psutil.Error, OSError, ValueError):
        return _Program("", False)
