"""Give hivemind the time of day from a clock that nobody sets."""

from __future__ import annotations

import sys
import time

from core.uptime import seconds_since_start


def steady_time() -> float:
    """The time of day in seconds since 1970, by the clock that was right when this process began.

    The time that the computer sleeps counts, as records expire meanwhile.
    """
    return _started_at + seconds_since_start()


def use_steady_time() -> None:
    """Have every module of hivemind take its time from `steady_time`, whatever happens to the system's clock.

    WORKAROUND H2: every DHT record expires at a time of day. Whoever's clock jumps forward believes that all others
    are gone, and nobody accepts its newer records for as long as the clock had jumped.

    ``get_dht_time`` is bound by name in each module that imports it. Modules that are imported later take it from
    ``hivemind.utils``, which is changed here, too.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("hivemind.") and getattr(module, "get_dht_time", None) is time.time:
            module.get_dht_time = steady_time  # type: ignore[attr-defined]


_started_at = time.time() - seconds_since_start()
