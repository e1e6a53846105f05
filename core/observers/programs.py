"""Names of the executables that run, found anew at little cost."""

from __future__ import annotations

import logging

_log = logging.getLogger(__name__)
_YOUNG_LOOKS = 5
_ROUND_LOOKS = 60
_STAT_BYTES = 1024  # a line of some fifty numbers

_Known = tuple[bytes, bool]


def running_pids() -> frozenset[int] | None:
    """The ids of all processes; ``None`` where they cannot be listed. Never raises."""
    import psutil

    try:
        return frozenset(psutil.pids())
    except Exception as error:
        _log.info("Processes cannot be listed: %r", error)
        return None


class RunningPrograms:
    """Names of the programs that run, as the system's list of processes has them.

    The names of those processes alone are read that are new: for ``_YOUNG_LOOKS`` looks, because a shell's child
    becomes a program a moment after it is there. Of the others a sixtieth is read each time, so that within two
    minutes also a reused id and a dead process (a zombie) are seen.
    """

    def __init__(self) -> None:
        self._looks = 0
        self._names: dict[int, str] = {}
        self._known: dict[int, _Known | None] = {}
        self._looks_left: dict[int, int] = {}  # of new processes: how many looks more read the name

    def look(self, pids: frozenset[int] | None) -> frozenset[str] | None:
        """The names of these processes at this moment; ``None`` where ``pids`` is. Never raises."""
        if pids is None:
            return None
        self._looks += 1
        for gone in self._names.keys() - pids:
            del self._names[gone], self._known[gone]
            self._looks_left.pop(gone, None)
        self._looks_left |= dict.fromkeys(pids - self._names.keys(), _YOUNG_LOOKS)
        in_turn = {pid for pid in pids if (pid + self._looks) % _ROUND_LOOKS == 0}
        for pid in in_turn | self._looks_left.keys():
            self._read(pid)
        self._looks_left = {pid: left - 1 for pid, left in self._looks_left.items() if left > 1}
        return frozenset(filter(None, self._names.values()))

    def _read(self, pid: int) -> None:
        known = _known(pid)  # before the name: a program that begins between the two is found by the next look
        if pid not in self._names or known is None or known != self._known[pid]:
            self._names[pid] = _name(pid)
        self._known[pid] = known


def _known(pid: int) -> _Known | None:
    """The first 15 bytes of a process's name, and whether it is dead; see proc_pid_stat(5). ``None`` where unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - half the time of a Path
            words = file.read(_STAT_BYTES)
    except OSError:
        return None
    begin, end = words.find(b"("), words.rfind(b")")
    return words[begin + 1 : end], words[end + 2 : end + 3] in (b"Z", b"X")


def _name(pid: int) -> str:
    """Empty for a process that has ended meanwhile, or is a zombie."""
    import psutil

    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return "" if process.status() == psutil.STATUS_ZOMBIE else process.name()
    except (psutil.Error, OSError, ValueError):
        return ""
