"""Where threads meet Qt, but for the watch of suspends: what they post arrives as a signal on the main thread."""

from __future__ import annotations

import contextlib
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from core.protocol.events import Progress

if TYPE_CHECKING:
    from core.catalogue.refusal import Refusal
    from core.catalogue.signed_file import SignedCatalogue
    from core.engine.install.events import InstallEvent
    from core.engine.install.offer import EngineOffer
    from core.hardware.monitor import DevicesSeen
    from core.protocol.client_events import ClientEvent
    from core.records.erase import Category
    from core.updates.notice import UpdateNotice

MOST_WAITING = 6


class Bridge(QObject):
    """Turns what other threads post into signals on the main thread.

    A ``post_…`` may be called from any thread, at any time, also after the window's end. Its signal is emitted on the
    main thread, in order, and never before ``post_…`` has returned. A report of progress wakes nobody: it waits for
    ``deliver``, for another event, or until MOST_WAITING of them wait, since waking a sleeping program costs more than
    what the program then does with a report. Of those of one epoch that wait one behind the other only the last is
    emitted: it counts from the same beginnings as the others.

    Signals:
        event_arrived: an event of the client.
        devices_arrived: a measurement of the devices (DevicesSeen).
        engine_arrived: an offer of an engine, or an event of its installation.
        update_arrived: the answer to a check for a newer version, or ``None``.
        catalogue_arrived: the source of a catalogue, and what was read there (SignedCatalogue or Refusal).
        sizes_arrived: the bytes that each category of what is kept of the person holds (a dict).
    """

    event_arrived = Signal(object)
    devices_arrived = Signal(object)
    engine_arrived = Signal(object)
    update_arrived = Signal(object)
    catalogue_arrived = Signal(str, object)
    sizes_arrived = Signal(object)
    _woken = Signal()
    _devices_posted = Signal(object)
    _engine_posted = Signal(object)
    _update_posted = Signal(object)
    _catalogue_posted = Signal(str, object)
    _sizes_posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[ClientEvent] = deque()
        self._woken.connect(self.deliver, Qt.ConnectionType.QueuedConnection)
        self._devices_posted.connect(self._deliver_devices, Qt.ConnectionType.QueuedConnection)
        self._engine_posted.connect(self._deliver_engine, Qt.ConnectionType.QueuedConnection)
        self._update_posted.connect(self._deliver_update, Qt.ConnectionType.QueuedConnection)
        self._catalogue_posted.connect(self._deliver_catalogue, Qt.ConnectionType.QueuedConnection)
        self._sizes_posted.connect(self._deliver_sizes, Qt.ConnectionType.QueuedConnection)

    def post_event(self, event: ClientEvent) -> None:
        """Post an event of a client, from whichever thread reads its worker."""
        self._waiting.append(event)
        if not isinstance(event, Progress) or len(self._waiting) >= MOST_WAITING:
            with contextlib.suppress(RuntimeError):  # the window is gone, and nobody is left to be told
                self._woken.emit()

    def post_devices(self, seen: DevicesSeen) -> None:
        """Post a measurement of the devices, from the thread that measures them."""
        with contextlib.suppress(RuntimeError):
            self._devices_posted.emit(seen)

    def post_engine(self, event: EngineOffer | InstallEvent) -> None:
        """Post an offer of an engine, or an event of its installation."""
        with contextlib.suppress(RuntimeError):
            self._engine_posted.emit(event)

    def post_update(self, notice: UpdateNotice | None) -> None:
        """Post the answer to a check for a newer version; ``None`` where there was none."""
        with contextlib.suppress(RuntimeError):
            self._update_posted.emit(notice)

    def post_catalogue(self, source: str, answer: SignedCatalogue | Refusal) -> None:
        """Post what was read of a catalogue, from the thread that waited for it."""
        with contextlib.suppress(RuntimeError):
            self._catalogue_posted.emit(source, answer)

    def post_sizes(self, sizes: dict[Category, int]) -> None:
        """Post how many bytes each category holds of what is kept, from the thread that has counted them."""
        with contextlib.suppress(RuntimeError):
            self._sizes_posted.emit(sizes)

    @Slot()
    def deliver(self) -> None:
        """Emit the events that have been posted; main thread only."""
        while self._waiting:
            event = self._waiting.popleft()
            if not (self._waiting and _is_superseded(event, self._waiting[0])):
                self.event_arrived.emit(event)

    @Slot(object)
    def _deliver_devices(self, seen: object) -> None:
        self.devices_arrived.emit(seen)

    @Slot(object)
    def _deliver_engine(self, event: object) -> None:
        self.engine_arrived.emit(event)

    @Slot(object)
    def _deliver_update(self, notice: object) -> None:
        self.update_arrived.emit(notice)

    @Slot(str, object)
    def _deliver_catalogue(self, source: str, answer: object) -> None:
        self.catalogue_arrived.emit(source, answer)

    @Slot(object)
    def _deliver_sizes(self, sizes: object) -> None:
        self.sizes_arrived.emit(sizes)


def _is_superseded(event: ClientEvent, later: ClientEvent) -> bool:
    return isinstance(event, Progress) and isinstance(later, Progress) and event.epoch == later.epoch
