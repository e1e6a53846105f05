"""The service manager of this system, or words where Workerbee knows none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.service.interface import ServiceManager
from core.service.systemd import SystemdUser

_MACOS = localized(
    "On macOS it would be launchd, which Workerbee does not use yet: have `workerbee join ADDRESS --yes` started by it."
)
_WSL = localized(
    "Under WSL, switch systemd on: write `[boot]` and `systemd=true` into /etc/wsl.conf, then `wsl --shutdown`."
)


def service_manager() -> ServiceManager:
    """The service manager of this system; raises UserError where Workerbee knows none."""
    if sys.platform != "linux":
        raise UserError(ErrorKind.NO_SERVICE_MANAGER, _MACOS if sys.platform == "darwin" else "")
    manager = SystemdUser()
    if not manager.is_there():
        raise UserError(ErrorKind.NO_SERVICE_MANAGER, _why_not())
    return manager


def _why_not() -> Detail:
    if not Path("/run/systemd/system").is_dir():
        return _WSL if _is_wsl() else localized("This system was not started by systemd.")
    if not os.environ.get("XDG_RUNTIME_DIR"):
        return localized(
            "This is no login of its own (XDG_RUNTIME_DIR is not set): log in directly, or by ssh, not with su or sudo."
        )
    return localized("`systemctl --user` does not answer.")


def _is_wsl() -> bool:
    try:
        return "microsoft" in Path("/proc/sys/kernel/osrelease").read_text().lower()
    except OSError:
        return False
