"""How much memory processes have, as Linux counts it in ``/proc/<pid>/smaps_rollup``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

_SHARE, _OWN, _ANONYMOUS = ("Pss",), ("Private_Clean", "Private_Dirty", "Private_Hugetlb"), ("Anonymous",)


@dataclass(frozen=True)
class MemoryUse:
    """Bytes of one process, or of several together.

    In ``pss_bytes``, the proportional set size, what several processes share is divided among them. ``uss_bytes``, the
    unique set size, are its own alone, and ``anonymous_bytes`` are in no file: both stay as they are when others load
    the same libraries, or let go of them.
    """

    pss_bytes: int = 0
    uss_bytes: int = 0
    anonymous_bytes: int = 0

    def __add__(self, other: MemoryUse) -> MemoryUse:
        return MemoryUse(
            self.pss_bytes + other.pss_bytes,
            self.uss_bytes + other.uss_bytes,
            self.anonymous_bytes + other.anonymous_bytes,
        )


def memory_use(pid: int) -> MemoryUse:
    """What that process has now; raises OSError where it has ended."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    counted = {name: 1024 * int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return MemoryUse(*(sum(counted[name] for name in names) for names in (_SHARE, _OWN, _ANONYMOUS)))


def memory_use_of_all(processes: Iterable[psutil.Process]) -> MemoryUse:
    """What these processes have together now; who has ended has nothing."""
    total = MemoryUse()
    for process in processes:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            total += memory_use(process.pid)
    return total
