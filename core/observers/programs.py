"""Names of the executables that run, found anew at little cost."""

from __future__ import annotations

import logging

_log = logging.getLogger(__name__)
_YOUNG_LOOKS = 5
_ROUND_LOOKS = 60


class RunningPrograms:
    """Names of the programs that run, as the system's list of processes has them.

    Every look lists the ids of all processes, which is cheap, and reads the names of those alone that are new: for
    ``_YOUNG_LOOKS`` looks, because a shell's child becomes a program a moment after it is there. Of the others a
    sixtieth is read each time, so that within two minutes also a reused id and a dead process (a zombie) are seen.
    """

    def __init__(self) -> None:
        self._looks = 0
        self._known: dict[int, tuple[int, str]] = {}

    def look(self) -> frozenset[str] | None:
        """The names at this moment; ``None`` where processes cannot be listed. Never raises."""
        import psutil

        self._looks += 1
        try:
            pids = psutil.pids()
        except Exception as error:
            _log.info("Processes cannot be listed: %r", error)
            return None
        self._known = {pid: self._entry(pid) for pid in pids}
        return frozenset(name for _, name in self._known.values() if name)

    def _entry(self, pid: int) -> tuple[int, str]:
        """The look at which the process was found, and its name."""
        found_at, name = self._known.get(pid, (self._looks, ""))
        if self._looks - found_at < _YOUNG_LOOKS or (pid + self._looks) % _ROUND_LOOKS == 0:
            name = _name(pid)
        return found_at, name


def _name(pid: int) -> str:
    """Empty for a process that has ended meanwhile, or is a zombie."""
    import psutil

    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return "" if process.status() == psutil.STATUS_ZOMBIE else process.name()
    except (psutil.Error, OSError, ValueError):
        return ""
