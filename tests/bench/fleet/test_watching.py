"""The arithmetic of the row about a fleet, and what its made-up observer tells."""

from __future__ import annotations

import random

import pytest

from core.protocol.codec import MAX_LINE_BYTES, encode
from tests.bench.fleet.page_use import PageUse
from tests.bench.fleet.simulated_observer import look
from tests.bench.fleet.steering import Steered
from tests.bench.fleet.watching import PEERS, FleetMeasured, Watching, fleet_rows

MIB = 2**20


@pytest.mark.parametrize(
    ("seen", "is_reached"),
    [
        (None, None),
        (Watching(1.0, 0.02, 50 * MIB), True),
        (Watching(3.1, 0.02, 50 * MIB), False),
        (Watching(1.0, 0.031, 50 * MIB), False),
        (Watching(1.0, 0.02, 61 * MIB), False),
    ],
)
def test_picture_core_and_memory_must_all_be_reached(seen: Watching | None, is_reached: bool | None) -> None:
    row, _ = fleet_rows(FleetMeasured(seen))["fleet"]()
    assert row.is_reached is is_reached


@pytest.mark.parametrize(
    ("measured", "is_reached"),
    [(None, None), (Steered([9.0, 31.0], 0), True), (Steered([9.0, 31.0], 1), False), (Steered([9.0, 61.0], 0), False)],
)
def test_every_order_is_to_be_obeyed_by_everybody_within_a_minute(
    measured: Steered | None, is_reached: bool | None
) -> None:
    (row,) = fleet_rows(FleetMeasured(steered=measured))["steering"]()
    assert row.is_reached is is_reached


def test_the_made_up_fleet_is_as_large_as_it_says_and_fits_on_a_line() -> None:
    seen = look(3, PEERS, random.Random(1))
    assert len({peer.peer_id for peer in seen.peers}) == PEERS and seen.loss == 1003
    assert len(encode(seen)) < MAX_LINE_BYTES


@pytest.mark.parametrize(
    ("use", "is_reached"),
    [
        (None, None),
        (PageUse(0.03, 0.02, 0.01), True),
        (PageUse(0.06, 0.02, 0.01), False),
        (PageUse(0.03, 0.2, 0.01), False),
    ],
)
def test_the_pages_share_of_a_core_and_its_stall_must_both_be_reached(
    use: PageUse | None, is_reached: bool | None
) -> None:
    _, row = fleet_rows(FleetMeasured(page=use))["fleet"]()
    assert row.is_reached is is_reached
