"""Rules, and what is seen of a computer, as hypothesis draws them: few at a time, so that there is also peace."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from core.availability.observation import GpuUse
from core.availability.prices import Prices
from core.availability.rules import ALWAYS, AvailabilityRules
from tests.core.availability.owner import BERLIN, WEDNESDAY
from tests.support.computer.scripted_computer import QUIET

OFF = AvailabilityRules(
    battery=False, power_saver=False, metered=False, games=False, gpu_share=None, memory_pressure=None
)
_SHARE = st.sampled_from([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 1.0])
_LASTED = st.sampled_from([0.0, 1.5, 3600.0]) | st.none()
_NAMES = st.lists(st.sampled_from(["tuxkart", "vlc", "blender"]), max_size=2).map(tuple)
_DAY = st.text("x.", min_size=24, max_size=24) | st.just(ALWAYS)
_BYTES = st.integers(10**6, 10**9)
_LIMIT = st.sampled_from([0.1, 0.2, 1.0])
_PRICES = st.lists(st.floats(-1, 1), min_size=1, max_size=8).map(
    lambda prices: Prices(tuple(WEDNESDAY.timestamp() + 3600 * hour for hour in range(len(prices))), tuple(prices))
)


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of them, or what cannot be seen or is not limited."""
    return values | st.none()


_BY_CAUSE: dict[str, st.SearchStrategy[Any]] = {
    "battery": st.just(True),
    "power_saver": st.just(True),
    "metered": st.just(True),
    "games": st.just(True),
    "films": st.just(True),
    "gpu_share": _LIMIT,
    "programs": _NAMES,
    "cpu_pressure": _LIMIT,
    "memory_pressure": _LIMIT,
    "idle_minutes": st.integers(1, 240),
    "sent_bytes_a_day": _BYTES,
    "received_bytes_a_day": _BYTES,
    "sent_bytes_a_month": _BYTES,
}
_BY_TIME: dict[str, st.SearchStrategy[Any]] = {"hours": st.tuples(*[_DAY] * 7), "highest_price": st.floats(-1, 1)}
_SEEN: dict[str, st.SearchStrategy[Any]] = {
    "idle_seconds": maybe(st.floats(0, 20_000)),
    "is_locked": maybe(st.booleans()),
    "is_switched": maybe(st.booleans()),
    "is_on_battery": maybe(st.booleans()),
    "is_power_saving": maybe(st.booleans()),
    "is_metered": maybe(st.booleans()),
    "games": maybe(_NAMES),
    "full_screen": maybe(st.booleans()),
    "films": maybe(_NAMES),
    "gpu_uses": maybe(st.builds(GpuUse, st.just(0), st.just("blender"), _SHARE, _LASTED).map(lambda use: (use,))),
    "programs": maybe(_NAMES.map(frozenset)),
    "cpu_pressure": maybe(_SHARE),
    "memory_pressure": maybe(_SHARE),
    "free_disk_bytes": maybe(st.integers(0, 4_000_000_000)),
    "sent_today": maybe(st.integers(0, 2 * 10**9)),
    "received_today": maybe(st.integers(0, 2 * 10**9)),
    "sent_month": maybe(st.integers(0, 2 * 10**9)),
    "prices": maybe(_PRICES | st.sampled_from(["missing", "broken"])),
}


@st.composite
def _few(draw: st.DrawFn, fields: Mapping[str, st.SearchStrategy[Any]], most: int) -> dict[str, Any]:
    names = draw(st.sets(st.sampled_from(sorted(fields)), max_size=most))
    return {name: draw(fields[name]) for name in sorted(names)}


AVAILABILITY_RULES = _few({**_BY_CAUSE, **_BY_TIME}, 4).map(lambda chosen: replace(OFF, **chosen))
RULES_THAT_END = _few({**_BY_CAUSE}, 4).map(lambda chosen: replace(OFF, **chosen))
"""Those whose causes may all be over, whatever the time."""
CALM: dict[str, Any] = QUIET | {"idle_seconds": 1e6, "is_switched": False}
"""What is seen of a computer that nobody needs."""
SEEN = _few(_SEEN, 4).map(lambda seen: CALM | seen)
STARTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(lambda at: at.replace(tzinfo=BERLIN))
SECONDS = st.sampled_from([1.0, 2.0, 30.0, 60.0, 299.0, 601.0])
STEPS = st.lists(st.tuples(SECONDS, SEEN), min_size=1, max_size=25)
NERVOUS_STEPS = st.lists(
    st.tuples(
        SECONDS,
        st.sampled_from(
            [
                CALM,
                CALM,
                CALM | {"games": ("tuxkart",)},
                CALM | {"games": None},
                CALM | {"full_screen": True},
                CALM | {"full_screen": None},
                CALM | {"is_on_battery": True},
                CALM | {"is_on_battery": None},
            ]
        ),
    ),
    min_size=10,
    max_size=25,
)
"""A game and a full screen that come and go, a plug that sits loosely, and services that tell of none for a while."""
