"""What other programs compute on the GPUs, as NVIDIA's driver samples it for each process.

Not with MIG, and not on GPUs before Maxwell: there the driver refuses. Nor in WSL: there it lists no processes, so
that a GPU in use looks like one that nobody uses.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from core.availability.observation import GpuUse
from core.hardware.nvml import DeviceUsers
from core.hardware.nvml_session import NvmlSession
from core.observers.gpu_use_duration import Sample, UseDuration, after_samples, sample
from core.wsl import is_wsl

_MOST_PERCENT = 100  # the driver has been seen to say more, which is no share of anything


class GpuUses:
    """Shares of the GPUs' time that processes other than ours use; for one thread, which may hang in the driver.

    A process that is not in the system's list is not counted: it has ended, or it is in a world of its own (a
    container), where even our own worker would have an id that we do not know.
    """

    def __init__(self) -> None:
        self._users = DeviceUsers()
        self._session = NvmlSession()
        self._seen_until: dict[int, int] = {}
        self._looked: dict[int, float] = {}
        self._durations: dict[int, dict[int, UseDuration]] = {}

    def look(self, gpus: frozenset[int] | None = None, limit: float | None = None) -> tuple[GpuUse, ...] | None:
        """The uses of those GPUs, of all where ``None``; ``None`` where the driver does not tell. Never raises.

        A use of at least ``limit`` says for how long it has lasted.
        """
        if is_wsl():
            return None
        self._users.start_scan()
        try:
            return tuple(self._uses(gpus, limit))
        except Exception as error:  # no driver, no library, a fault in either, or a GPU that is not asked in this way
            self._session.log_once(f"NVML: {error!r}")
            self.close()
            return None

    def close(self) -> None:
        """End the session with the driver; the next look opens another."""
        self._session.close()

    def _uses(self, gpus: frozenset[int] | None, limit: float | None) -> Iterable[GpuUse]:
        nvml = self._session.opened()
        there = frozenset(range(nvml.nvmlDeviceGetCount()))
        if gpus is not None and not gpus <= there:  # lost before the session with the driver began
            raise LookupError(f"of the GPUs {sorted(gpus)}, there are {sorted(there)}")
        for index in sorted(there if gpus is None else gpus):
            yield from self._uses_of(nvml, index, limit)

    def _uses_of(self, nvml: Any, index: int, limit: float | None) -> Iterable[GpuUse]:
        """Of each other process what its samples since the last look tell."""
        before, looked_before = self._durations.get(index, {}), self._looked.get(index)
        now, samples = time.monotonic(), self._samples(nvml, index)
        durations = {pid: each for pid, each in before.items() if each.still_holds}
        for pid, newer in samples.items():
            durations[pid] = after_samples(before.get(pid), newer, limit, looked_before)
        self._durations[index], self._looked[index] = durations, now
        for pid, duration in durations.items():
            program = self._users.program(pid)
            if program.is_there and not program.is_ours:
                yield duration.use(index, program.name)

    def _samples(self, nvml: Any, index: int) -> dict[int, list[Sample]]:
        """The samples of each process since the last look, the earliest first."""
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        seen_until = self._seen_until.get(index, 0)
        try:
            found = nvml.nvmlDeviceGetProcessUtilization(handle, seen_until)
        except nvml.NVMLError as error:
            if error.value in (nvml.NVML_ERROR_NOT_FOUND, nvml.NVML_SUCCESS):  # nobody has used it
                return {}
            raise
        found = sorted((each for each in found if each.timeStamp > seen_until), key=lambda each: each.timeStamp)
        self._seen_until[index] = max((each.timeStamp for each in found), default=seen_until)
        samples: defaultdict[int, list[Sample]] = defaultdict(list)
        for each in found:
            if each.smUtil <= _MOST_PERCENT:
                samples[each.pid].append(sample(each.smUtil / 100, each.timeStamp))
        return samples
