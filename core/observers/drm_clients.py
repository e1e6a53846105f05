"""What Linux tells of the clients of its GPU drivers: for each opened device file, how long each engine was busy.

The form is that of the kernel's ``Documentation/gpu/drm-usage-stats.rst``: a line ``key: value`` each in
``/proc/<pid>/fdinfo/<fd>``, which is readable for processes of one's own user alone. amdgpu and i915 tell nanoseconds
(``drm-engine-``), xe cycles and all cycles that passed (``drm-cycles-``, ``drm-total-cycles-``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

MOST_PROCESSES, MOST_FILES, MOST_CLIENTS = 4096, 4096, 64
"""Processes of a look, open files of a process, and among these files of the GPUs; what is more is not looked at."""
MOST_LINKS, MOST_BYTES = 20_000, 8192
"""Names of open files that a look reads, the others being left to the next one, and bytes of one file's text."""
ROUND_LOOKS = 20
"""After so many looks all open files of a process are looked at again: it may have opened a GPU, or use a number for
another file. In each look between, only processes are looked at that have opened a GPU, or were new so many looks ago.
"""

_ENGINES = frozenset({"gfx", "compute", "render", "rcs", "ccs"})
_DRIVER_THAT_OMITS_ZEROS = "amdgpu"
_FOLDER = "/dev/dri/"
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_MOST_DIGITS = 20  # of an unsigned number of 64 bits


@dataclass(frozen=True)
class EngineTime:
    """How long an engine was ``busy`` for a client, in ns, or in cycles out of ``total`` where a driver counts these.

    ``capacity`` is the number of engines of that kind, over which the time is summed.
    """

    busy: int
    total: int | None = None
    capacity: int = 1


@dataclass(frozen=True)
class DrmClient:
    """One opening of a GPU at that PCI address, whoever shares it, and the engines that compute and draw for it.

    Engines that copy or play films are left out, as they are of what NVIDIA's driver tells of a process.
    """

    gpu: str
    number: int
    driver: str
    engines: Mapping[str, EngineTime]

    @property
    def tells(self) -> bool:
        """Whether its driver tells how busy engines are; amdgpu leaves out those that were never used."""
        return bool(self.engines) or self.driver == _DRIVER_THAT_OMITS_ZEROS


def parse_client(text: str) -> DrmClient | None:
    """The client that an fdinfo tells of; ``None`` where it tells of none, or not in that form. Never raises."""
    told: dict[str, str] = {}
    for line in text.split("\n"):
        key, _, value = line.partition(":")
        if key.startswith("drm-"):
            told[key.strip()] = value.strip()
    gpu, number = told.get("drm-pdev", "").lower(), _number(told.get("drm-client-id", ""))
    if number is None or not _ADDRESS.fullmatch(gpu):
        return None
    engines = {name: time for name in _ENGINES if (time := _engine_time(told, name)) is not None}
    return DrmClient(gpu, number, told.get("drm-driver", ""), engines)


def _engine_time(told: Mapping[str, str], name: str) -> EngineTime | None:
    capacity = _number(told.get(f"drm-engine-capacity-{name}", "1")) or 1
    words = told.get(f"drm-engine-{name}", "").split()
    if words[1:] == ["ns"] and (busy := _number(words[0])) is not None:
        return EngineTime(busy, None, capacity)
    cycles, total = (_number(told.get(f"drm-{kind}-{name}", "")) for kind in ("cycles", "total-cycles"))
    return None if cycles is None or total is None else EngineTime(cycles, total, capacity)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


@dataclass(frozen=True)
class _OpenFiles:
    """Numbers of a process's open files that were looked at, and of those of a GPU the names of its device files.

    ``since`` is the look in which the process was new.
    """

    since: int
    seen: frozenset[str] = frozenset()
    of_gpus: Mapping[str, str] = field(default_factory=dict)


class DrmFiles:
    """The processes that have opened a GPU, found anew at little cost, see `ROUND_LOOKS`.

    ``root`` holds ``proc`` and ``sys``. What another user's processes have opened cannot be read.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._proc, self._pci = root / "proc", root / "sys/bus/pci/devices"
        self._known: dict[int, _OpenFiles] = {}
        self._looks = self._links_left = 0

    def look(self, gpus: frozenset[str]) -> list[tuple[int, str, DrmClient | None]] | None:
        """Each process with the address of a GPU that it has opened, and what is told of that client, if anything is.

        ``None`` where a GPU has no driver, or processes cannot be listed. Never raises.
        """
        nodes = {name: gpu for gpu in gpus for name in _names(f"{self._pci}/{gpu}/drm")}  # such as renderD128
        pids = self._pids()
        if not pids or set(nodes.values()) != gpus:
            return None
        self._looks, self._links_left = self._looks + 1, MOST_LINKS
        self._known = {pid: files for pid in pids if (files := self._open_files(pid)).seen}
        return [each for pid, files in self._known.items() for each in self._clients(pid, files, nodes)]

    def _pids(self) -> list[int]:
        numbers = (name for name in _names(f"{self._proc}") if name.isascii() and name.isdigit())
        return sorted(map(int, islice(numbers, MOST_PROCESSES)))

    def _open_files(self, pid: int) -> _OpenFiles:
        folder, known = f"{self._proc}/{pid}/fd", self._known.get(pid, _OpenFiles(self._looks))
        if (pid + self._looks) % ROUND_LOOKS == 0:
            known = _OpenFiles(known.since)
        elif not known.of_gpus and self._looks - known.since >= ROUND_LOOKS:
            return known
        numbers = frozenset(_names(folder)[:MOST_FILES])  # none of another user's process
        if numbers == known.seen:
            return known
        new = list(islice(numbers - known.seen, self._links_left))
        self._links_left -= len(new)
        of_gpus = {number: node for number, node in known.of_gpus.items() if number in numbers}
        of_gpus |= {number: node for number in new if (node := _node(f"{folder}/{number}"))}
        return _OpenFiles(known.since, (known.seen & numbers) | frozenset(new), of_gpus)

    def _clients(
        self, pid: int, files: _OpenFiles, nodes: Mapping[str, str]
    ) -> Iterator[tuple[int, str, DrmClient | None]]:
        opened = ((number, nodes[node]) for number, node in files.of_gpus.items() if node in nodes)
        for number, gpu in islice(opened, MOST_CLIENTS):
            client = parse_client(_text(f"{self._proc}/{pid}/fdinfo/{number}"))
            yield pid, gpu, client if client is not None and client.gpu == gpu else None


def _names(folder: str) -> list[str]:
    """What is in a folder; nothing where that cannot be read."""
    try:
        return os.listdir(folder)  # noqa: PTH208 - a third of the time of Paths
    except OSError:
        return []


def _node(link: str) -> str:
    """The name of the device file that is opened there; empty for every other file."""
    try:
        target = os.readlink(link)  # noqa: PTH115 - half the time of a Path
    except OSError:
        return ""
    return target.removeprefix(_FOLDER) if target.startswith(_FOLDER) else ""


def _text(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - half the time of a Path
            return file.read(MOST_BYTES).decode("ascii", "replace")
    except OSError:
        return ""
