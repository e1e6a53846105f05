"""A made-up system: what Linux tells of the GPUs on a PCI bus, the lists of their names, and UEFI's Secure Boot.

It stands for `/sys/bus/pci/devices`, `/sys/firmware/efi/efivars` and `/usr/share`. The files and their forms are those
of the kernel's documentation and of amdgpu, i915, xe and nouveau; no test has run on a computer with such a GPU.
"""

from __future__ import annotations

from pathlib import Path

GIB = 1 << 30
PCI_IDS = """\
# List of PCI ID's
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t164e  Raphael
\t744c  Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]
\t\t1da2 e471  NITRO+ RX 7900 XTX Vapor-X
10de  NVIDIA Corporation
\t2504  GA106 [GeForce RTX 3060 Lite Hash Rate]
8086  Intel Corporation
\t5917  UHD Graphics 620
\t56a0  DG2 [Arc A770]
C 03  Display controller
\t00  VGA compatible controller
"""
AMDGPU_IDS = """\
# List of AMDGPU IDs
1.0.0
744C,\tC8,\tAMD Radeon RX 7900 XTX
744C,\tCC,\tAMD Radeon RX 7900 XT
"""
SECURE_BOOT = "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


class PciTree:
    """The root of the made-up system; it begins with a bridge and a sound card, which are no GPUs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.add("0000:00:01.0", "0x8086", "0x1901", display_class="0x060400")
        self.add("0000:03:00.1", "0x1002", "0xab30", display_class="0x040300")

    def add(
        self,
        slot: str,
        vendor: str,
        device: str,
        *,
        driver: str = "",
        revision: str = "0x00",
        display_class: str = "0x030000",
        **files: str,
    ) -> Path:
        """A device on the bus, with what its driver adds; ``__`` in a file's name is a folder."""
        folder = self.root / "sys/bus/pci/devices" / slot
        folder.mkdir(parents=True)
        uevent = f"DRIVER={driver}\n" if driver else ""
        told = {
            "vendor": vendor,
            "device": device,
            "revision": revision,
            "class": display_class,
            "uevent": f"{uevent}PCI_CLASS=30000\nPCI_SLOT_NAME={slot}",
            **files,
        }
        for name, text in told.items():
            file = folder / name.replace("__", "/")
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{text}\n")
        return folder

    def add_radeon(self, *, revision: str = "0xc8") -> None:
        """A Radeon RX 7900 XTX with amdgpu, which tells its memory."""
        memory = {"mem_info_vram_total": str(24 * GIB), "mem_info_vram_vendor": "hynix", "mem_busy_percent": "0"}
        self.add("0000:03:00.0", "0x1002", "0x744c", driver="amdgpu", revision=revision, **memory)

    def add_amd_integrated(self) -> None:
        """A Ryzen's own GPU: amdgpu tells what it has reserved of the computer's memory, and no maker of it."""
        memory = {"mem_info_vram_total": str(GIB // 2), "mem_info_vram_vendor": "unknown"}
        self.add("0000:0e:00.0", "0x1002", "0x164e", driver="amdgpu", **memory)

    def add_intel_integrated(self) -> None:
        """A Core's own GPU with i915."""
        self.add("0000:00:02.0", "0x8086", "0x5917", driver="i915")

    def add_arc(self) -> None:
        """An Arc A770 with xe, which tells its memory in hexadecimal digits."""
        memory = {"tile0__physical_vram_size_bytes": hex(16 * GIB)}
        self.add("0000:04:00.0", "0x8086", "0x56a0", driver="xe", **memory)

    def add_geforce(self, driver: str) -> None:
        """An RTX 3060 with that driver, empty for none."""
        self.add("0000:01:00.0", "0x10de", "0x2504", driver=driver)

    def name_devices(self) -> None:
        """The lists of names, as a desktop system has them."""
        for path, text in (("misc/pci.ids", PCI_IDS), ("libdrm/amdgpu.ids", AMDGPU_IDS)):
            file = self.root / "usr/share" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def tell_secure_boot(self, value: int) -> None:
        """UEFI's variable: four bytes of attributes, and 1 where Secure Boot is on."""
        file = self.root / "sys/firmware/efi/efivars" / SECURE_BOOT
        file.parent.mkdir(parents=True)
        file.write_bytes(bytes((6, 0, 0, 0, value)))
