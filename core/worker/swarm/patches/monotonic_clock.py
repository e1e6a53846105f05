"""hivemind's time, from a clock that nobody sets."""

from __future__ import annotations

import sys
import time

_USERS = ("hivemind.", "core.worker.swarm.")


def keep_time() -> None:
    """From now on, a clock that is set while we train changes nothing; call it before the DHT is built.

    WORKAROUND: every record expires at a time of day. Whoever's clock jumps forward believes that all others
    are gone, and what it has told itself cannot be replaced for as long as it has jumped.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(_USERS) and getattr(module, "get_dht_time", None) is time.time:
            module.get_dht_time = steady_time  # type: ignore[attr-defined]


def steady_time() -> float:
    """The time of day (seconds since 1970), by the clock that was right when this process began."""
    return _ahead + _elapsed()


def _elapsed() -> float:
    """Seconds since some moment; the sleep of a computer counts."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.time()


_ahead = time.time() - _elapsed()
