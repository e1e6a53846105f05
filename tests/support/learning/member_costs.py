"""What a member of a small swarm costs its computer: all processes of its group."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

STREAMED = "streamed"  # the file in which a member says, after each epoch, how many bytes its streams have moved


class MemberCost(msgspec.Struct, frozen=True, kw_only=True):
    """Over some time: the share of a core, and what its p2pd has written a second; at the end of it: its memory (PSS).

    p2pd writes to the network what its worker has sent to others, and to the worker what others have sent to it. So
    that is what both directions of the line carry together, but for what p2pd itself has to say. What of it was in
    streams, averages and their groups, is ``averaged_bytes_per_second``.
    """

    core_share: float
    moved_bytes_per_second: float
    averaged_bytes_per_second: float
    memory_bytes: int


@dataclass(frozen=True)
class Spent:
    """By a process group, until a moment of the monotonic clock."""

    at: float
    cpu_seconds: float
    written_bytes: int
    streamed_bytes: int

    def until(self, later: Spent, memory_bytes: int) -> MemberCost:
        """What it cost from here on."""
        seconds = later.at - self.at
        return MemberCost(
            core_share=(later.cpu_seconds - self.cpu_seconds) / seconds,
            moved_bytes_per_second=(later.written_bytes - self.written_bytes) / seconds,
            averaged_bytes_per_second=(later.streamed_bytes - self.streamed_bytes) / seconds,
            memory_bytes=memory_bytes,
        )


def groups_of(leaders: frozenset[int]) -> dict[int, list[psutil.Process]]:
    """All processes whose group one of them leads, by that one's id."""
    found = {leader: list[psutil.Process]() for leader in leaders}
    for process in psutil.process_iter():
        with contextlib.suppress(OSError):
            found.get(os.getpgid(process.pid), []).append(process)
    return found


def spent(processes: list[psutil.Process], at: float, folder: Path) -> Spent:
    """By these processes, of the member with that folder, in which it has written what was in streams."""
    streamed = folder / STREAMED
    seconds, written = 0.0, 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            seconds += times.user + times.system
            if process.name().startswith("p2pd"):
                written += process.io_counters().write_chars
    return Spent(at, seconds, written, int(streamed.read_text()) if streamed.exists() else 0)
