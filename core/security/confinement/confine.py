"""Confine this process and all that it will start, as far as this computer's kernel can."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from core.security.confinement import landlock
from core.security.confinement.gaps import Gap
from core.security.confinement.grants import Grant
from core.security.confinement.seccomp import (
    refuse_descriptor_copies,
    refuse_internet_sockets,
    refuse_system_calls,
)

SWITCH = "WORKERBEE_CONFINEMENT"
"""The environment variable that switches the confinement off, to look for an error: ``off``."""

log = logging.getLogger(__name__)


def confine(grants: Sequence[Grant], scratch: Path) -> tuple[Gap, ...]:
    """Confine this process to the grants, and say what could not be done; never raises.

    To be called while the process has one thread only, before it reads anything of a stranger's. ``scratch`` is a
    temporary folder of this process alone, which is among the grants.
    """
    if sys.platform != "linux" or os.environ.get(SWITCH) == "off" or _has_threads():
        log.warning("this process is not confined")
        return ("everything",)
    gaps = tuple(dict.fromkeys(_confined(grants, scratch)))
    log.info("this process is confined; gaps: %s", ", ".join(gaps) or "none")
    return gaps


def confine_files(grants: Sequence[Grant]) -> None:
    """Let a process that is confined already, and has one thread, use fewer files; where the kernel can."""
    if (abi := landlock.abi_version()) > 0:
        landlock.restrict_files(grants, abi)


def confine_ports(ports: Iterable[int]) -> None:
    """Let a confined process of one thread connect to those TCP ports only, and listen on none; if it can."""
    if landlock.abi_version() >= landlock.PORTS_ABI:
        landlock.restrict_ports(ports)


def leave_internet() -> None:
    """Let a confined process of one thread, and all that it will start, reach no other computer."""
    confine_ports(())
    with suppress(OSError):
        refuse_internet_sockets()


def leave_descriptors() -> None:
    """Let a confined process, and all that it will start, take no descriptors of other processes."""
    with suppress(OSError):
        refuse_descriptor_copies()


def _confined(grants: Sequence[Grant], scratch: Path) -> Iterator[Gap]:
    """Each step by itself: where one is refused, the others still hold. Mounts come first, which Landlock refuses."""
    from core.security.confinement.mount_namespace import enter_mount_namespace
    from core.security.confinement.privileges import drop_capabilities, limit_resources

    abi, others = landlock.abi_version(), _tasks_of_this_user()
    if not enter_mount_namespace([grant.path for grant in grants], scratch) and abi < landlock.SOCKETS_ABI:
        yield "sockets"
    limit_resources(others)
    try:
        drop_capabilities()
        landlock.refuse_new_privileges()
    except OSError:
        log.exception("privileges cannot be given up")
        yield "privileges"
    try:
        landlock.restrict_files(grants, abi)
        yield from landlock.gaps_of(abi)
    except OSError as error:
        log.warning("Landlock (ABI %d) is refused: %s", abi, error)
        yield from landlock.gaps_of(0)
    try:
        refuse_system_calls()
    except OSError as error:
        log.warning("a system call filter is refused: %s", error)
        yield from ("system_calls", "network")


def _has_threads() -> bool:
    """Whether there are other threads, which would stay as free as they are."""
    return len(list(Path("/proc/self/task").iterdir())) > 1


def _tasks_of_this_user() -> int:
    """How many processes and threads this user has now, as far as /proc tells."""
    user, tasks = os.getuid(), 0
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            if process.name.isdigit() and process.stat().st_uid == user:
                tasks += len(list((process / "task").iterdir()))
    return tasks
