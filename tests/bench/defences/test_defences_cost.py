"""The rows about what the defences cost, and that a pair without them trains."""

from __future__ import annotations

import pytest

from tests.bench.defences.defences_cost import DefencesMeasured, defences_rows
from tests.bench.peers.pair_run import Training


def trained(speed: float, loss: float) -> Training:
    """What a pair has done that had this loss in its last epoch."""
    return Training(3, speed, 0.1, 3, 3, {4: 2.9, 5: loss})


def test_what_was_not_measured_has_no_figure() -> None:
    assert [row.is_reached for row in defences_rows(DefencesMeasured())] == [None, None]


@pytest.mark.parametrize(
    ("speed", "loss", "reached"),
    [(99.0, 2.0, [True, True]), (97.0, 2.03, [False, True]), (99.0, 2.2, [True, False])],
)
def test_defences_may_cost_a_fiftieth_and_no_loss_beyond_the_noise(
    speed: float, loss: float, reached: list[bool]
) -> None:
    measured = DefencesMeasured({"workerbee": [trained(speed, loss)], "undefended": [trained(100.0, 2.0)]})
    assert [row.is_reached for row in defences_rows(measured)] == reached


def test_where_pairs_differ_without_defences_a_loss_may_differ_as_much() -> None:
    free = [trained(100.0, loss) for loss in (1.9, 2.0, 2.1)]
    speed, loss = defences_rows(DefencesMeasured({"workerbee": [trained(100.0, 2.15)], "undefended": free}))
    assert speed.is_reached and loss.is_reached and "1.100" in loss.must_reach
