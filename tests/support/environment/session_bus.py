"""A D-Bus session bus of a test's own, without anybody on it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator

_END_SECONDS = 60.0


@contextlib.contextmanager
def session_bus() -> Iterator[str]:
    """The address of the bus; what it activates ends with it.

    Those services have a runtime folder of their own: the socket of the accessibility bus lies at a fixed place there,
    which tests that run side by side would take from each other.
    """
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with tempfile.TemporaryDirectory(prefix="bus-", ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
        bus = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        try:
            assert bus.stdout is not None
            yield bus.stdout.readline().strip()
        finally:
            bus.terminate()
            bus.communicate(timeout=_END_SECONDS)
