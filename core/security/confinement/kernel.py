"""Calls of the C library and the kernel that Python has no function for; each raises OSError where it is refused."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any


def call(function: str, *arguments: Any) -> int:
    """Call a function of the C library that sets ``errno``; raises OSError, also where there is no such function."""
    try:
        result = int(getattr(_libc(), function)(*arguments))
    except AttributeError as error:
        raise OSError(f"the C library has no {function}") from error
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), function)
    return result


def system_call(number: int, *arguments: Any) -> int:
    """Make a system call by its number; raises OSError."""
    return call("syscall", ctypes.c_long(number), *arguments)


def control_process(option: int, *values: int) -> int:
    """Call prctl(2) with up to four values; raises OSError."""
    padded = (*values, 0, 0, 0, 0)[:4]
    return call("prctl", ctypes.c_int(option), *map(ctypes.c_ulong, padded))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
