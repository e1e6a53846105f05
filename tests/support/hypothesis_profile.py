"""How hard the parsers are tried: the same examples every time, and few, unless somebody asks for more.

    WORKERBEE_FUZZ=20000 .venv/bin/pytest tests/core/fuzz --timeout 0

draws so many random examples for each test.
"""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

ASKED = os.environ.get("WORKERBEE_FUZZ")
SLOWEST = timedelta(minutes=2)  # for one example: what grows faster than its input takes hours
MIB = 1024 * 1024


def load_profile() -> None:
    """In CI nothing is left to chance: the same examples on every machine, however slow or busy it is."""
    settings.register_profile(
        "workerbee",
        max_examples=int(ASKED or 100),
        derandomize=ASKED is None,
        database=None,
        deadline=SLOWEST,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("workerbee")


def tried(examples: int) -> settings:
    """So many examples, or as many as somebody asks for."""
    return settings(max_examples=int(ASKED or examples))


@contextmanager
def memory_below(most_bytes: int) -> Iterator[None]:
    """What Python holds more than before, at the highest, stays below that."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most_bytes
    finally:
        tracemalloc.stop()


def damaged(good: bytes) -> st.SearchStrategy[bytes]:
    """Almost ``good``: some bytes changed, put in or left out, a part twice, or an end that is missing."""
    place = st.integers(0, len(good) - 1)
    flipped = st.builds(_flipped, st.just(good), st.lists(st.tuples(place, st.integers(1, 255)), min_size=1))
    put_in = st.builds(lambda at, more: good[:at] + more + good[at:], place, st.binary(min_size=1, max_size=9))
    left_out = st.builds(lambda at, to: good[: min(at, to)] + good[max(at, to) + 1 :], place, place)
    twice = st.builds(lambda at, to: good[: max(at, to)] + good[min(at, to) :], place, place)
    cut = st.builds(lambda at: good[:at], place)
    return st.one_of(flipped, put_in, left_out, twice, cut).filter(lambda bad: bad != good)


def _flipped(good: bytes, changes: list[tuple[int, int]]) -> bytes:
    bad = bytearray(good)
    for at, mask in changes:
        bad[at] ^= mask
    return bytes(bad)


# What moves cursors, hides itself, turns writing around or is half a character
ODD = "\0\a\x1b[2J\r\n\t\x7f\x85\x9b\u00ad\u061c\u200b\u200f\u2028\u202e\u2066\ufeff\ud800\udfff٣名🐝"
ODD_TEXT = st.text(st.sampled_from([*ODD]) | st.characters(), max_size=60)
NUMBERS = st.one_of(
    st.integers(),
    st.sampled_from([0, -1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 10**30, 10**400]),
    st.floats(),
)


def tables(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Anything that has lists and tables in it."""
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ODD_TEXT, inner, max_size=4),
        max_leaves=12,
    )


ANYTHING = tables(st.none() | st.booleans() | NUMBERS | ODD_TEXT)
