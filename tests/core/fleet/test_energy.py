"""What a fleet draws: sums of what some peers tell, what a liar can add, the run's end, and the price."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import median_high

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cli.output.energy_words import cost_words, energy_words
from core.cli.output.fleet_view import fleet_line
from core.energy import MAX_DEVICE_WATTS, cost
from core.fleet.energy import energy_of
from core.fleet.snapshot import FleetEnergy, FleetSnapshot
from core.protocol.peers import PeerPower, PeerSeen, PeersSeen
from core.run.manifest import SchedulerSpec
from core.security.speed_limits import MAX_SHARE
from tests.core.fleet.made_up_fleets import NOON, TARGET, peer, run_found, told

KWH = 3_600_000
MOST = PeerPower(watts=MAX_DEVICE_WATTS, joules=2**40)
FLEET_ENERGY = FleetEnergy(telling=3, watts=412.0, joules=1.2 * KWH, joules_at_end=34.0 * KWH)
some_powers = st.builds(PeerPower, watts=st.integers(1, MAX_DEVICE_WATTS), joules=st.integers(1, 2**40))


def drawing(number: int, watts: int, joules: int) -> PeerSeen:
    """A peer that tells what it draws."""
    return peer(number, power=PeerPower(watts=watts, joules=joules))


def in_epoch_three_of(epochs: int, *peers: PeerSeen) -> FleetSnapshot:
    """The snapshot of a run that ends."""
    manifest = msgspec.structs.replace(run_found().manifest, scheduler=SchedulerSpec(total_epochs=epochs))
    state = replace(told(), run=msgspec.structs.replace(run_found(), manifest=manifest))
    seen = state.after(PeersSeen(peers=peers)).snapshot(NOON)
    assert seen is not None
    return seen


def test_only_those_are_added_up_who_tell_and_nothing_is_told_of_the_others() -> None:
    energy = energy_of([drawing(0, 300, KWH), peer(1), drawing(2, 112, KWH // 5)], run_ends_in=None)
    assert energy == FleetEnergy(telling=2, watts=412.0, joules=1.2 * KWH)
    assert energy_of([peer(0), peer(1)], run_ends_in=60.0) is None


def test_until_the_run_ends_those_who_tell_draw_what_they_draw_now() -> None:
    seen = in_epoch_three_of(5, drawing(0, 200, 1000), peer(1))
    assert seen.energy is not None and seen.run_ends_in is not None
    assert seen.run_ends_in == pytest.approx((2 * TARGET - 200) / 20)
    assert seen.energy.joules_at_end == pytest.approx(1000 + 200 * seen.run_ends_in)
    endless = told(drawing(0, 200, 1000)).snapshot(NOON)
    assert endless is not None and endless.energy is not None and endless.energy.joules_at_end is None


@given(st.lists(some_powers, min_size=2, max_size=8))
def test_a_liar_adds_four_times_what_most_others_draw_at_the_most(honest: list[PeerPower]) -> None:
    others = [peer(number, power=power) for number, power in enumerate(honest)]
    energy = energy_of([*others, peer(99, power=MOST)], None)
    assert energy is not None
    for counted, figures in (
        (energy.watts, [each.watts for each in honest]),
        (energy.joules, [each.joules for each in honest]),
    ):
        assert counted <= sum(figures) + MAX_SHARE * median_high(figures)


def test_what_is_cut_is_counted_and_of_two_nobody_can_say_who_lies() -> None:
    honest = [drawing(number, 100 + number, 1000) for number in range(3)]
    energy = energy_of([*honest, peer(9, power=MOST)], None)
    assert energy is not None
    assert (energy.watts, energy.joules, energy.capped, energy.telling) == (303 + 404.0, 3000 + 4000.0, 1, 4)
    two = energy_of([honest[0], peer(9, power=MOST)], None)
    assert two is not None and (two.watts, two.capped) == (5100.0, 0)


def test_the_words_say_of_how_many_peers_the_figures_are() -> None:
    assert energy_words(FLEET_ENERGY, 5) == (
        "412 W of the 3 of 5 peers that tell, 1.2 kWh so far; about 34.0 kWh by the run's end"
    )
    all_of_them = msgspec.structs.replace(FLEET_ENERGY, joules_at_end=None, capped=1)
    assert energy_words(all_of_them, 3) == "412 W of all 3 peers, 1.2 kWh so far; of 1 peer less counts than is told"
    assert energy_words(None, 5) == "no peer tells what it draws"


@pytest.mark.parametrize(("price", "shown"), [(0.3, "0.30"), (0.125, "0.125"), (7.0, "7.00"), (12.5, "12.50")])
def test_a_price_is_that_of_a_kilowatt_hour(price: float, shown: str) -> None:
    assert cost(KWH, price) == pytest.approx(price)
    words = cost_words(FLEET_ENERGY, price)
    assert words == f"at {shown} a kWh: {1.2 * price:,.2f} so far, about {34 * price:,.2f} by the run's end"
    endless = msgspec.structs.replace(FLEET_ENERGY, joules_at_end=None)
    assert cost_words(endless, price) == f"at {shown} a kWh: {1.2 * price:,.2f} so far"


def test_where_nothing_can_be_redrawn_a_line_has_it_too() -> None:
    seen = told(drawing(0, 412, 12 * KWH // 10), peer(1)).snapshot(NOON)
    assert seen is not None
    line = fleet_line(seen, price=0.3)
    assert line.endswith(" 412 W of the 1 of 2 peers that tell, 1.2 kWh so far. At 0.30 a kWh: 0.36 so far.")
    nobody = told(peer(0)).snapshot(NOON)
    assert nobody is not None and fleet_line(nobody).endswith("loss 1.25.")


def test_a_log_written_before_peers_told_of_power_can_be_read() -> None:
    seen = in_epoch_three_of(5, peer(0))
    written = json.loads(msgspec.json.encode(seen))
    del written["energy"], written["peers"][0]["power"]
    assert msgspec.json.decode(json.dumps(written), type=FleetSnapshot) == seen
