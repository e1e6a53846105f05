"""What other programs compute on the GPUs, as NVIDIA's driver samples it for each process.

Not on WSL2, not with MIG, and not on GPUs before Maxwell: there nothing can be seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.availability.observation import GpuUse
from core.hardware.nvml import DeviceUsers
from core.hardware.nvml_session import NvmlSession

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

    def look(self, gpus: frozenset[int] | None = None) -> tuple[GpuUse, ...] | None:
        """The uses of those GPUs, of all where ``None``; ``None`` where the driver does not tell. Never raises."""
        self._users.start_scan()
        try:
            return tuple(self._uses(gpus))
        except Exception as error:  # no driver, no library, a fault in either, or a GPU that is not asked in this way
            self._session.log_once(f"NVML: {error!r}")
            self.close()
            return None

    def close(self) -> None:
        """End the session with the driver; the next look opens another."""
        self._session.close()

    def _uses(self, gpus: frozenset[int] | None) -> Iterable[GpuUse]:
        nvml = self._session.opened()
        for index in range(nvml.nvmlDeviceGetCount()):
            if gpus is None or index in gpus:
                yield from self._uses_of(nvml, index)

    def _uses_of(self, nvml: Any, index: int) -> Iterable[GpuUse]:
        """Of each other process the latest sample since the last look."""
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        seen_until = self._seen_until.get(index, 0)
        try:
            samples = nvml.nvmlDeviceGetProcessUtilization(handle, seen_until)
        except nvml.NVMLError as error:
            if error.value in (nvml.NVML_ERROR_NOT_FOUND, nvml.NVML_SUCCESS):  # nobody has used it
                return
            raise
        samples = sorted((sample for sample in samples if sample.timeStamp > seen_until), key=lambda s: s.timeStamp)
        self._seen_until[index] = max((sample.timeStamp for sample in samples), default=seen_until)
        shares = {sample.pid: sample.smUtil for sample in samples if sample.smUtil <= _MOST_PERCENT}
        for pid, percent in shares.items():
            program = self._users.program(pid)
            if program.is_there and not program.is_ours:
                yield GpuUse(index, program.name, percent / 100)
