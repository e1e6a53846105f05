"""The device that is training, in one line of live figures."""

from __future__ import annotations

from collections.abc import Sequence

from core.client.session import Session
from core.hardware.device import Device
from core.placeholders import fill_placeholders
from core.texts import figures
from core.texts.device import name_of
from core.texts.localization import translate


def wish_for(device: Device) -> str:
    """Return what the settings keep of a device: its uuid where there is one, since numbers change."""
    return device.uuid or device.label


def device_in_use(session: Session, devices: Sequence[Device], chosen: str) -> Device | None:
    """Return the device that this session trains on, or else the chosen one; ``None`` where neither is there."""
    wishes = [session.consent.device.lower()] if session.consent else []
    wishes.append(chosen.lower())
    for wish in wishes:
        for device in devices:
            if wish in device.names:
                return device
    return None


def live_words(device: Device) -> str:
    """Return ``NVIDIA GeForce RTX 3060 · 94 % busy · 5.1 GB of 12.9 GB · 64 °C · 168 W``."""
    parts = [name_of(device)]
    if device.utilisation is not None:
        parts.append(fill_placeholders(translate("LiveDevice", "%1 busy"), figures.share(device.utilisation)))
    if device.is_gpu and device.memory_total_bytes and device.memory_free_bytes is not None:
        used = figures.size(device.memory_total_bytes - device.memory_free_bytes)
        memory = translate("LiveDevice", "%1 of %2")
        parts.append(fill_placeholders(memory, used, figures.size(device.memory_total_bytes)))
    if device.temperature_c is not None:
        parts.append(fill_placeholders(translate("LiveDevice", "%1 °C"), figures.count(device.temperature_c)))
    if device.power_watts is not None:
        parts.append(fill_placeholders(translate("LiveDevice", "%1 W"), figures.count(round(device.power_watts))))
    return " · ".join(parts)
