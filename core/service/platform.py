"""The service manager of this system, or words where Workerbee knows none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.service.interface import ServiceManager
from core.service.systemd import SystemdUser
from core.wsl import RESTART_COMMAND, SYSTEMD_COMMAND, is_wsl

_MACOS = localized(
    "On macOS it would be launchd, which Workerbee does not use yet: have `workerbee join ADDRESS --yes` started by it."
)


def service_manager(root: Path = Path("/")) -> ServiceManager:
    """The service manager of this system; raises UserError where Workerbee knows none.

    ``root`` holds ``proc`` and ``run``.
    """
    if sys.platform != "linux":
        raise UserError(ErrorKind.NO_SERVICE_MANAGER, _MACOS if sys.platform == "darwin" else "")
    manager = SystemdUser()
    if not manager.is_there():
        raise UserError(ErrorKind.NO_SERVICE_MANAGER, _why_not(root))
    return manager


def _why_not(root: Path) -> Detail:
    if not (root / "run" / "systemd" / "system").is_dir():
        if is_wsl(root):
            return localized(
                "Under WSL, switch systemd on: `%1`, then `%2` in Windows.", SYSTEMD_COMMAND, RESTART_COMMAND
            )
        return localized("This system was not started by systemd.")
    if not os.environ.get("XDG_RUNTIME_DIR"):
        return localized(
            "This is no login of its own (XDG_RUNTIME_DIR is not set): log in directly, or by ssh, not with su or sudo."
        )
    return localized("`systemctl --user` does not answer.")
