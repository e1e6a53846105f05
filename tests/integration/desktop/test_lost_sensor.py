"""Real peers, one of which has a rule whose sensor is lost: it stays on the safe side, says so, and goes on.

NetworkManager is python-dbusmock, in a process of its own on a system bus of the test's own, which is killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.protocol.events import Progress, RoundFinished
from tests.core.observers.desktop_bus.conftest import NETWORK_MANAGER, Buses, buses
from tests.integration.desktop.ruled_volunteer import Volunteer, join_with_rules
from tests.support.peers import slow_computer
from tests.support.real_peers import GHOST_SECONDS, Peer, averaged, peer_group

__all__ = ["buses"]  # the fixture

METERED, NOT_METERED = 1, 2
MORE_EPOCHS = 3

pytestmark = [pytest.mark.real, pytest.mark.faults, pytest.mark.timeout(900)]  # three minutes


@pytest.fixture
def organiser(tmp_path: Path) -> Iterator[Peer]:
    """A run to help."""
    with peer_group(tmp_path) as everybody:
        yield everybody.organiser()


@pytest.fixture
def volunteer(organiser: Peer, buses: Buses, tmp_path: Path) -> Iterator[Volunteer]:
    """`workerbee join` of an owner who minds nothing but a metered connection, which this one is at first."""
    buses.network_manager(METERED)
    home = tmp_path / "volunteer"
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), metered=True)
    client = join_with_rules(
        slow_computer.CLIENT,
        organiser.posted,
        home,
        rules,
        "cpu",
        DBUS_SYSTEM_BUS_ADDRESS=buses.system_address,
        DBUS_SESSION_BUS_ADDRESS=buses.session_address,
    )
    yield client
    client.end()


def decided(volunteer: Volunteer, words: str, since: int) -> None:
    """Wait until the rules say that, and are the reason why nothing is computed."""
    said = volunteer.until(lambda line: line["event"] == "availability" and words in line["words"], since)
    assert (said["free"], said["rule"]) == (False, "metered")


def is_left(organiser: Peer, since: int) -> None:
    """Wait until nobody helps, for less than a peer is remembered that has not said goodbye."""
    organiser.wait_for(Progress, lambda progress: progress.peers == 1, since=since, seconds=GHOST_SECONDS / 2)


def stays_alone(organiser: Peer, since: int) -> None:
    """See that nobody has helped for some epochs, and in all that was said since then."""
    organiser.reaches(organiser.epoch + MORE_EPOCHS)
    assert {progress.peers for progress in organiser.all(Progress, since)} == {1}


def test_a_pause_outlives_its_sensor_and_ends_when_that_is_there_again(
    organiser: Peer,
    volunteer: Volunteer,
    buses: Buses,
) -> None:
    decided(volunteer, "metered", 0)
    here = len(volunteer.said)
    buses.services.pop_all().close()  # NetworkManager is killed
    decided(volunteer, "seen last, and cannot be seen now", here)
    stays_alone(organiser, 0)
    network = buses.network_manager(NOT_METERED)
    volunteer.until(lambda line: line["event"] == "availability" and line["free"], here)
    organiser.wait_for(RoundFinished, averaged)

    here, there = len(volunteer.said), len(organiser.said)
    network.update(NETWORK_MANAGER[0], {"Metered": ("u", METERED)})
    decided(volunteer, "metered", here)
    is_left(organiser, there)
    here, there = len(volunteer.said), len(organiser.said)
    network.end()
    decided(volunteer, "seen last, and cannot be seen now", here)
    stays_alone(organiser, there)
    here = len(volunteer.said)
    buses.network_manager(NOT_METERED)
    decided(volunteer, "no longer metered", here)
