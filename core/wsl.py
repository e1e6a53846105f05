"""Linux inside Windows (WSL): what differs there, read from the system, and the commands that mend it.

``/dev/dxg`` is the GPU that Windows shares; its driver is Windows' own, and NVML lists no processes. The network is
behind a NAT of Windows, or *mirrored*, from Windows 11 22H2 on, and then behind the Hyper-V firewall. Source:
Microsoft's documentation of WSL ("Advanced settings configuration in WSL", "Accessing network applications with WSL").
"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SYSTEMD_COMMAND = "printf '[boot]\\nsystemd=true\\n' | sudo tee -a /etc/wsl.conf"
MIRRORED_COMMAND = 'Add-Content $HOME\\.wslconfig "[wsl2]`nnetworkingMode=mirrored"'
"""For Windows' PowerShell."""
RESTART_COMMAND = "wsl --shutdown"
"""For Windows' PowerShell: WSL reads its settings when it starts again."""
_CREATOR_ID = "{40E0AC32-46A5-438A-A0B2-2B479E8F2E90}"  # of WSL's virtual machines, to the Hyper-V firewall
_WSLINFO_SECONDS = 5.0

Lack = Literal["version 2", "gpu", "mirrored network", "firewall rule", "systemd"]


@dataclass(frozen=True)
class Wsl:
    """A running WSL; ``networking`` is the mode in force: nat, mirrored, virtioproxy or none; empty if not told."""

    version: int
    has_gpu: bool
    networking: str
    has_systemd: bool

    def lacks(self) -> Iterator[Lack]:
        """What is missing; a rule of the firewall cannot be seen from inside, and always counts as missing."""
        if self.version < 2:
            yield "version 2"
            return
        if not self.has_gpu:
            yield "gpu"
        yield "firewall rule" if self.networking == "mirrored" else "mirrored network"
        if not self.has_systemd:
            yield "systemd"


def is_wsl(root: Path = Path("/")) -> bool:
    """Whether this is Linux inside Windows; ``root`` holds ``proc``."""
    return "microsoft" in _kernel(root)


def detect_wsl(root: Path = Path("/")) -> Wsl | None:
    """This system as a WSL, or ``None``; ``root`` holds ``proc``, ``dev`` and ``run``."""
    if not is_wsl(root):
        return None
    return Wsl(
        version=2 if "microsoft-standard" in _kernel(root) or (root / "run" / "WSL").is_dir() else 1,
        has_gpu=(root / "dev" / "dxg").exists(),
        networking=_networking_mode(),
        has_systemd=(root / "run" / "systemd" / "system").is_dir(),
    )


def firewall_command(port: int) -> str:
    """For an administrator's PowerShell: let others connect to that TCP port inside a mirrored WSL."""
    rule = f"New-NetFirewallHyperVRule -Name workerbee-{port} -DisplayName 'Workerbee {port}' -Direction Inbound"
    return f"{rule} -VMCreatorId '{_CREATOR_ID}' -Protocol TCP -LocalPorts {port} -Action Allow"


@functools.cache
def _kernel(root: Path) -> str:
    try:
        return (root / "proc" / "version").read_text(errors="replace").lower()
    except OSError:
        return ""


def _networking_mode() -> str:
    """What is in force, whatever ``.wslconfig`` asks for: a mirrored network falls back to NAT without an error."""
    try:
        asked = ["wslinfo", "--networking-mode"]
        said = subprocess.run(asked, capture_output=True, text=True, timeout=_WSLINFO_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.strip().lower()[:20] if said.returncode == 0 else ""
