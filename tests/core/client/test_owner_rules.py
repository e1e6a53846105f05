"""Two real peers: whatever the owner's rules are about pauses the volunteer, and its end lets it train on.

The volunteer is a real client with real workers. A real program is seen by the real observers; what else there is to
see is a test's word, as nobody here has a battery, a game and a thief of the GPU. The clock by which rests are measured
runs faster than this computer's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from core.availability.decision import RuleName
from core.availability.observation import GpuUse
from core.availability.prices import Prices
from core.availability.rules import AvailabilityRules
from core.client.computer_watch import ComputerWatch
from core.observers.computer import ComputerObserver
from core.protocol.events import TrainingStarted
from core.protocol.peers import PeersSeen
from core.run.address import JoinAddress
from tests.support.client_harness import CHECK_SECONDS, FrontEnd, ruled
from tests.support.computer.named_program import NAME, running_program
from tests.support.computer.scripted_computer import SPEED, ScriptedComputer, watch_over
from tests.support.peers import slow_computer
from tests.support.real_peers import LIMIT_SECONDS, PeerGroup, peer_group, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

RULES = AvailabilityRules(battery=False, gpu_share=None, memory_pressure=None, programs=(NAME,))


def watch_over_this_computer(front: FrontEnd) -> ComputerWatch:
    """With the real observers."""
    return ComputerWatch(
        lambda: ComputerObserver(front.folders.data, frozenset()),
        lambda: RULES,
        clock=lambda: time.monotonic() * SPEED,
        look_seconds=CHECK_SECONDS,
    )


def test_a_volunteer_leaves_for_a_program_and_comes_back_after_it(group: PeerGroup, tmp_path: Path) -> None:
    organiser = group.organiser(manifest=tiny())
    organiser.wait_for(TrainingStarted)
    front = FrontEnd(tmp_path / "volunteer", worker_command=slow_computer.WORKER, limit_seconds=LIMIT_SECONDS)
    try:
        with ruled(front, watch_over_this_computer(front), lambda: RULES):
            front.client.start(front.search(JoinAddress.parse(organiser.posted)), device="cpu", threads=1)
            given = front.until(lambda session: session.contributed_samples > 0).contributed_samples
            organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2)
            with running_program(tmp_path):
                session = front.until(lambda session: session.is_held and session.phase == "paused")
                assert session.pause is not None and session.pause.rule is not None
                assert (session.pause.rule.rule, session.pause.rule.subject) == ("program", NAME)
                assert not session.is_worker_running
                organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 1, since=len(organiser.said))
            session = front.until(lambda session: session.phase == "training" and session.progress is not None)
            assert session.contributed_samples >= given
            organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2, since=len(organiser.said))
    finally:
        front.client.close()


def prices(price: float) -> Prices:
    """The same for the next two days."""
    starts = tuple(time.time() + number * 1800.0 for number in range(-1, 96))
    return Prices(starts, (price,) * len(starts))


ALL_RULES = AvailabilityRules(
    films=True,
    programs=(NAME,),
    idle_minutes=5,
    cpu_pressure=0.5,
    price_file="/prices.csv",
    highest_price=0.3,
    sent_bytes_a_day=10**9,
)
NEVER = msgspec.structs.replace(ALL_RULES, hours=("." * 24,) * 7)
NOBODY_NEEDS_IT: dict[str, object] = {
    "idle_seconds": 3600.0,
    "is_on_battery": False,
    "is_power_saving": False,
    "is_metered": False,
    "games": (),
    "full_screen": False,
    "films": (),
    "gpu_uses": (),
    "programs": frozenset[str](),
    "cpu_pressure": 0.0,
    "memory_pressure": 0.0,
    "free_disk_bytes": 10**12,
    "sent_today": 0,
}
CAUSES: dict[RuleName, dict[str, object]] = {
    "disk": {"free_disk_bytes": 10**8},
    "battery": {"is_on_battery": True},
    "power_saver": {"is_power_saving": True},
    "metered": {"is_metered": True},
    "data": {"sent_today": 10**9},
    "game": {"games": ("SuperTux",)},
    "program": {"programs": frozenset({NAME})},
    "gpu": {"gpu_uses": (GpuUse(0, "blender", 0.9),)},
    "film": {"films": ("mpv",)},
    "memory": {"memory_pressure": 0.9},
    "cpu": {"cpu_pressure": 0.9},
    "idle": {"idle_seconds": 0.0},
    "hours": {},  # there the rules become others
    "price": {"prices": prices(0.5)},
}


@dataclass
class Guest:
    """A volunteer, what is seen of its computer, and the rules of its owner."""

    front: FrontEnd
    computer: ScriptedComputer
    rules: AvailabilityRules = ALL_RULES

    def sees(self, rule: RuleName | None) -> None:
        """Nobody needs the computer any more, but for what that rule is about."""
        self.rules = NEVER if rule == "hours" else ALL_RULES
        self.computer.fields = NOBODY_NEEDS_IT | {"prices": prices(0.1)} | (CAUSES[rule] if rule else {})


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """One that trains with an organiser while nobody needs its computer."""
    folder = tmp_path_factory.mktemp("guest")
    with peer_group(folder) as group:
        organiser = group.organiser(manifest=tiny())
        organiser.wait_for(TrainingStarted)
        front = FrontEnd(folder / "volunteer", worker_command=slow_computer.WORKER, limit_seconds=LIMIT_SECONDS)
        guest = Guest(front, ScriptedComputer())
        guest.sees(None)
        try:
            with ruled(front, watch_over(guest.computer), lambda: guest.rules):
                front.client.start(front.search(JoinAddress.parse(organiser.posted)), device="cpu", threads=1)
                front.until(lambda session: session.contributed_samples > 0)
                yield guest
        finally:
            front.client.close()


def test_every_rule_has_a_cause() -> None:
    assert CAUSES.keys() == set(get_args(RuleName))


@pytest.mark.faults
@pytest.mark.parametrize("rule", CAUSES)
def test_each_rule_pauses_a_volunteer_and_its_end_lets_it_train_on(guest: Guest, rule: RuleName) -> None:
    guest.sees(rule)
    held = guest.front.until(lambda session: session.is_held and session.phase == "paused")
    assert held.pause is not None and held.pause.rule is not None and held.pause.rule.rule == rule
    assert not held.is_worker_running
    guest.sees(None)
    guest.front.until(lambda session: session.contributed_samples > held.contributed_samples)
