"""How much other programs need the CPU and the memory.

Linux tells how long tasks have waited (PSI, https://docs.kernel.org/accounting/psi.html). Of memory that is what
counts: whoever waits for it, the computer is slow for its owner. Of the CPU it is not, because our own worker waits
behind the others as well, and cannot be told from them; so the time that other processes compute is measured instead.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.observers.process_family import ProcessFamily

_MEMORY = Path("/proc/pressure/memory")
_FIRST_SECONDS = 0.5  # the system counts in hundredths of a second
_MEASURED_SECONDS = 4.0


def memory_pressure(path: Path = _MEMORY) -> float | None:
    """The share of the last ten seconds in which some task waited for memory; ``None`` where the kernel does not say.

    Reading fails where the kernel was started with ``psi=0``. Never raises.
    """
    try:
        name, avg10 = path.read_text().split(maxsplit=2)[:2]
        percent = float(avg10.removeprefix("avg10="))
    except (OSError, ValueError):
        return None
    return min(percent / 100, 1.0) if name == "some" and percent >= 0 else None


class OtherCpuUse:
    """The share of all cores that other programs use: the system's busy time, less ours and our children's.

    A process and what it waited for count as ours, so do its descendants; one whose parent had ended before it was seen
    counts as another program. It is measured anew every ``_MEASURED_SECONDS``.
    """

    def __init__(self, pid: int | None = None) -> None:
        self._pid = os.getpid() if pid is None else pid
        self._family: ProcessFamily | None = None
        self._before: tuple[float, float, float] | None = None
        self._share: float | None = None

    def look(self, pids: frozenset[int] | None) -> float | None:
        """The share that was measured last, 0 to 1; ``None`` at the first look, and where nothing can be told.

        ``pids`` are those of all processes that run, as `running_pids` lists them.
        """
        import psutil

        before, shortest = self._before, _FIRST_SECONDS if self._share is None else _MEASURED_SECONDS
        if pids is not None and before is not None and time.monotonic() - before[0] < shortest:
            return self._share
        try:
            self._before = None if pids is None else (time.monotonic(), _busy_seconds(), self._own_seconds(pids))
        except (psutil.Error, OSError, ValueError, AttributeError):
            self._before = None
        self._share = None if before is None or self._before is None else _share(before, self._before)
        return self._share

    def _own_seconds(self, pids: frozenset[int]) -> float:
        """What the family has computed, and what those of it that have ended had."""
        import psutil

        from core.observers.process_family import ProcessFamily

        self._family = self._family or ProcessFamily(self._pid)
        own = 0.0
        for process in self._family.processes(pids):
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            own += times.user + times.system + times.children_user + times.children_system
        return own


def _share(before: tuple[float, float, float], now: tuple[float, float, float]) -> float:
    """Of each the time, the seconds that all cores were busy, and those that were ours."""
    seconds, busy, own = (new - old for new, old in zip(now, before, strict=True))
    return min(max((busy - own) / (seconds * (os.cpu_count() or 1)), 0.0), 1.0)


def _busy_seconds() -> float:
    """Of all cores since the start; time for guests is in ``user`` and ``nice`` already."""
    import psutil

    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq)
