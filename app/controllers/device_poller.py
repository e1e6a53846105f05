"""The devices of this computer, polled as often as somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.controllers.thread_bridge import Bridge

if TYPE_CHECKING:
    from core.hardware.device import Device
    from core.hardware.monitor import DeviceMonitor, DevicesSeen

POLL_SECONDS_SEEN, POLL_SECONDS_TRAINING, POLL_SECONDS_HIDDEN = 2.0, 1.0, 7.0


class DevicePoller(QObject):
    """Keeps the newest measurement of every device that can be lent; a thread measures them.

    Signals:
        listed: a device has come or gone, or the driver has begun or ceased to answer. New measurements of the
            same devices emit nothing: whoever shows them reads ``seen`` when it is drawn anyway.

    Attributes:
        seen: the newest measurement; ``None`` before the first.
    """

    listed = Signal()

    def __init__(
        self, bridge: Bridge, usable: Callable[[DevicesSeen], DevicesSeen], parent: QObject | None = None
    ) -> None:
        """``usable`` takes out of a measurement what the installed engine cannot train on."""
        super().__init__(parent)
        self.seen: DevicesSeen | None = None
        self._bridge, self._usable = bridge, usable
        self._watch: DeviceMonitor | None = None
        self._period_seconds = POLL_SECONDS_SEEN
        bridge.devices_arrived.connect(self._on_devices)

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that can be lent, as they were measured last."""
        return self.seen.devices if self.seen is not None else ()

    def start(self) -> None:
        """Start the thread that measures."""
        from core.hardware.monitor import DeviceMonitor

        self._watch = DeviceMonitor(self._bridge.post_devices, self._period_seconds)
        self._watch.start()

    def adapt(self, *, is_seen: bool, is_training: bool) -> None:
        """Measure often while the window is seen, and oftener still while curves are drawn of it."""
        if is_seen:
            self._period_seconds = POLL_SECONDS_TRAINING if is_training else POLL_SECONDS_SEEN
        else:
            self._period_seconds = POLL_SECONDS_HIDDEN
        if self._watch is not None:
            self._watch.period_seconds = self._period_seconds

    def stop(self) -> None:
        """Stop the thread that measures."""
        if self._watch is not None:
            self._watch.stop()

    def _on_devices(self, measured: DevicesSeen) -> None:
        before, self.seen = self.seen, self._usable(measured)
        if before is None or _listing(before) != _listing(self.seen):
            self.listed.emit()


def _listing(seen: DevicesSeen) -> tuple[object, ...]:
    """What distinguishes two measurements apart from the measured values."""
    names = tuple(device.names for device in (*seen.devices, *seen.idle))
    return names, len(seen.devices), seen.is_driver_answering
