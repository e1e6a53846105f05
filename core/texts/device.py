"""Devices in words: what a GPU or CPU is called in lists and sentences, and why a GPU is not used."""

from __future__ import annotations

from collections.abc import Iterable

from core.hardware.device import Device
from core.hardware.unused_gpus import UnusedGpu
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate


def name_of(device: Device) -> str:
    """Return ``NVIDIA GeForce RTX 3060``, or the kind of a device that does not tell its name."""
    if device.name:
        return sanitize_line(device.name, 100)
    return translate("Device", "GPU without a name") if device.is_gpu else translate("Device", "CPU")


def short_label_of(label: str) -> str:
    """Return ``GPU 1`` for ``cuda:1`` and ``xpu:1``, and ``CPU`` for ``cpu``."""
    number = label.partition(":")[2]
    if not number:
        return translate("Device", "CPU")
    return fill_placeholders(translate("Device", "GPU %1"), number)


def label_of(device: Device) -> str:
    """Return ``GPU 0 · NVIDIA GeForce RTX 3060``, as one picks it from a list."""
    if device.kind == "cpu":
        return fill_placeholders(translate("Device", "CPU · %1"), name_of(device))
    return fill_placeholders(translate("Device", "GPU %1 · %2"), str(device.index), name_of(device))


def why_unused(gpu: UnusedGpu, *, is_beside_others: bool = False) -> str:
    """Return which GPU it is and what keeps it from training: ``AMD Radeon RX 7900 XTX (25.8 GB): …``.

    The CPU trains instead, unless the GPU ``is_beside_others`` of which NVIDIA's driver tells.
    """
    match gpu.obstacle:
        case "no engine" if is_beside_others:
            words = translate("Device", "%1: Workerbee has no engine for it yet, so it stays idle.")
        case "no engine":
            words = translate("Device", "%1: Workerbee has no engine for it yet, so the CPU trains.")
        case "no driver" | "driver blocked":
            words = translate("Device", "%1 has no working driver, so the CPU trains.")
        case "driver silent":
            words = translate("Device", "%1: NVIDIA's driver is loaded, but tells of no GPU, so the CPU trains.")
    name = sanitize_line(gpu.name, 100)
    return fill_placeholders(words, f"{name} ({figures.size(gpu.memory_bytes)})" if gpu.memory_bytes else name)


def advice_on_unused(gpu: UnusedGpu) -> str:
    """Return what the owner of that GPU can do, or need not do."""
    match gpu.obstacle:
        case "no engine":
            return translate("Device", "There is nothing to install for it.")
        case "no driver":
            return translate(
                "Device", "Install NVIDIA's driver from your system's packages, then restart the computer."
            )
        case "driver blocked":
            return translate(
                "Device",
                "Install NVIDIA's driver from your system's packages. Secure Boot is on, so the system loads it only "
                "once its key is enrolled: mokutil --import, confirmed at the next restart.",
            )
        case "driver silent":
            return translate(
                "Device",
                "Restart the computer, which an update of the driver needs; if it stays so, install the driver anew. A "
                "container needs NVIDIA's container toolkit.",
            )


def unused_words(gpus: Iterable[UnusedGpu], *, is_beside_others: bool = False) -> str:
    """Return both for each of the GPUs, a line each; cards of one kind are told once."""
    lines = (f"{why_unused(gpu, is_beside_others=is_beside_others)} {advice_on_unused(gpu)}" for gpu in gpus)
    return "\n".join(dict.fromkeys(lines))
