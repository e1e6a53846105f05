"""What the window calls a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from core.filled import filled
from core.safe_text import safe_line

if TYPE_CHECKING:
    from core.device import Device

translate = QCoreApplication.translate  # lupdate knows it by this name only


def name_of(device: Device) -> str:
    """``NVIDIA GeForce RTX 3060``; what it is, where it would not tell its name."""
    if device.name:
        return safe_line(device.name, 100)
    return translate("Device", "GPU without a name") if device.kind == "cuda" else translate("Device", "CPU")


def label_of(device: Device) -> str:
    """``GPU 0 · NVIDIA GeForce RTX 3060``: as one picks it from a list."""
    if device.kind == "cpu":
        return filled(translate("Device", "CPU · %1"), name_of(device))
    return filled(translate("Device", "GPU %1 · %2"), str(device.index), name_of(device))


def wish_for(device: Device) -> str:
    """What settings remember of it: its uuid where there is one, since numbers change."""
    return device.uuid or device.label
