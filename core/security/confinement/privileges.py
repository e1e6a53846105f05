"""Capabilities and resource limits that a confined process gives up."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource

from core.security.confinement.kernel import call, control_process

_PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 23, 24, 47, 4
_CAPABILITY_VERSION_3 = 0x20080522
_CHOWN, _DAC_OVERRIDE, _FOWNER, _SYS_ADMIN = 0, 1, 3, 21
_KEPT_BY_ROOT = 1 << _CHOWN | 1 << _DAC_OVERRIDE | 1 << _FOWNER  # its files may be another user's, as in containers
_MOST_CAPABILITIES = 64
_TASKS_PER_CPU, _FEWEST_TASKS = 64, 2048


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """``struct __user_cap_data_struct``: half of each set, as bits."""

    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop_capabilities() -> None:
    """Give up all capabilities, but as root those by which it writes its own files; raises OSError."""
    header, sets = _Header(_CAPABILITY_VERSION_3, 0), (_Sets * 2)()
    call("capget", ctypes.byref(header), ctypes.byref(sets))
    if not sets[0].permitted and not sets[1].permitted:
        return
    kept = _KEPT_BY_ROOT if os.geteuid() == 0 else 0
    for capability in range(_MOST_CAPABILITIES):
        if not kept >> capability & 1:
            _drop_from_bounding_set(capability)
    with contextlib.suppress(OSError):
        control_process(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    low = sets[0].permitted & kept
    sets[0], sets[1] = _Sets(low, low, 0), _Sets(0, 0, 0)
    call("capset", ctypes.byref(header), ctypes.byref(sets))


def may_mount() -> bool:
    """Whether this process has CAP_SYS_ADMIN, so that it can make a mount namespace without a user namespace."""
    header, sets = _Header(_CAPABILITY_VERSION_3, 0), (_Sets * 2)()
    try:
        call("capget", ctypes.byref(header), ctypes.byref(sets))
    except OSError:
        return False
    return bool(sets[0].effective >> _SYS_ADMIN & 1)


def limit_resources(tasks_of_others: int) -> None:
    """Allow no core dumps, and so many processes and threads as training can need besides ``tasks_of_others``.

    The kernel counts all tasks of the user in a user namespace. Root is not bounded.
    """
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NPROC, tasks_of_others + max(_FEWEST_TASKS, _TASKS_PER_CPU * (os.cpu_count() or 1)))


def _lower(limit: int, most: int) -> None:
    _, hard = resource.getrlimit(limit)
    lowered = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(limit, (lowered, lowered))


def _drop_from_bounding_set(capability: int) -> None:
    with contextlib.suppress(OSError):  # it has fewer than 64, or may not change them
        if control_process(_PR_CAPBSET_READ, capability) == 1:
            control_process(_PR_CAPBSET_DROP, capability)
