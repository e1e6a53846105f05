"""The service as a unit of this person's own systemd (``systemctl --user``)."""

from __future__ import annotations

import getpass
import subprocess
from collections.abc import Mapping, Sequence

from core.errors import ErrorKind, UserError
from core.files.atomic import delete_file, storage_problem, write_atomically
from core.files.folders import service_unit_file
from core.localizable import localized
from core.service.interface import ServiceState
from core.service.unit import STOP_SECONDS, unit_text

UNIT = "workerbee.service"
_LIMIT_SECONDS = STOP_SECONDS + 30.0
_ACTIVITIES: Mapping[str, str] = {"active": "running", "activating": "starting", "failed": "failed"}


class SystemdUser:
    """The systemd user manager, as `systemctl --user` reaches it."""

    def is_there(self) -> bool:
        """Whether a user manager answers."""
        return _run("systemctl", "--user", "show", "--property=Version").returncode == 0

    def install(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Write the unit, and start it now and at every login."""
        path = service_unit_file()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(path, unit_text(command, environment).encode(), mode=0o644)
        except OSError as error:
            raise storage_problem(error, path) from error
        _ask("daemon-reload")
        _ask("enable", UNIT)
        _run("systemctl", "--user", "reset-failed", UNIT)  # which refuses where there is nothing to reset
        _ask("restart", UNIT)

    def remove(self) -> bool:
        """Stop and disable the unit, and delete it; whether there was one."""
        path = service_unit_file()
        if not path.is_file():
            return False
        _ask("disable", "--now", UNIT)
        try:
            delete_file(path)
        except OSError as error:
            raise storage_problem(error, path) from error
        _ask("daemon-reload")
        return True

    def state(self) -> ServiceState:
        """What systemd says of the unit, and logind of its person."""
        words = _run("systemctl", "--user", "show", UNIT, "--property=ActiveState", "--value").stdout.strip()
        activity = _ACTIVITIES.get(words, "stopped")
        linger = _run("loginctl", "show-user", getpass.getuser(), "--property=Linger", "--value").stdout.strip()
        starts_at_boot = {"yes": True, "no": False}.get(linger)
        return ServiceState(service_unit_file().is_file(), activity, starts_at_boot)  # type: ignore[arg-type]


def _ask(*words: str) -> None:
    done = _run("systemctl", "--user", *words)
    if done.returncode != 0:
        raise UserError(
            ErrorKind.SERVICE_REFUSED,
            localized("`systemctl --user %1`: %2", " ".join(words), done.stderr.strip()[:500]),
        )


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    """The program's answer; exit code 127 where it is not there, 124 where it does not answer in time."""
    try:
        return subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=_LIMIT_SECONDS, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        return subprocess.CompletedProcess(words, 127, "", str(error))
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", "it does not answer")
