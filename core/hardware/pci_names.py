"""What a GPU on the PCI bus is called, by the lists that Linux systems keep of devices.

``/usr/share/libdrm/amdgpu.ids`` (of libdrm, for Mesa) has AMD's names by device and revision. ``pci.ids`` (of hwdata or
pci.ids, for lspci) has everybody's by device alone, so that one name may be that of several cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_AMD_NAMES = "usr/share/libdrm/amdgpu.ids"
_PCI_NAMES = ("usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids")
_MAX_NAME_CHARS = 100


class PciId(NamedTuple):
    """What a device says of itself, each in lower-case hexadecimal digits: ``1002``, ``744c``, ``c8``."""

    vendor: str
    device: str
    revision: str


def gpu_name(vendor: str, identity: PciId, root: Path) -> str:
    """Such as ``AMD Radeon RX 7900 XTX``; the vendor and its PCI id where no list below ``root`` has it."""
    name = _name_by_amd(identity, root) or _name_by_pci(identity, root)
    if not name:
        return f"{vendor} GPU (PCI {identity.vendor}:{identity.device})"
    return name[:_MAX_NAME_CHARS] if vendor in name else f"{vendor} {name}"[:_MAX_NAME_CHARS]


def _name_by_amd(identity: PciId, root: Path) -> str:
    """Of a line such as ``744C,\tC8,\tAMD Radeon RX 7900 XTX``."""
    if identity.vendor != "1002":
        return ""
    for line in _lines(root / _AMD_NAMES):
        device, _, rest = line.partition(",")
        revision, _, name = rest.partition(",")
        if (device.strip().lower(), revision.strip().lower()) == (identity.device, identity.revision):
            return name.strip()
    return ""


def _name_by_pci(identity: PciId, root: Path) -> str:
    """Of ``744c  Navi 31 [Radeon RX 7900 XT/7900 XTX]`` what is in the brackets, which is what the card is sold as."""
    for file in _PCI_NAMES:
        is_vendor = False
        for line in _lines(root / file):
            if line[:1] not in ("\t", "#", "", "\n"):
                if is_vendor:
                    break
                is_vendor = line.startswith(f"{identity.vendor} ")
            elif is_vendor and line.startswith(f"\t{identity.device} "):
                name = line[len(identity.device) + 1 :].strip()
                sold_as = re.search(r"\[([^\]]+)\]$", name)
                return sold_as[1] if sold_as else name
    return ""


def _lines(file: Path) -> Iterator[str]:
    try:
        with file.open(errors="replace") as opened:
            yield from opened
    except OSError:
        return
