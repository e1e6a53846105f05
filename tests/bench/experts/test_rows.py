"""The arithmetic of the rows about experts, and which targets they reach."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bench.experts.memory import FEW, LOOKS, growth, host_memory_row
from tests.bench.experts.rows import (
    LINES,
    LOOPBACK,
    STEPS_AFTER_KILL,
    ExpertsMeasured,
    Trained,
    _standstill,
    experts_deeds,
    experts_rows,
)
from tests.bench.plan import FULL
from tests.bench.setup import Ground


def measured(loss: float = 0.5, standstill: float = 4.0) -> ExpertsMeasured:
    """Everything, with experts that are half as fast elsewhere, and slower on slower lines."""
    shares = {LOOPBACK: 0.5, **{name: 0.4 / number for number, name in enumerate(LINES, 1)}}
    hosted = {name: Trained((loss,), 1000.0 * share) for name, share in shares.items()}
    return ExpertsMeasured(hosted, Trained((0.5,), 1000.0), Trained((0.25, 4.0), 2000.0), standstill)


def test_what_was_not_measured_has_no_figure() -> None:
    assert [row.is_reached for row in experts_rows(ExpertsMeasured())] == [None] * 3
    assert "experts" in FULL.rows
    assert len(experts_deeds(Ground.__new__(Ground), 1, ExpertsMeasured())) == 2 + len(LINES)


@pytest.mark.parametrize(("loss", "is_reached"), [(0.99, True), (1.0, False)])
def test_experts_must_lower_the_loss_of_the_trunk_alone(loss: float, is_reached: bool) -> None:
    assert experts_rows(measured(loss))[0].is_reached is is_reached


def test_speeds_are_shares_of_one_processs_and_a_missing_line_is_not_passed_over() -> None:
    whole = measured()
    row = experts_rows(whole)[1]
    assert row.ours == "loopback 0.50 · 1000 Mbit/s 0.40 · 100 Mbit/s 0.20 · 20 Mbit/s 0.13" and row.is_reached
    del whole.hosted["20 Mbit/s"]
    assert experts_rows(whole)[1].is_reached is None


@pytest.mark.parametrize(("seconds", "is_reached"), [(5.0, True), (5.1, False)])
def test_a_killed_host_may_hold_up_a_step_for_five_seconds(seconds: float, is_reached: bool) -> None:
    assert experts_rows(measured(standstill=seconds))[2].is_reached is is_reached


class Trainer:
    """Stands for a trainer's process: its steps after a host was killed, of which the third is long."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = [{"seconds": 60.0, "present": 12}]

    def until(self, is_so: Any, since: int = 0, seconds: float = 0.0) -> dict[str, Any]:
        """Say steps until one is so."""
        while not any(map(is_so, self.said[since:])):
            number = len(self.said)
            self.said.append({"seconds": 4.5 if number == 3 else 0.1, "present": 12 if number < 3 else 8})
        return next(said for said in self.said[since:] if is_so(said))


class Host:
    """Stands for a host's process."""

    def kill(self) -> None:
        """Nothing is left of it."""


def test_a_standstill_is_the_longest_step_since_the_kill() -> None:
    trainer: Any = Trainer()
    assert _standstill(trainer, Host()) == 4.5  # type: ignore[arg-type]
    assert len(trainer.said) > STEPS_AFTER_KILL


def test_memory_that_grows_by_more_than_a_fiftieth_between_the_first_minutes_and_the_last_is_not_passed_over() -> None:
    steady = [50 * 2**20] * FEW + [60 * 2**20] * (LOOKS - FEW)
    grown = [each + number * 2**20 // 4 for number, each in enumerate(steady)]
    assert growth(steady) == 1.0 and growth(grown) > 1.15
    assert host_memory_row(ExpertsMeasured(host_growth=growth(steady))).is_reached
    assert host_memory_row(ExpertsMeasured(host_growth=growth(grown))).is_reached is False
    assert host_memory_row(ExpertsMeasured()).is_reached is None
