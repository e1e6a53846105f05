"""Where a command does its work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cli.main_loop import MainLoop
from core.cli.stop import Stop
from core.device import Device
from core.devices import find_devices, usable_devices
from core.folders import Folders
from core.runtime import uses_gpus


@dataclass(frozen=True)
class Desk:
    """Its folders, the main thread's loop, the wish to stop, and what starts a worker (None: the engine)."""

    folders: Folders
    loop: MainLoop
    stop: Stop
    worker_command: Sequence[str] | None = None

    def devices(self) -> tuple[Device, ...]:
        """What this computer has that its engine can compute on."""
        return usable_devices(find_devices(), uses_gpus=uses_gpus(self.folders.data))
