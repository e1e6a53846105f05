"""What other programs compute on AMD and Intel GPUs, as Linux counts it for each program of one's own user.

amdgpu counts there what goes through the kernel's queues, not what ROCm computes through queues of its own
(``/dev/kfd``).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.availability.observation import GpuUse
from core.hardware.nvml import DeviceUsers
from core.observers.drm_clients import DrmClient, DrmFiles, EngineTime
from core.observers.gpu_use_duration import Sample, UseDuration, after_samples

_Engines = Mapping[str, EngineTime]
_ClientKey = tuple[str, int]
"""The address of a GPU, and the number of one of its clients."""


@dataclass(frozen=True)
class _Reading:
    """What a client's engines had counted at a look; it belongs to the process ``pid``."""

    pid: int
    engines: _Engines


class DrmUses:
    """Shares of the GPUs' time that processes other than ours use, each since the last look; for one thread.

    ``root`` holds ``proc`` and ``sys``. A client that several processes share counts for the lowest id, and for nobody
    if one of them is ours. A reused process id has other clients, whose counters begin anew.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._files, self._users = DrmFiles(root), DeviceUsers()
        self._looked: float | None = None
        self._readings: dict[_ClientKey, _Reading] = {}
        self._durations: dict[tuple[str, int], UseDuration] = {}

    def look(self, gpus: frozenset[str], limit: float | None = None) -> tuple[GpuUse, ...] | None:
        """The uses of the GPUs at these PCI addresses; ``None`` where Linux does not tell. Never raises.

        The first look only begins to count. A use of at least ``limit`` says for how long it has lasted.
        """
        opened = self._files.look(gpus)
        if opened is None or not _is_told((gpu, client) for _, gpu, client in opened):
            self._looked, self._readings, self._durations = None, {}, {}
            return None
        self._users.start_scan()
        before, self._readings = self._readings, self._read((pid, each) for pid, _, each in opened if each is not None)
        looked, self._looked = self._looked, time.monotonic()
        if looked is not None and self._looked > looked:
            self._note(_shares(before, self._readings, self._looked - looked), limit, looked)
        return tuple(
            duration.use(gpu, program.name)
            for (gpu, pid), duration in self._durations.items()
            if (program := self._users.program(pid)).is_there
        )

    def _read(self, opened: Iterable[tuple[int, DrmClient]]) -> dict[_ClientKey, _Reading]:
        """The clients that are not ours, each once; a counter that went back is taken as it was before."""
        readings, ours = dict[_ClientKey, _Reading](), set[_ClientKey]()
        for pid, client in opened:
            key = client.gpu, client.number
            if self._users.program(pid).is_ours:
                ours.add(key)
            if key not in readings:
                before = self._readings[key].engines if key in self._readings else {}
                readings[key] = _Reading(pid, {n: _not_less(now, before.get(n)) for n, now in client.engines.items()})
        return {key: reading for key, reading in readings.items() if key not in ours}

    def _note(self, shares: Mapping[tuple[str, int], float], limit: float | None, looked: float) -> None:
        self._durations = {
            user: after_samples(self._durations.get(user), [Sample(share, self._looked)], limit, looked)
            for user, share in shares.items()
            if share > 0
        }


def _is_told(opened: Iterable[tuple[str, DrmClient | None]]) -> bool:
    """Whether of each GPU that somebody has opened there is a client whose driver tells."""
    told: defaultdict[str, bool] = defaultdict(bool)
    for gpu, client in opened:
        told[gpu] |= client is not None and client.tells
    return all(told.values())


def _not_less(now: EngineTime, before: EngineTime | None) -> EngineTime:
    return now if before is None else replace(now, busy=max(now.busy, before.busy))


def _shares(
    before: Mapping[_ClientKey, _Reading], now: Mapping[_ClientKey, _Reading], seconds: float
) -> dict[tuple[str, int], float]:
    """By GPU and process, the share of these seconds of the engine that was busiest for it, 0 to 1."""
    engines: defaultdict[tuple[str, int], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (gpu, number), reading in now.items():
        earlier = before.get((gpu, number))
        if earlier is None:
            continue
        for name, counted in reading.engines.items():
            engines[gpu, reading.pid][name] += _share(earlier.engines.get(name, EngineTime(0)), counted, seconds)
    return {user: min(max(shares.values()), 1.0) for user, shares in engines.items()}


def _share(before: EngineTime, now: EngineTime, seconds: float) -> float:
    """Of the time between both; 0 where a driver's count of all cycles has not gone on."""
    span = seconds * 1e9
    if now.total is not None:
        span = now.total - (now.total if before.total is None else before.total)
    return (now.busy - before.busy) / (span * now.capacity) if span > 0 else 0.0
