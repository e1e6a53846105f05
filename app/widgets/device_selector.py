"""A list of devices to choose from, known by their UUIDs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from app.presentation.device import wish_for
from app.widgets.inline_inputs import Choice
from core.errors import UserError
from core.hardware.device import Device
from core.hardware.discovery import choose_device
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.device import label_of

AUTOMATIC = "auto"
_CHARACTERS = 16


class DeviceSelector(Choice):
    """A list of devices; a chosen one that is gone stays in it, and is said to be missing.

    Signals:
        device_chosen: train on that device, as the settings name it.
    """

    device_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Device to train on"))
        self.setMinimumContentsLength(_CHARACTERS)
        self.chosen.connect(lambda wish: self.device_chosen.emit(str(wish)))

    def show_devices(self, devices: Sequence[Device], chosen: str) -> None:
        """Offer these devices; ``chosen`` is the one that the settings name."""
        choices = [(self.tr("automatically chosen device"), AUTOMATIC)]
        choices += [(label_of(device), wish_for(device)) for device in devices]
        wish = AUTOMATIC
        if chosen != AUTOMATIC:
            device = device_for(devices, chosen)
            wish = wish_for(device) if device else chosen
            if device is None:
                choices.append((fill_placeholders(self.tr("missing: %1"), sanitize_line(chosen, 60)), wish))
        self.show_choices(choices)
        self.show_chosen(wish)
        self.setToolTip(self.currentText())


def device_for(devices: Sequence[Device], wish: str) -> Device | None:
    """The device that a setting names; ``None`` if it is not there."""
    try:
        return choose_device(devices, wish)
    except UserError:
        return None
