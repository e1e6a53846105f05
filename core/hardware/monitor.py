"""Polls this computer's devices in a thread, so that a window never waits for a driver."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from core.hardware.device import Device
from core.hardware.discovery import this_cpu
from core.hardware.nvml import Nvml
from core.hardware.pci_gpus import find_pci_gpus
from core.hardware.unused_gpus import UnusedGpu, is_secure_boot_on, unused_gpus

_log = logging.getLogger(__name__)
DRIVER_LIMIT_SECONDS = 2.0
_SHORTEST_PERIOD_SECONDS = 0.05


@dataclass(frozen=True)
class DevicesSeen:
    """What there was at that time (seconds since 1970): the GPUs, then the CPU.

    While the driver is not answering, the GPUs are those it told of before, and what changes is not known.
    ``idle`` are GPUs on which the engine that is there does not compute; they are not among the others. ``unused`` are
    those on which no engine could: AMD's and Intel's, and NVIDIA's without a working driver.
    """

    devices: tuple[Device, ...]
    is_driver_answering: bool
    at: float
    idle: tuple[Device, ...] = ()
    unused: tuple[UnusedGpu, ...] = ()


class DeviceMonitor:
    """Polls the devices every ``period_seconds`` and posts what it finds, from a thread of its own.

    A scan that takes longer than 2 s is reported as a driver that does not answer, and is not waited for.
    """

    def __init__(
        self, post: Callable[[DevicesSeen], None], period_seconds: float = 2.0, root: Path = Path("/")
    ) -> None:
        """``root`` holds ``sys`` and ``usr``, which tell of GPUs without NVIDIA's driver."""
        self._post = post
        self._root = root
        self._period_seconds = period_seconds
        self._posting = threading.RLock()
        self._stopped: threading.Event | None = None
        self._wake = threading.Event()

    @property
    def period_seconds(self) -> float:
        """The seconds between two polls; a shorter period counts at once."""
        return self._period_seconds

    @period_seconds.setter
    def period_seconds(self, seconds: float) -> None:
        self._period_seconds = seconds
        self._wake.set()

    def start(self) -> None:
        """Poll at once, and then every period; the second call does nothing."""
        if self._stopped is None:
            self._stopped = threading.Event()
            threading.Thread(target=self._run, args=(self._stopped,), name="devices", daemon=True).start()

    def stop(self) -> None:
        """Stop polling: nothing is posted any more once this returns; a driver that hangs is left to itself."""
        with self._posting:
            if self._stopped is not None:
                self._stopped.set()
            self._stopped = None
        self._wake.set()

    def _run(self, stopped: threading.Event) -> None:
        driver = _Driver()
        on_bus, is_signed_only = find_pci_gpus(self._root), is_secure_boot_on(self._root)
        while not stopped.is_set():
            begun = time.monotonic()
            gpus, is_answering = driver.scan()
            unused = unused_gpus(on_bus, gpus, is_secure_boot_on=is_signed_only)
            seen = DevicesSeen((*gpus, this_cpu()), is_answering, time.time(), unused=unused)
            self._post_seen(seen, stopped)
            while not stopped.is_set() and (rest := self._rest_seconds(begun)) > 0:
                self._wake.wait(rest)
                self._wake.clear()
        driver.close()

    def _rest_seconds(self, begun: float) -> float:
        return begun + max(self._period_seconds, _SHORTEST_PERIOD_SECONDS) - time.monotonic()

    def _post_seen(self, seen: DevicesSeen, stopped: threading.Event) -> None:
        with self._posting:
            if stopped.is_set():
                return
            try:
                self._post(seen)
            except Exception:
                _log.exception("What was seen of the devices could not be told")


class _Driver:
    """Asks the driver in a second thread, the only one that may hang."""

    def __init__(self) -> None:
        self._known: dict[int, Device] = {}
        self._nvml_thread = _NvmlThread()
        self._nvml_thread.start()

    def scan(self) -> tuple[tuple[Device, ...], bool]:
        """The GPUs, and whether the driver told of them in time; one that is late is not waited for again."""
        nvml = self._nvml_thread
        if nvml.is_idle.is_set():
            nvml.request_scan()
            if nvml.is_idle.wait(DRIVER_LIMIT_SECONDS):
                self._known = nvml.driver.gpus
                return _in_order(self._known), True
        return _in_order(nvml.driver.gpus | _without_news(self._known)), False

    def close(self) -> None:
        """End the conversation with the driver, as soon as it answers."""
        self._nvml_thread.stop()


class _NvmlThread(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="nvml", daemon=True)
        self.driver = Nvml()
        self.is_idle = threading.Event()
        self.is_idle.set()
        self._is_wanted = threading.Event()
        self._is_ending = False

    def request_scan(self) -> None:
        """Request one scan of the GPUs; the thread is idle again after it."""
        self.is_idle.clear()
        self._is_wanted.set()

    def stop(self) -> None:
        """End the thread after the scan under way."""
        self._is_ending = True
        self._is_wanted.set()

    def run(self) -> None:
        while not self._is_ending:
            self._is_wanted.wait()
            self._is_wanted.clear()
            if not self._is_ending:
                self.driver.scan()
                self.is_idle.set()
        self.driver.close()


def _in_order(gpus: dict[int, Device]) -> tuple[Device, ...]:
    return tuple(gpu for _, gpu in sorted(gpus.items()))


def _without_news(gpus: dict[int, Device]) -> dict[int, Device]:
    """What stays true of them while nobody tells."""
    return {
        index: replace(
            gpu,
            memory_free_bytes=None,
            temperature_c=None,
            utilisation=None,
            power_watts=None,
            energy_joules=None,
            users=None,
        )
        for index, gpu in gpus.items()
    }
