"""The owner's programs come first: the worker's processes take the processor when nobody else wants it.

Those that exchange with other peers have a niceness of their own, above the threads that compute, so that a round is
not lost to training. Linux divides the processor between sessions before it looks at niceness within them (sched(7),
"The autogroup feature"), and the worker is a session, so the session is made nice as well. Where systemd gives each
program a share of its own (a cgroup with the controller ``cpu``), that comes first; the client asks for the worker's
(`core.observers.desktop_bus.worker_scope`).
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import psutil

NETWORK_NICENESS = 10  # a tenth of the processor where another program of the usual niceness wants all of it
COMPUTING_NICENESS = 19  # a sixtieth
_AUTOGROUP = Path("/proc/self/autogroup")

log = logging.getLogger(__name__)


class CpuPriority:
    """That of one worker. Whoever has started it with a niceness of its own, as with nice(1), has chosen."""

    def __init__(self) -> None:
        self._is_ours = _is_usual()

    def lower(self) -> None:
        """Lower that of this process, and of all that it starts; while it has but one thread. Never raises."""
        if self._is_ours:
            _set_niceness([0], NETWORK_NICENESS)
            with contextlib.suppress(OSError):
                _AUTOGROUP.write_text(str(NETWORK_NICENESS))

    def lower_computing(self) -> None:
        """Lower that of all threads of this process below that of the processes it has started. Never raises."""
        if self._is_ours:
            _set_niceness(_threads(), COMPUTING_NICENESS)


def _is_usual() -> bool:
    if sys.platform == "win32":
        return bool(psutil.Process().nice() == psutil.NORMAL_PRIORITY_CLASS)
    return os.getpriority(os.PRIO_PROCESS, 0) == 0


def _set_niceness(threads: Iterable[int], niceness: int) -> None:
    """Of those threads; 0 is the process, of which Linux takes the main thread and others all of them."""
    if sys.platform == "win32":
        is_network = niceness == NETWORK_NICENESS
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if is_network else psutil.IDLE_PRIORITY_CLASS)
        return
    for thread in threads:
        try:
            os.setpriority(os.PRIO_PROCESS, thread, niceness)
        except ProcessLookupError:
            continue  # it has ended
        except OSError as error:
            log.info("The processor's priority stays as it is: %s", error)
            return


def _threads() -> list[int]:
    """The ids of this process's threads, where each has a niceness of its own, as on Linux."""
    if sys.platform != "linux":
        return [0]
    return [thread.id for thread in psutil.Process().threads()]


CPU_PRIORITY = CpuPriority()
"""Of this process, as it was started."""
