"""A D-Bus session bus of a test's own, without anybody on it."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator

_END_SECONDS = 60.0


@contextlib.contextmanager
def session_bus() -> Iterator[str]:
    """The address of the bus; what it activates ends with it."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    bus = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert bus.stdout is not None
        yield bus.stdout.readline().strip()
    finally:
        bus.terminate()
        bus.communicate(timeout=_END_SECONDS)
