"""An owner's limits of power, heat and noise are kept by a GPU that goes on working, slower."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.availability.observation import Observation
from core.availability.pacing import FULL, Pace, PacerState, pace
from core.availability.rules import AvailabilityRules
from tests.core.availability.owner import WEDNESDAY
from tests.support.computer.simulated_gpu import SimulatedGpu
from tests.support.hypothesis_profile import tried

LOOK_SECONDS = 2.0
GPUS = {
    "desktop": SimulatedGpu(),
    "large": SimulatedGpu(full_watts=450.0, cooler_kelvin_a_watt=0.11, cooler_seconds=150.0),
    "laptop": SimulatedGpu(full_watts=120.0, idle_watts=8.0, cooler_kelvin_a_watt=0.45, cooler_seconds=45.0),
    "without a fan": SimulatedGpu(full_watts=75.0, idle_watts=6.0, cooler_kelvin_a_watt=0.8, has_fan=False),
    "with a thin cooler": SimulatedGpu(chip_kelvin_a_watt=0.12, cooler_kelvin_a_watt=0.1, cooler_seconds=30.0),
}


class Paced:
    """A simulated GPU whose owner has these rules; ``changes`` are the times at which slow began or ended."""

    def __init__(self, gpu: SimulatedGpu | None = None, **rules: Any) -> None:
        self.gpu, self.rules, self.state = gpu or SimulatedGpu(), AvailabilityRules(**rules), PacerState()
        self.pace, self.seconds, self.changes = FULL, 0.0, list[float]()

    def see(self, seconds: float, **seen: Any) -> Pace:
        """Let that time pass and look."""
        self.seconds += seconds
        observation = Observation(WEDNESDAY + timedelta(seconds=self.seconds), self.seconds, **seen)
        self.state, after = pace(self.state, self.rules, observation)
        if (after.cause is None) != (self.pace.cause is None):
            self.changes.append(self.seconds)
        self.pace = after
        return after

    def work(self, seconds: float) -> list[tuple[float, float, float]]:
        """Compute as the pace allows, and look every two seconds: power, temperature and fan at each look."""
        seen = []
        for _ in range(round(seconds / LOOK_SECONDS)):
            watts = self.gpu.compute(self.pace.compute_share, LOOK_SECONDS)
            self.see(LOOK_SECONDS, gpu_watts=watts, gpu_celsius=self.gpu.celsius, fan_percent=self.gpu.fan_percent)
            seen.append((watts, self.gpu.true_celsius, self.gpu.fan_percent))
        return seen


def paced(name: str, **rules: Any) -> Paced:
    """That GPU, as cold as it is when nothing computes."""
    return Paced(replace(GPUS[name]), **rules)


@pytest.mark.parametrize("name", GPUS)
@pytest.mark.parametrize("share", [0.35, 0.6, 0.85])
def test_power_comes_within_three_percent_of_its_limit(name: str, share: float) -> None:
    gpu = GPUS[name]
    limit = round(gpu.idle_watts + share * (gpu.full_watts - gpu.idle_watts))
    computer = paced(name, gpu_watts=limit)
    computer.work(120)
    watts = [watts for watts, _, _ in computer.work(600)]
    assert max(watts) <= 1.03 * limit and min(watts) >= 0.97 * limit
    assert computer.pace.cause == "power" and computer.pace.limit == limit


@pytest.mark.parametrize("name", GPUS)
@pytest.mark.parametrize("below", [4.0, 10.0])
def test_the_temperature_comes_within_two_degrees_of_its_limit(name: str, below: float) -> None:
    warm = paced(name)
    warm.work(1800)
    limit = round(warm.gpu.true_celsius - below)
    computer = paced(name, gpu_celsius=limit)
    assert max(celsius for _, celsius, _ in computer.work(1200)) <= limit + 3
    celsius = [celsius for _, celsius, _ in computer.work(1200)]
    assert max(celsius) <= limit + 2 and min(celsius) >= limit - 2
    assert computer.pace.cause == "heat"


def test_the_fan_becomes_as_quiet_as_its_owner_wishes() -> None:
    computer = paced("desktop", fan_percent=60)
    computer.work(1800)
    fan = [percent for _, _, percent in computer.work(600)]
    assert max(fan) <= 63 and min(fan) >= 57
    assert computer.pace.cause == "noise"


def test_the_tightest_limit_counts_and_a_gpu_below_all_of_them_is_not_slowed() -> None:
    both = paced("desktop", gpu_watts=150, gpu_celsius=89)
    both.work(600)
    assert both.pace.cause == "power"
    cool = paced("desktop", gpu_watts=400, gpu_celsius=95, fan_percent=100)
    cool.work(1800)
    assert cool.pace == FULL and not cool.changes


def test_a_limit_that_is_taken_back_counts_at_once_and_what_could_never_be_measured_slows_nothing() -> None:
    computer = paced("desktop", gpu_watts=150)
    computer.work(120)
    assert computer.pace.compute_share < 0.6
    computer.rules = AvailabilityRules()
    assert computer.see(LOOK_SECONDS, gpu_watts=320.0) == FULL
    computer.rules = AvailabilityRules(gpu_watts=150, gpu_celsius=60, fan_percent=30)
    for _ in range(100):
        assert computer.see(LOOK_SECONDS) == FULL


@pytest.mark.parametrize(
    ("cause", "rules"), [("power", {"gpu_watts": 180}), ("heat", {"gpu_celsius": 65}), ("noise", {"fan_percent": 45})]
)
def test_a_gpu_that_cannot_be_measured_any_more_stays_as_slow_as_it_was_until_it_is_measured_again(
    cause: str, rules: dict[str, int]
) -> None:
    computer = paced("desktop", **rules)
    computer.work(1200)
    slow = computer.pace
    assert slow.cause == cause and slow.compute_share < 0.9 and slow.is_measured
    for _ in range(1000):
        blind = computer.see(LOOK_SECONDS)
        assert blind == replace(slow, measured=0.0, is_measured=False), "for half an hour, and as long as it lasts"
    computer.work(4)
    assert computer.pace.is_measured and computer.pace.compute_share < 0.95
    computer.see(LOOK_SECONDS)
    computer.rules = AvailabilityRules()
    assert computer.see(LOOK_SECONDS) == FULL, "the owner's other rules count at once"


def test_slow_does_not_end_by_itself_while_a_controller_that_holds_back_a_little_cannot_measure() -> None:
    computer = Paced(gpu_watts=150)
    computer.work(60)
    computer.gpu.full_watts = 140.0
    while computer.pace.compute_share < 0.95:
        computer.work(2)
    for _ in range(1000):
        assert computer.see(LOOK_SECONDS).compute_share == 0.95
    computer.work(1200)
    assert computer.pace == FULL


def test_full_speed_comes_back_after_ten_minutes_in_which_nothing_was_held_back() -> None:
    computer = Paced(gpu_watts=150)
    computer.work(60)
    slow = computer.pace
    assert slow.cause == "power"
    computer.gpu.full_watts = 140.0
    computer.work(300)
    assert computer.pace.compute_share == 0.95 and len(computer.changes) == 1
    computer.work(600)
    assert computer.pace == FULL
    assert computer.changes[1] - computer.changes[0] >= 600


def test_whoever_comes_back_gets_the_line_at_once_and_leaves_it_late() -> None:
    computer = Paced(upload_rate=2_000_000, attended_upload_rate=100_000, attended_download_rate=500_000)
    assert computer.see(2, idle_seconds=3600.0) == Pace(upload_rate=2_000_000)
    assert computer.see(2, idle_seconds=0.0) == Pace(upload_rate=100_000, download_rate=500_000)
    assert computer.see(400, idle_seconds=400.0).upload_rate == 100_000
    assert computer.see(200, idle_seconds=600.0).upload_rate == 2_000_000
    assert computer.see(2, is_locked=True, idle_seconds=0.0).upload_rate == 2_000_000
    assert computer.see(2).upload_rate == 100_000  # nobody can tell whether somebody is there


def test_somebody_at_the_computer_makes_training_gentle_at_once_and_for_ten_minutes_at_least() -> None:
    computer = Paced(attended_compute_share=0.4)
    assert computer.see(2, idle_seconds=3600.0) == FULL
    assert computer.see(2, idle_seconds=0.0) == Pace(0.4, cause="presence")
    assert computer.see(400, idle_seconds=400.0).compute_share == 0.4
    assert computer.see(200, idle_seconds=600.0) == FULL
    assert computer.see(2).compute_share == 0.4, "nobody can tell whether somebody is there"
    assert computer.see(600, idle_seconds=3600.0, is_locked=True) == FULL
    assert computer.see(2, idle_seconds=3600.0, is_locked=True, is_switched=True).compute_share == 0.4, "another user"
    assert computer.see(3600, idle_seconds=7200.0).compute_share == 0.4, "and nobody tells of a switch back"
    assert computer.see(3600, idle_seconds=7200.0, is_switched=False) == FULL
    computer.rules = AvailabilityRules()
    assert computer.see(2) == FULL


def test_of_a_limit_and_a_person_the_one_that_leaves_less_counts() -> None:
    computer = paced("desktop", gpu_watts=150, attended_compute_share=0.9)
    computer.work(120)
    assert computer.pace.cause == "power" and computer.pace.compute_share < 0.9
    computer.rules = AvailabilityRules(gpu_watts=150, attended_compute_share=0.1)
    computer.work(2)
    assert (computer.pace.cause, computer.pace.compute_share) == ("presence", 0.1)


_FIGURES = st.sampled_from([0.0, 20.0, 59.0, 60.0, 61.0, 100.0, 400.0]) | st.none()
_LOOKS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, 2.0, 30.0, 299.0, 601.0, -5.0]),
        st.fixed_dictionaries(
            {
                "gpu_celsius": _FIGURES,
                "gpu_watts": _FIGURES,
                "fan_percent": _FIGURES,
                "idle_seconds": st.sampled_from([0.0, 299.0, 300.0, 1e6]) | st.none(),
                "is_locked": st.booleans() | st.none(),
                "is_switched": st.booleans() | st.none(),
            }
        ),
    ),
    min_size=10,
    max_size=60,
)


@tried(60)
@given(_LOOKS, st.sampled_from([None, 0.3, 0.95]))
def test_in_any_ten_minutes_slow_begins_or_ends_twice_at_most_and_so_do_uploads(
    looks: list[tuple[float, dict[str, Any]]], gentle: float | None
) -> None:
    limits = dict.fromkeys(("gpu_celsius", "gpu_watts", "fan_percent"), 60)
    rules = {**limits, "attended_compute_share": gentle, "upload_rate": 10**6, "attended_upload_rate": 10**5}
    computer = Paced(None, **rules)
    computer.see(0.0, idle_seconds=1e6)
    rate, passed, rates = computer.pace.upload_rate, 0.0, list[float]()
    slow, changes = False, list[float]()
    for seconds, seen in looks:
        after = computer.see(seconds, **seen)
        passed += max(0.0, seconds)
        assert 0.05 <= after.compute_share <= 1.0 and (after.compute_share < 1.0) == (after.cause is not None)
        if after.upload_rate != rate:
            rate, rates = after.upload_rate, [*rates, passed]
        if (after.cause is not None) != slow:
            slow, changes = not slow, [*changes, passed]
    for times in (rates, changes):
        for first, third in zip(times, times[2:], strict=False):
            assert third - first >= 600.0
