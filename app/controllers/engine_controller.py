"""The engine as the window sees it: whether one must be made, what is offered, how far it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.controllers.thread_bridge import Bridge
from core.engine.python import is_packaged, needs_engine, uses_gpus
from core.files.folders import Folders
from core.hardware.discovery import usable_devices

if TYPE_CHECKING:
    from core.engine.install.events import InstallEvent
    from core.engine.install.installer import EngineInstaller
    from core.engine.install.offer import EngineOffer
    from core.hardware.monitor import DevicesSeen

_END_SECONDS = 5.0


class EngineController(QObject):
    """Main thread only. ``newer_offered`` once, where an engine is there that could be renewed.

    ``made`` tells that an engine has just been made, ``changed`` that there is something else to show.
    """

    changed = Signal()
    newer_offered = Signal()
    made = Signal()

    def __init__(self, folders: Folders, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.offer: EngineOffer | None = None
        self.last: InstallEvent | None = None
        self.bridge = bridge
        self._folders = folders
        self._maker: EngineInstaller | None = None
        self._is_needed = False
        self._is_renewing = False
        self._uses_gpus = uses_gpus(folders.data)
        bridge.engine_arrived.connect(self._take)

    @property
    def is_open(self) -> bool:
        """Whether its page is the one to show: nothing can train, or the person wants another engine."""
        return self._is_needed or self._is_renewing

    @property
    def is_making(self) -> bool:
        """Whether something is being done."""
        return self._maker is not None

    def usable(self, seen: DevicesSeen) -> DevicesSeen:
        """What of it can be lent with the engine that is there."""
        usable = usable_devices(seen.devices, uses_gpus=self._uses_gpus)
        idle = tuple(device for device in seen.devices if device not in usable)
        return replace(seen, devices=usable, idle=idle)

    def look(self) -> None:
        """Find out what is there and what could be made; a checkout needs nothing."""
        if is_packaged():
            from core.engine.install.offer import look_up

            self._is_needed = needs_engine(self._folders.data)
            look_up(self._folders.data, self.bridge.post_engine)
            self.changed.emit()

    def renew(self) -> None:
        """Offer another engine beside the one that is there."""
        self._is_renewing = True
        self.look()

    def close(self) -> bool:
        """Go back to the engine that is there; false where there is none, or one is being made."""
        if self._is_needed or self.is_making or not self._is_renewing:
            return False
        self._is_renewing = False
        return True

    def make(self) -> None:
        """Begin, or go on where it was stopped."""
        if self._maker is not None or self.offer is None or self.offer.choice is None:
            return
        from core.engine.install.installer import EngineInstaller

        self.last = None
        self._maker = EngineInstaller(self.offer.choice.files, self._folders, self.bridge.post_engine)
        self._maker.start()
        self.changed.emit()

    def pause(self) -> None:
        """Stop soon, and keep what was downloaded."""
        if self._maker is not None:
            self._maker.stop()

    def end(self) -> None:
        """With the program."""
        if self._maker is not None:
            self._maker.stop()
            self._maker.wait(_END_SECONDS)

    def _take(self, event: EngineOffer | InstallEvent) -> None:
        from core.engine.install.events import Installed, InstallProgress
        from core.engine.install.offer import EngineOffer

        if isinstance(event, EngineOffer):
            self.offer = event
            if event.is_newer and not self.is_open:
                self.newer_offered.emit()
        else:
            self.last = event
            if not isinstance(event, InstallProgress):
                self._maker = None
            if isinstance(event, Installed):
                self._is_needed = self._is_renewing = False
                self._uses_gpus = uses_gpus(self._folders.data)
                self.last = None
                self.made.emit()
        self.changed.emit()
