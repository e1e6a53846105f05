"""The training engine as the window sees it: whether one must be installed, what is offered, how far it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.controllers.thread_bridge import Bridge
from core.engine.python import is_packaged, needs_engine, supported_gpus
from core.files.folders import Folders
from core.hardware.discovery import usable_devices

if TYPE_CHECKING:
    from core.engine.install.events import InstallEvent
    from core.engine.install.installer import EngineInstaller
    from core.engine.install.offer import EngineOffer
    from core.hardware.monitor import DevicesSeen

_STOP_SECONDS = 5.0


class EngineController(QObject):
    """Offers and installs engines; main thread only, while a thread of its own looks up and downloads.

    Signals:
        changed: there is something else to show.
        newer_offered: a newer engine than the installed one can be installed.

    Attributes:
        offer: what can be installed on this computer; ``None`` while it is looked up.
        last_event: the newest event of an installation; ``None`` where there was none.
    """

    changed = Signal()
    newer_offered = Signal()

    def __init__(self, folders: Folders, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.offer: EngineOffer | None = None
        self.last_event: InstallEvent | None = None
        self._bridge, self._folders = bridge, folders
        self._installer: EngineInstaller | None = None
        self._is_needed = False
        self._is_renewing = False
        self._supported = supported_gpus(folders.data)
        bridge.engine_arrived.connect(self._on_event)

    @property
    def is_open(self) -> bool:
        """Whether the engine page is to be shown: nothing can train, or the person wants another engine."""
        return self._is_needed or self._is_renewing

    @property
    def is_installing(self) -> bool:
        """Whether an installation is under way."""
        return self._installer is not None

    def usable_devices(self, seen: DevicesSeen) -> DevicesSeen:
        """Take out of a measurement the GPUs that the installed engine cannot train on; they become ``idle``.

        Those that it can train on and of which NVIDIA's driver does not tell are not ``unused`` any more.
        """
        usable = usable_devices(seen.devices, *self._supported)
        idle = tuple(device for device in seen.devices if device not in usable)
        addresses = {device.pci_address for device in usable if device.is_gpu}
        unused = tuple(gpu for gpu in seen.unused if gpu.pci_address not in addresses)
        return replace(seen, devices=usable, idle=idle, unused=unused)

    def look_up(self) -> None:
        """Look up what is installed and what is offered; a checkout, which has its own Python, needs neither."""
        if is_packaged():
            from core.engine.install.offer import look_up

            self._is_needed = needs_engine(self._folders.data)
            look_up(self._folders.data, self._bridge.post_engine)
            self.changed.emit()

    def renew(self) -> None:
        """Offer another engine in place of the installed one."""
        self._is_renewing = True
        self.look_up()

    def close(self) -> bool:
        """Keep the installed engine; false where there is none, or another is being installed."""
        if self._is_needed or self.is_installing or not self._is_renewing:
            return False
        self._is_renewing = False
        return True

    def install(self) -> None:
        """Start the installation, or go on where it was paused."""
        if self._installer is not None or self.offer is None or self.offer.choice is None:
            return
        from core.engine.install.installer import EngineInstaller

        self.last_event = None
        self._installer = EngineInstaller(self.offer.choice.files, self._folders, self._bridge.post_engine)
        self._installer.start()
        self.changed.emit()

    def pause(self) -> None:
        """Stop the installation soon, and keep what was downloaded."""
        if self._installer is not None:
            self._installer.stop()

    def stop(self) -> None:
        """Stop the installation and wait a few seconds for it; for the program's end."""
        if self._installer is not None:
            self._installer.stop()
            self._installer.wait(_STOP_SECONDS)

    def _on_event(self, event: EngineOffer | InstallEvent) -> None:
        from core.engine.install.events import Installed, InstallProgress
        from core.engine.install.offer import EngineOffer

        if isinstance(event, EngineOffer):
            self.offer = event
            if event.is_newer and not self.is_open:
                self.newer_offered.emit()
        else:
            self.last_event = event
            if not isinstance(event, InstallProgress):
                self._installer = None
            if isinstance(event, Installed):
                self._is_needed = self._is_renewing = False
                self._supported = supported_gpus(self._folders.data)
                self.last_event = None
        self.changed.emit()
