"""How the faults' figures become rows: what was not measured is said, and nothing is reached by chance."""

from __future__ import annotations

import math

from tests.bench.peers.fault_rows import fault_rows
from tests.bench.peers.faults import FaultName, FaultsMeasured, Way
from tests.bench.table import Row
from tests.support.fault_injection import Cost


def row(name: FaultName, **costs: Cost) -> Row:
    """The one row of that fault."""
    measured = FaultsMeasured()
    ways: tuple[Way, ...] = ("direct", "client", "default", "overlap")
    measured.costs[name] = {way: costs[way] for way in ways if way in costs}
    (made,) = fault_rows(measured)[name]()
    return made


def test_after_a_crash_the_other_may_stand_still_half_as_long_as_after_a_bare_one() -> None:
    bare = Cost(math.inf, 16.0)
    crash = row("crash", direct=Cost(9.0, 8.0), client=Cost(12.0, 0.5), default=bare)
    assert crash.cells[1:4] == ("direct 9.0 s (8.0 s) · client 12.0 s (0.5 s)", "not in 75 s (16.0 s)", "–")
    assert crash.is_reached
    assert row("crash", direct=Cost(9.0, 8.1), default=bare).is_reached is False


def test_a_crash_that_only_one_side_has_suffered_is_not_judged() -> None:
    assert row("crash", direct=Cost(9.0, 0.0)).is_reached is None
    assert row("crash", default=Cost(9.0, 1.0)).is_reached is None


def test_who_never_helps_again_has_not_reached_anything() -> None:
    assert row("cut", client=Cost(29.0, 9.0)).is_reached
    assert row("cut", client=Cost(29.0, 9.0), direct=Cost(math.inf, 9.0)).is_reached is False
    assert row("sleep").cells[-1] == "not measured"
