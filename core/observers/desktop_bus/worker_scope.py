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
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from core.observers.desktop_bus.connection import BusConnection, NoAnswerError, session_bus_address
from core.observers.desktop_bus.services import SYSTEMD
from core.service.systemd import UNIT
from core.service.unit import CPU_AND_IO_WEIGHT, STOP_SECONDS

_OWN_GROUPS = Path("/proc/self/cgroup")
_GATHER_TRIES = 600
_GATHER_SECONDS = 0.1

log = logging.getLogger(__name__)


def give_scope(pid: int, bus_address: Callable[[], str] = session_bus_address) -> None:
    """Have systemd's user manager put that process and its children into a scope of its own.

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
        ("Delegate", ("b", True)),  # no other unit takes processes later
        ("CPUWeight", ("t", CPU_AND_IO_WEIGHT)),
        ("IOWeight", ("t", CPU_AND_IO_WEIGHT)),
        ("TimeoutStopUSec", ("t", STOP_SECONDS * 1_000_000)),
        ("CollectMode", ("s", "inactive-or-failed")),
    ]
    bus = BusConnection(address)
    try:
        bus.call(SYSTEMD, "StartTransientUnit", "ssa(sv)a(sa(sv))", scope_of(pid), "fail", properties, [])
        _gather(bus, pid)
    except NoAnswerError as error:
        log.info("the worker has no scope of its own: %s", error)
    finally:
        bus.close()


def _gather(bus: BusConnection, pid: int) -> None:
    """Bring in the children that the process started before systemd moved it; later ones begin within the scope."""
    for _ in range(_GATHER_TRIES):
        outside = _outside(pid)
        if not outside:
            return
        if pid not in outside:  # so the scope has begun
            bus.answer(SYSTEMD, "AttachProcessesToUnit", "ssau", scope_of(pid), "", outside)
        time.sleep(_GATHER_SECONDS)
    log.info("processes of the worker are not in its scope: %s", outside)


def _outside(pid: int) -> list[int]:
    """Which of the process and its descendants are not in the scope; none once it has ended."""
    outside = []
    with contextlib.suppress(psutil.Error):
        worker = psutil.Process(pid)
        for each in (worker, *worker.children(recursive=True)):
            with contextlib.suppress(OSError):
                if f"/{scope_of(pid)}" not in Path(f"/proc/{each.pid}/cgroup").read_text(encoding="utf-8"):
                    outside.append(each.pid)
    return outside
