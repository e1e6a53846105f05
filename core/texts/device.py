"""The names of devices: what a GPU or CPU is called in lists and sentences."""

from __future__ import annotations

from core.hardware.device import Device
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.localization import translate


def name_of(device: Device) -> str:
    """Return ``NVIDIA GeForce RTX 3060``, or the kind of a device that does not tell its name."""
    if device.name:
        return sanitize_line(device.name, 100)
    return translate("Device", "GPU without a name") if device.kind == "cuda" else translate("Device", "CPU")


def short_label_of(label: str) -> str:
    """Return ``GPU 1`` for ``cuda:1``, and ``CPU`` for ``cpu``."""
    number = label.removeprefix("cuda:")
    if number == label:
        return translate("Device", "CPU")
    return fill_placeholders(translate("Device", "GPU %1"), number)


def label_of(device: Device) -> str:
    """Return ``GPU 0 · NVIDIA GeForce RTX 3060``, as one picks it from a list."""
    if device.kind == "cpu":
        return fill_placeholders(translate("Device", "CPU · %1"), name_of(device))
    return fill_placeholders(translate("Device", "GPU %1 · %2"), str(device.index), name_of(device))
