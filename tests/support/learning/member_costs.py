"""What a member of a small swarm costs its computer: all processes of its group."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

import msgspec
import psutil


class MemberCost(msgspec.Struct, frozen=True, kw_only=True):
    """Over some time: the share of a core, and what its p2pd has written a second; at the end of it: its memory (PSS).

    p2pd writes to the network what its worker has sent to others, and to the worker what others have sent to it. So
    that is what both directions of the line carry together, but for what p2pd itself has to say.
    """

    core_share: float
    moved_bytes_per_second: float
    memory_bytes: int


@dataclass(frozen=True)
class Spent:
    """By a process group, until a moment of the monotonic clock."""

    at: float
    cpu_seconds: float
    written_bytes: int

    def until(self, later: Spent, memory_bytes: int) -> MemberCost:
        """What it cost from here on."""
        seconds = later.at - self.at
        return MemberCost(
            core_share=(later.cpu_seconds - self.cpu_seconds) / seconds,
            moved_bytes_per_second=(later.written_bytes - self.written_bytes) / seconds,
            memory_bytes=memory_bytes,
        )


def groups_of(leaders: frozenset[int]) -> dict[int, list[psutil.Process]]:
    """All processes whose group one of them leads, by that one's id."""
    found = {leader: list[psutil.Process]() for leader in leaders}
    for process in psutil.process_iter():
        with contextlib.suppress(OSError):
            found.get(os.getpgid(process.pid), []).append(process)
    return found


def spent(processes: list[psutil.Process], at: float) -> Spent:
    """By these processes."""
    seconds, written = 0.0, 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            seconds += times.user + times.system
            if process.name().startswith("p2pd"):
                written += process.io_counters().write_chars
    return Spent(at, seconds, written)
