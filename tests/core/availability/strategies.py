"""Rules, and what is seen of a computer, as hypothesis draws them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from core.availability.observation import GpuUse
from core.availability.prices import Prices
from core.availability.rules import ALWAYS, AvailabilityRules
from tests.core.availability.owner import BERLIN, WEDNESDAY

SHARE = st.sampled_from([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 1.0])
NAMES = st.lists(st.sampled_from(["tuxkart", "vlc", "blender"]), max_size=2).map(tuple)
DAY = st.text("x.", min_size=24, max_size=24) | st.just(ALWAYS)
BYTES = st.integers(10**6, 10**9)


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of them, or what cannot be seen or is not limited."""
    return st.none() | values


AVAILABILITY_RULES = st.builds(
    AvailabilityRules,
    battery=st.booleans(),
    power_saver=st.booleans(),
    metered=st.booleans(),
    games=st.booleans(),
    films=st.booleans(),
    gpu_share=maybe(st.sampled_from([0.1, 0.2, 1.0])),
    programs=NAMES,
    idle_minutes=maybe(st.integers(1, 240)),
    cpu_pressure=maybe(st.sampled_from([0.1, 0.2, 1.0])),
    memory_pressure=maybe(st.sampled_from([0.1, 0.2, 1.0])),
    hours=st.tuples(*[DAY] * 7),
    highest_price=maybe(st.floats(-1, 1)),
    sent_bytes_a_day=maybe(BYTES),
    received_bytes_a_day=maybe(BYTES),
)
PRICES = st.lists(st.floats(-1, 1), min_size=1, max_size=48).map(
    lambda prices: Prices(tuple(WEDNESDAY.timestamp() + 3600 * hour for hour in range(len(prices))), tuple(prices))
)
SEEN = st.fixed_dictionaries(
    {},
    optional={
        "idle_seconds": maybe(st.floats(0, 20_000)),
        "is_locked": maybe(st.booleans()),
        "is_on_battery": maybe(st.booleans()),
        "is_power_saving": maybe(st.booleans()),
        "is_metered": maybe(st.booleans()),
        "games": maybe(NAMES),
        "films": maybe(NAMES),
        "gpu_uses": maybe(st.builds(GpuUse, st.just(0), st.just("blender"), SHARE).map(lambda use: (use,))),
        "programs": maybe(NAMES.map(frozenset)),
        "cpu_pressure": maybe(SHARE),
        "memory_pressure": maybe(SHARE),
        "free_disk_bytes": maybe(st.integers(0, 4_000_000_000)),
        "sent_today": maybe(st.integers(0, 2 * 10**9)),
        "received_today": maybe(st.integers(0, 2 * 10**9)),
        "prices": maybe(PRICES | st.sampled_from(["missing", "broken"])),
    },
)
STEPS = st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.0, 30.0, 60.0, 299.0, 700.0]), SEEN), min_size=1, max_size=20)
STARTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(lambda at: at.replace(tzinfo=BERLIN))
