"""The one place where threads meet Qt: what they post arrives as a signal on the main thread."""

from __future__ import annotations

import contextlib
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from core.protocol.events import Progress

if TYPE_CHECKING:
    from core.engine.install.events import InstallEvent
    from core.engine.install.offer import EngineOffer
    from core.hardware.monitor import DevicesSeen
    from core.protocol.client_events import ClientEvent
    from core.updates.notice import UpdateNotice

MOST_WAITING = 4


class Bridge(QObject):
    """Its ``post_…`` may be called from any thread, at any time, also after the window's end.

    ``event_arrived`` and ``devices_arrived`` are emitted on the main thread, in order, and never before
    ``post_…`` has returned. A report of progress wakes nobody: it waits for ``deliver``, for another event,
    or until there are some of them. To wake a program that sleeps costs more than what it then does.
    """

    event_arrived = Signal(object)
    devices_arrived = Signal(object)
    engine_arrived = Signal(object)
    update_arrived = Signal(object)
    _woken = Signal()
    _devices_posted = Signal(object)
    _engine_posted = Signal(object)
    _update_posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[ClientEvent] = deque()
        self._woken.connect(self.deliver, Qt.ConnectionType.QueuedConnection)
        self._devices_posted.connect(self._deliver_devices, Qt.ConnectionType.QueuedConnection)
        self._engine_posted.connect(self._deliver_engine, Qt.ConnectionType.QueuedConnection)
        self._update_posted.connect(self._deliver_update, Qt.ConnectionType.QueuedConnection)

    def post_event(self, event: ClientEvent) -> None:
        """For ``core.client``."""
        self._waiting.append(event)
        if not isinstance(event, Progress) or len(self._waiting) >= MOST_WAITING:
            with contextlib.suppress(RuntimeError):  # the window is gone, and nobody is left to be told
                self._woken.emit()

    def post_devices(self, seen: DevicesSeen) -> None:
        """For ``core.hardware.monitor``."""
        with contextlib.suppress(RuntimeError):
            self._devices_posted.emit(seen)

    def post_engine(self, told: EngineOffer | InstallEvent) -> None:
        """For ``core.engine``."""
        with contextlib.suppress(RuntimeError):
            self._engine_posted.emit(told)

    def post_update(self, notice: UpdateNotice | None) -> None:
        """For ``core.updates``."""
        with contextlib.suppress(RuntimeError):
            self._update_posted.emit(notice)

    @Slot()
    def deliver(self) -> None:
        """On the main thread: whatever has been posted."""
        while self._waiting:
            self.event_arrived.emit(self._waiting.popleft())

    @Slot(object)
    def _deliver_devices(self, seen: object) -> None:
        self.devices_arrived.emit(seen)

    @Slot(object)
    def _deliver_engine(self, told: object) -> None:
        self.engine_arrived.emit(told)

    @Slot(object)
    def _deliver_update(self, notice: object) -> None:
        self.update_arrived.emit(notice)
