"""A systemd user manager of a test's own: the real one, in a mount namespace in which systemd seems to have booted."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.environment.x11_desktop import wait_for

SYSTEMD = Path("/usr/lib/systemd/systemd")
RUNTIME = "/run/user-of-the-test"
END_SECONDS = 60.0
# sd_booted(3) looks for /run/systemd/system; the manager's sockets lie in XDG_RUNTIME_DIR
_PREPARE = f"mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && mkdir -m 700 {RUNTIME}"


def why_not() -> str:
    """Why there can be none here; empty where there can."""
    missing = [each for each in ("unshare", "nsenter", "systemctl", str(SYSTEMD)) if shutil.which(each) is None]
    if missing:
        return f"needs {', '.join(missing)}"
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        return "only root may make a mount namespace"
    return ""


class UserManager:
    """``with UserManager(folder) as manager:``; its units are those below ``folder/config/systemd/user``."""

    def __init__(self, folder: Path) -> None:
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_"))},
            "XDG_RUNTIME_DIR": RUNTIME,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "WORKERBEE_HOME": str(folder / "home"),
        }
        self._log = folder / "systemd.log"
        self._started: list[subprocess.Popen[str]] = []
        (folder / "config").mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Self:
        with self._log.open("ab") as log:
            self._systemd = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", f"{_PREPARE} && exec {SYSTEMD} --user"],
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        wait_for(lambda: self.run("systemctl", "--user", "show").returncode == 0, f"a user manager; see {self._log}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._started:
            process.terminate()
            process.communicate(timeout=END_SECONDS)
        self._systemd.terminate()
        self._systemd.wait(END_SECONDS)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the person whose manager this is."""
        return _run([*self._within, *words], self._environment)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """The same, without waiting for its end, which comes with the manager's; what it says is a pipe."""
        command, pipe = [*self._within, *words], subprocess.PIPE
        process = subprocess.Popen(command, env=self._environment, stdout=pipe, stdin=subprocess.DEVNULL, text=True)
        self._started.append(process)
        return process

    def bus_address(self) -> str:
        """Its session bus, from outside; systemd is on it by then, as it begins with the first that is said on it."""
        named = ("busctl", "--user", "status", "org.freedesktop.systemd1")
        wait_for(lambda: self.run(*named).returncode == 0, "systemd on the session's bus")
        return f"unix:path=/proc/{self._systemd.pid}/root{RUNTIME}/bus"

    @property
    def _within(self) -> list[str]:
        return ["nsenter", "--mount", "--target", str(self._systemd.pid), "--"]

    def property_of(self, unit: str, name: str) -> str:
        """What systemd says of one of its units."""
        return self.run("systemctl", "--user", "show", unit, f"--property={name}", "--value").stdout.strip()


def _run(words: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, env=dict(environment), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300
    )
