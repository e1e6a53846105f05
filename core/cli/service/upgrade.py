"""An upgrade by the package manager while the service runs: it says goodbye, and begins anew as the new version."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.cli.runner.cancellation import Stop
from core.files.package_mark import PackageMark

UPGRADED_CODE = 75  # EX_TEMPFAIL in sysexits.h: the service manager is to try again
POLL_SECONDS = 20.0


@contextmanager
def stopping_on_upgrade(mark: PackageMark, stop: Stop, poll_seconds: float = POLL_SECONDS) -> Iterator[None]:
    """While this lasts, request a stop as soon as another version of the program is installed in full."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(poll_seconds):
            if mark.is_replaced():
                stop.request(UPGRADED_CODE)
                return

    thread = threading.Thread(target=watch, name="upgrade-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
