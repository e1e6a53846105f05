"""How long the computer has been on: a clock that nobody sets, and that goes on while the computer sleeps."""

from __future__ import annotations

import sys
import time


def seconds_since_start() -> float:
    """Seconds since the computer was started; those of its sleep count, which ``time.monotonic`` leaves out."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.monotonic()
