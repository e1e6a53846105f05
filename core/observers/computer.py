"""One look at this computer: what can be seen of it without a window, and what a front end adds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TypedDict, Unpack

from core.availability.observation import GpuId, Observation
from core.availability.price_file import PriceFile
from core.availability.prices import PriceProblem, Prices
from core.availability.rules import AvailabilityRules
from core.files.disk_space import free_space
from core.observers.battery import power
from core.observers.gpu import GpuObserver
from core.observers.local_zone import local_now
from core.observers.pressure import OtherCpuUse, memory_pressure
from core.observers.price_download import PriceDownload
from core.observers.programs import RunningPrograms, running_pids
from core.observers.upload_limits import can_limit_uploads


class FrontEndObservation(TypedDict, total=False):
    """What only a front end sees, such as over D-Bus; the fields are those of ``Observation``."""

    idle_seconds: float | None
    is_locked: bool | None
    is_switched: bool | None
    is_power_saving: bool | None
    is_metered: bool | None
    games: tuple[str, ...] | None
    full_screen: bool | None
    films: tuple[str, ...] | None
    sent_today: int | None
    received_today: int | None
    sent_month: int | None
    received_month: int | None


class ComputerObserver:
    """Looks at this computer; for one thread that may hang, as an NVIDIA driver does.

    ``data_folder`` is on the disk of which the free space counts. ``gpus`` are those that training uses, ``None`` for
    all of NVIDIA's: what happens on another GPU is no reason for a pause.
    """

    def __init__(self, data_folder: Path, gpus: frozenset[GpuId] | None = None) -> None:
        self.data_folder = data_folder
        self._programs = RunningPrograms()
        self._cpu = OtherCpuUse()
        self._gpus = GpuObserver(gpus)
        self._price_file, self._price_download = PriceFile(), PriceDownload(data_folder)

    def observe(self, rules: AvailabilityRules, **seen: Unpack[FrontEndObservation]) -> Observation:
        """Look once; every second or two. What costs time and no rule asks for is not looked at. Never raises."""
        supply = power()
        pids = running_pids() if rules.programs or rules.cpu_pressure is not None else None
        return Observation(
            at=local_now(),
            monotonic=time.monotonic(),
            is_on_battery=supply.is_on_battery,
            battery=supply.charge,
            programs=self._programs.look(pids) if rules.programs else None,
            cpu_pressure=self._cpu.look(pids) if rules.cpu_pressure is not None else None,
            memory_pressure=memory_pressure(),
            free_disk_bytes=free_space(self.data_folder, None).free_bytes,
            can_limit_uploads=can_limit_uploads() if rules.limits_uploads else None,
            prices=self._prices(rules),
            **self._gpus.observed(rules),
            **seen,
        )

    def close(self) -> None:
        """End the session with the GPU's driver."""
        self._gpus.close()
        self._price_download.close()

    def _prices(self, rules: AvailabilityRules) -> Prices | PriceProblem | None:
        if rules.price_address:
            return self._price_download.read(rules.price_address)
        return self._price_file.read(Path(rules.price_file)) if rules.price_file else None
