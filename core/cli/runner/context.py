"""Where a command does its work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cli.runner.cancellation import Stop
from core.cli.runner.event_loop import MainLoop
from core.engine.python import uses_gpus
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.discovery import find_devices, usable_devices


@dataclass(frozen=True)
class CommandContext:
    """Its folders, the main thread's loop, the wish to stop, and what starts a worker (None: the engine)."""

    folders: Folders
    loop: MainLoop
    stop: Stop
    worker_command: Sequence[str] | None = None

    def devices(self) -> tuple[Device, ...]:
        """What this computer has that its engine can compute on."""
        return usable_devices(find_devices(), uses_gpus=uses_gpus(self.folders.data))
