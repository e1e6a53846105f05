"""The one place where threads meet Qt: what they post arrives as a signal on the main thread."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from core.device_watch import DevicesSeen
    from core.session import ClientEvent


class Bridge(QObject):
    """Its ``post_…`` may be called from any thread, at any time, also after the window's end.

    ``event_arrived`` and ``devices_arrived`` are emitted on the main thread, in order, and never before
    ``post_…`` has returned.
    """

    event_arrived = Signal(object)
    devices_arrived = Signal(object)
    _event_posted = Signal(object)
    _devices_posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._event_posted.connect(self._deliver_event, Qt.ConnectionType.QueuedConnection)
        self._devices_posted.connect(self._deliver_devices, Qt.ConnectionType.QueuedConnection)

    def post_event(self, event: ClientEvent) -> None:
        """For ``core.client``."""
        with contextlib.suppress(RuntimeError):  # the window is gone, and nobody is left to be told
            self._event_posted.emit(event)

    def post_devices(self, seen: DevicesSeen) -> None:
        """For ``core.device_watch``."""
        with contextlib.suppress(RuntimeError):
            self._devices_posted.emit(seen)

    @Slot(object)
    def _deliver_event(self, event: object) -> None:
        self.event_arrived.emit(event)

    @Slot(object)
    def _deliver_devices(self, seen: object) -> None:
        self.devices_arrived.emit(seen)
