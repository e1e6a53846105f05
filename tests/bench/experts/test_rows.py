"""The arithmetic of the rows about experts, and which targets they reach."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.bench.experts.cut import cut_host_deeds, cut_host_rows
from tests.bench.experts.kill import STEPS_AFTER, killed_host_deeds, killed_host_rows, longest_step, lost_with
from tests.bench.experts.memory import FEW, LOOKS, growth, host_memory_row
from tests.bench.experts.rows import (
    LINES,
    LOOPBACK,
    ExpertsMeasured,
    Lost,
    Trained,
    experts_deeds,
    experts_rows,
)
from tests.bench.plan import FULL
from tests.bench.setup import Ground


def measured(loss: float = 0.5) -> ExpertsMeasured:
    """Everything, with experts that are half as fast elsewhere, and slower on slower lines."""
    shares = {LOOPBACK: 0.5, **{name: 0.4 / number for number, name in enumerate(LINES, 1)}}
    hosted = {name: Trained((loss,), 1000.0 * share) for name, share in shares.items()}
    return ExpertsMeasured(hosted, Trained((0.5,), 1000.0), Trained((0.25, 4.0), 2000.0))


def test_what_was_not_measured_has_no_figure() -> None:
    assert [row.is_reached for row in experts_rows(ExpertsMeasured())] == [None] * 2
    assert [row.is_reached for row in killed_host_rows(ExpertsMeasured())] == [None] * 2
    assert [row.is_reached for row in cut_host_rows(ExpertsMeasured())] == [None] * 2
    assert {"experts", "experts_kill", "experts_cut"} <= set(FULL.rows)
    assert len(experts_deeds(Ground.__new__(Ground), 1, ExpertsMeasured())) == 2 + len(LINES)
    assert len(killed_host_deeds(Ground.__new__(Ground), ExpertsMeasured())) == 1
    assert len(cut_host_deeds(Ground.__new__(Ground), ExpertsMeasured())) == 1


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
    assert killed_host_rows(ExpertsMeasured(standstill=seconds))[0].is_reached is is_reached


class Trainer:
    """Stands for a trainer's process: each time that it is asked it has taken another step; the third one is long."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = [{"seconds": 60.0}]

    def until(self, is_so: Any, _since: int = 0, _seconds: float = 0.0) -> None:
        """Take steps until it is so."""
        while not is_so(None):
            self.said.append({"seconds": 4.5 if len(self.said) == 3 else 0.1})


def test_a_standstill_is_the_longest_step_since_the_kill() -> None:
    trainer: Any = Trainer()
    assert longest_step(trainer, 1) == 4.5
    assert len(trainer.said) > STEPS_AFTER


def test_what_is_lost_with_a_host_is_what_its_experts_learned_since_the_copies_that_others_go_on_with() -> None:
    victim = SimpleNamespace(
        said=[{"address": "/ip4/…"}, *({"at": float(at), "steps": {"1-0": 10 * at, "1-3": at}} for at in range(61))]
    )
    before = {"at": 0.0, "steps": {"1-0": 1, "1-3": 1}}  # which were not yet given away
    one = SimpleNamespace(said=[before, {"at": 90.0, "steps": {"1-0": 455}}])
    other = SimpleNamespace(said=[{"at": 91.0, "steps": {"1-2": 7}}, {"at": 92.0, "steps": {"1-2": 7, "1-3": 60}}])
    lost = tuple(lost_with(victim, [one, other], [1, 0]))  # type: ignore[arg-type, list-item]
    assert lost == (Lost(145, 600, 15.0), Lost(0, 60, 0.0))
    assert killed_host_rows(ExpertsMeasured(lost=lost))[1].ours == "15 s (145 of 600 steps)"


@pytest.mark.parametrize(("seconds", "is_reached"), [(60.0, True), (60.1, False)])
def test_an_expert_may_lose_a_minute_with_its_host(seconds: float, is_reached: bool) -> None:
    every = Lost(1, 100, 1.0), Lost(50, 100, seconds)
    assert killed_host_rows(ExpertsMeasured(lost=every))[1].is_reached is is_reached


def test_memory_that_grows_by_more_than_a_fiftieth_between_the_first_minutes_and_the_last_is_not_passed_over() -> None:
    steady = [50 * 2**20] * FEW + [60 * 2**20] * (LOOKS - FEW)
    grown = [each + number * 2**20 // 4 for number, each in enumerate(steady)]
    assert growth(steady) == 1.0 and growth(grown) > 1.15
    assert host_memory_row(ExpertsMeasured(host_growth=growth(steady))).is_reached
    assert host_memory_row(ExpertsMeasured(host_growth=growth(grown))).is_reached is False
    assert host_memory_row(ExpertsMeasured()).is_reached is None
