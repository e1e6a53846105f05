"""A scope of systemd's for the worker, with a small share of the processor and of the disks.

A desktop on systemd has a control group for each program, and Linux divides both between the groups first: in the
window's, a worker would have as much as a browser, however nice its processes are (systemd.resource-control(5),
systemd.scope(5), org.freedesktop.systemd1(5)).
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from core.observers.desktop_bus.connection import BusConnection, NoAnswerError, session_bus_address
from core.observers.desktop_bus.services import SYSTEMD
from core.service.systemd import UNIT
from core.service.unit import CPU_AND_IO_WEIGHT, STOP_SECONDS

_OWN_GROUPS = Path("/proc/self/cgroup")

log = logging.getLogger(__name__)


def give_scope(pid: int, bus_address: Callable[[], str] = session_bus_address) -> None:
    """Have systemd's user manager put that process, which has no children yet, into a scope of its own.

    It returns at once. Nothing happens where there is no such manager, nor within our own service, whose share is small
    already and whose worker ends with it.
    """
    if sys.platform == "linux" and not _is_service():
        threading.Thread(target=_ask, args=(pid, bus_address()), name="worker-scope", daemon=True).start()


def scope_of(pid: int) -> str:
    """The name of that worker's unit."""
    return f"workerbee-worker-{pid}.scope"


def _is_service() -> bool:
    with contextlib.suppress(OSError):
        return f"/{UNIT}" in _OWN_GROUPS.read_text(encoding="utf-8")
    return False


def _ask(pid: int, address: str) -> None:
    properties = [
        ("Description", ("s", "Workerbee's training")),
        ("PIDs", ("au", [pid])),
        ("CPUWeight", ("t", CPU_AND_IO_WEIGHT)),
        ("IOWeight", ("t", CPU_AND_IO_WEIGHT)),
        ("TimeoutStopUSec", ("t", STOP_SECONDS * 1_000_000)),
        ("CollectMode", ("s", "inactive-or-failed")),
    ]
    bus = BusConnection(address)
    try:
        bus.call(SYSTEMD, "StartTransientUnit", "ssa(sv)a(sa(sv))", scope_of(pid), "fail", properties, [])
    except NoAnswerError as error:
        log.info("the worker has no scope of its own: %s", error)
    finally:
        bus.close()
