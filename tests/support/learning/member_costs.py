"""What a member of a small swarm costs its computer: all processes of its group, read from Linux' ``/proc``."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

_TICK = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
_FIRST_LEADER, _USER, _SYSTEM = 2, 11, 12  # of the numbers after a process's name: its group, and its ticks


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


def groups_of(leaders: frozenset[int]) -> dict[int, list[Path]]:
    """The folders in ``/proc`` of all processes whose group one of them leads, by that one."""
    found = {leader: list[Path]() for leader in leaders}
    for folder in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            leader = int(_numbers(folder)[_FIRST_LEADER])
            if leader in found:
                found[leader].append(folder)
    return found


def spent(folders: list[Path], at: float) -> Spent:
    """By the processes with those folders."""
    ticks, written = 0, 0
    for folder in folders:
        with contextlib.suppress(OSError):
            ticks += sum(map(int, _numbers(folder)[_USER : _SYSTEM + 1]))
            if (folder / "comm").read_text().startswith("p2pd"):
                written += int((folder / "io").read_text().partition("wchar: ")[2].split()[0])
    return Spent(at, ticks / _TICK, written)


def memory_bytes(folders: list[Path]) -> int:
    """The processes' proportional share of memory: what they have in common counts once."""
    kibibytes = 0
    for folder in folders:
        with contextlib.suppress(OSError):
            kibibytes += int((folder / "smaps_rollup").read_text().partition("\nPss:")[2].split()[0])
    return kibibytes * 1024


def _numbers(folder: Path) -> list[str]:
    """What ``stat`` tells of a process after its name, from its state on."""
    return (folder / "stat").read_text().rpartition(")")[2].split()
