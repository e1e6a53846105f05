"""The GPUs on this computer's PCI bus, as Linux itself lists them, whether or not a driver of theirs is installed.

Sources, all below ``/sys/bus/pci/devices``: Linux's ``Documentation/ABI/testing/sysfs-bus-pci`` (``class``, ``vendor``,
``device``, ``revision``, ``uevent``), amdgpu's ``mem_info_vram_total``, ``mem_info_vram_vendor`` and
``mem_busy_percent``, xe's ``tile*/physical_vram_size_bytes``. The same folders are ``/sys/class/drm/card*/device``, but
a GPU without a driver has no card there.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.hardware.pci_names import PciId, gpu_name

Vendor = Literal["NVIDIA", "AMD", "Intel"]
_VENDORS: dict[str, Vendor] = {"10de": "NVIDIA", "1002": "AMD", "8086": "Intel"}
_DISPLAY_CLASSES = ("0x0300", "0x0302", "0x0380")  # VGA, 3D, other display
_PROCESSORS_OWN_BUS = "00"
_MAX_FILE_CHARS = 4096


@dataclass(frozen=True)
class PciGpu:
    """A GPU of a vendor whose GPUs train models elsewhere; ``memory_bytes`` is ``None`` where Linux does not tell it.

    ``driver`` is the kernel's, such as ``amdgpu``, empty where there is none. An integrated GPU is a part of the
    processor and takes its memory from the computer's. ``address`` is that on the bus, such as ``0000:03:00.0``.
    """

    vendor: Vendor
    name: str
    memory_bytes: int | None = None
    driver: str = ""
    is_integrated: bool = False
    address: str = ""


def find_pci_gpus(root: Path = Path("/")) -> tuple[PciGpu, ...]:
    """The GPUs in the order of the bus; none on other systems than Linux. Never raises, and waits for no driver.

    ``root`` holds ``sys`` and ``usr``.
    """
    if not sys.platform.startswith("linux"):
        return ()
    try:
        folders = sorted((root / "sys/bus/pci/devices").iterdir())
    except OSError:
        return ()
    found = (_gpu(folder, root) for folder in folders)
    return tuple(gpu for gpu in found if gpu is not None)


def _gpu(folder: Path, root: Path) -> PciGpu | None:
    """The GPU that the folder tells of; ``None`` for another kind of device or another vendor."""
    vendor = _VENDORS.get(_hexadecimal(folder / "vendor"))
    if vendor is None or not _text(folder / "class").startswith(_DISPLAY_CLASSES):
        return None
    identity = PciId(*(_hexadecimal(folder / name) for name in ("vendor", "device", "revision")))
    is_integrated = _is_integrated(vendor, folder)
    memory = None if is_integrated else _memory_bytes(folder)
    return PciGpu(vendor, gpu_name(vendor, identity, root), memory, _driver(folder), is_integrated, folder.name)


def _is_integrated(vendor: Vendor, folder: Path) -> bool:
    """Whether it is a part of the processor.

    Intel's is on the processor's own bus, ``0000:00:02.0``. Of AMD's, amdgpu names the maker of the memory or how busy
    the memory is (each missing for a few cards) where the memory is the card's own; without amdgpu it is not known,
    and taken for integrated.
    """
    if vendor == "Intel":
        return folder.name.split(":")[-2:-1] == [_PROCESSORS_OWN_BUS]
    if vendor == "AMD":
        is_memory_own = _text(folder / "mem_info_vram_vendor") not in ("", "unknown")
        return not is_memory_own and not (folder / "mem_busy_percent").exists()
    return False


def _memory_bytes(folder: Path) -> int | None:
    told = [_text(folder / "mem_info_vram_total")]
    told += [_text(tile) for tile in folder.glob("tile*/physical_vram_size_bytes")]
    return sum(_integer(text) for text in told) or None


def _driver(folder: Path) -> str:
    fields = dict(line.partition("=")[::2] for line in _text(folder / "uevent").splitlines())
    return fields.get("DRIVER", "")


def _hexadecimal(file: Path) -> str:
    """Such as ``744c`` of ``0x744c``."""
    return _text(file).removeprefix("0x").lower()


def _integer(text: str) -> int:
    """In either base; xe writes ``0x00000002fa000000``."""
    try:
        return max(0, int(text, 0))
    except ValueError:
        return 0


def _text(file: Path) -> str:
    """What is in the file; empty where it is not there, or its driver refuses to tell."""
    try:
        with file.open(errors="replace") as opened:
            return opened.read(_MAX_FILE_CHARS).strip()
    except OSError:
        return ""
