"""The row about liars who average gradients."""

from __future__ import annotations

import pytest

from tests.bench.liars.gradient_liars import GradientLiars, gradient_liars_row


def test_what_was_not_measured_has_no_figure() -> None:
    assert gradient_liars_row(GradientLiars()).is_reached is None


@pytest.mark.parametrize(
    ("ratio", "is_right", "is_reached"), [(1.08, True, True), (1.12, True, False), (1.0, False, False)]
)
def test_a_lie_may_cost_a_tenth_and_blame_nobody_else(ratio: float, is_right: bool, is_reached: bool) -> None:
    measured = GradientLiars({"flip": ratio, "zero": 1.0}, {"flip": is_right, "zero": True})
    assert gradient_liars_row(measured).is_reached is is_reached
