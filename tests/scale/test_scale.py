"""The simulated swarm loses no bytes, suffers from what real ones suffer from, and agrees with what was measured."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from random import Random

import pytest

from core.run.spec.collaboration import Mode
from tests.scale.calibration import Compared, calibration
from tests.scale.event_queue import EventQueue
from tests.scale.exchange import exchange
from tests.scale.report import DOCUMENT, PICTURE, REGION, SHOWN, as_markdown, draw
from tests.scale.swarm import Outcome, Swarm
from tests.scale.world import World, home_swarm

HOURS = 6.0
MODES: tuple[Mode, ...] = ("gradients", "local-sgd")
LARGEST_ERROR = 0.15


def lived(world: World, seed: int = 1) -> Outcome:
    """What comes of it after some hours."""
    return Swarm(world, seed).live(HOURS)


def test_events_come_in_the_order_of_their_times() -> None:
    events, happened = EventQueue(), list[str]()
    for at, name in ((3.0, "last"), (1.0, "first"), (1.0, "second"), (9.0, "never")):
        events.schedule(at, lambda name=name: happened.append(name))  # type: ignore[misc]
    events.run_until(5.0)
    assert happened == ["first", "second", "last"] and events.now == 5.0


@pytest.mark.parametrize("mode", MODES)
def test_what_is_sent_is_received_although_many_leave_in_the_middle(mode: Mode) -> None:
    outcome = lived(home_swarm(300, mode, session_seconds=1800.0))
    assert outcome.partial > 0 and outcome.sent_bytes > 0
    assert outcome.sent_bytes == pytest.approx(outcome.received_bytes, rel=1e-9)


@pytest.mark.parametrize("mode", MODES)
def test_flows_add_up_to_what_each_member_moves(mode: Mode) -> None:
    world, random = home_swarm(9, mode), Random(3)
    planned = exchange([world.keeper, *(world.volunteer(random) for _ in range(9))], world.sent_bytes, mode)
    assert planned is not None
    for member in range(10):
        flows = sum(planned.flow(member, other) for other in range(10) if other != member)
        assert planned.moved(member) == pytest.approx(flows)


@pytest.mark.parametrize("mode", MODES)
def test_more_churn_leaves_fewer_rounds_whole_and_wastes_more(mode: Mode) -> None:
    calm, wild = (lived(home_swarm(100, mode, session_seconds=hours * 3600.0)) for hours in (24.0, 1.0))
    assert calm.whole_share > wild.whole_share and calm.lost_share < wild.lost_share
    assert calm.utilisation > wild.utilisation


@pytest.mark.parametrize("mode", MODES)
def test_nobody_leaves_and_lines_are_infinite_so_that_nothing_is_wasted(mode: Mode) -> None:
    outcome = lived(home_swarm(200, mode, session_seconds=None, uploads=(inf, inf), keeper_line=inf))
    assert outcome.utilisation == pytest.approx(1.0) and outcome.whole_share == 1.0 and outcome.rounds > 10


def test_without_overlap_everybody_waits_for_every_exchange() -> None:
    world = home_swarm(100, "local-sgd", session_seconds=None)
    assert lived(replace(world, is_overlapped=False)).utilisation < lived(world).utilisation - 0.1


def test_a_lone_keeper_sends_every_volunteer_its_average() -> None:
    world = home_swarm(50, "local-sgd", session_seconds=None, reachable_share=0.0)
    outcome = lived(world)
    assert outcome.keeper_bytes == pytest.approx(outcome.rounds * 50 * world.sent_bytes)


def test_where_nobody_can_be_reached_nothing_is_averaged() -> None:
    world = home_swarm(50, "local-sgd", session_seconds=None, reachable_share=0.0)
    assert exchange([world.volunteer(Random(1)) for _ in range(5)], world.sent_bytes, world.mode) is None


def test_the_same_lot_is_the_same_swarm() -> None:
    world = home_swarm(100, "local-sgd")
    assert lived(world, 7) == lived(world, 7) != lived(world, 8)


@pytest.mark.parametrize("compared", calibration(), ids=lambda each: each.what)
def test_the_simulation_says_what_was_measured(compared: Compared) -> None:
    assert compared.error <= LARGEST_ERROR, compared


def test_the_guide_has_the_table_that_is_simulated() -> None:
    world = home_swarm(100, "local-sgd")
    tables = as_markdown([(world, Swarm(world).live(12.0), 12.0)]).split("\n\n")
    region = DOCUMENT.read_text("utf-8").partition(f"<!-- generated: {REGION} -->")[2]
    documented = region.partition("<!-- end of")[0]
    assert all(each.splitlines()[-1] in documented for each in tables), "run: make scale ARGS=--docs"
    assert SHOWN in documented and PICTURE.is_file()


def test_the_same_results_are_drawn_as_the_same_picture_on_white(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="`make scale` installs it")
    worlds = [home_swarm(volunteers, mode) for mode in MODES for volunteers in (20, 40)]
    results = [(world, lived(world), HOURS) for world in worlds]
    for folder in ("one", "other"):
        draw(results, tmp_path / folder / PICTURE.name)
    drawn, again = ((tmp_path / folder / PICTURE.name).read_text("utf-8") for folder in ("one", "other"))
    assert drawn == again and drawn.count('id="axes_') == 2 and "fill: #ffffff" in drawn
    assert all(f"{mode}: {name}" in drawn for mode in MODES for name in ("rounds whole", "keeper, most"))
