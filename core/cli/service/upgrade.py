"""An upgrade or a removal of the program while the service runs: it says goodbye.

After an upgrade it begins anew as the new version, after a removal it ends for good.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.cli.runner.cancellation import Stop
from core.files.package_mark import PackageMark

UPGRADED_CODE = 75  # EX_TEMPFAIL in sysexits.h: the service manager is to try again
POLL_SECONDS = 20.0


@contextmanager
def stopping_with_program(mark: PackageMark, stop: Stop, poll_seconds: float = POLL_SECONDS) -> Iterator[None]:
    """While this lasts, request a stop as soon as another version of the program is installed in full, or none is."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(poll_seconds):
            is_replaced = mark.is_replaced()
            if is_replaced or mark.is_removed():
                stop.request(UPGRADED_CODE if is_replaced else 0)
                return

    thread = threading.Thread(target=watch, name="upgrade-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
