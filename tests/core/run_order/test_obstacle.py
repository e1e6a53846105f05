"""What is in the way of a run whose organiser has stopped it, by its run file or while it goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from core.client.session import Session
from core.protocol.client_events import Obstacle
from core.protocol.events import Restarting, RunFound
from core.records.consents import Consents
from core.run.steering.control_value import Order, OrderState
from core.run_order.obstacle import ObstacleWatch, obstacle_of_run
from tests.app.support.sample_sessions import run_found, session_of

ORDERS: list[tuple[OrderState, Obstacle | None]] = [
    ("running", None),
    ("paused", "paused"),
    ("draining", "paused"),
    ("ended", "finished"),
]


def ordered(state: OrderState) -> RunFound:
    """A run whose organiser asks that of all peers."""
    return msgspec.structs.replace(run_found(), order=Order(state=state))


@pytest.mark.parametrize(("state", "obstacle"), ORDERS)
def test_a_run_that_is_looked_at_is_as_open_as_its_organiser_says(
    tmp_path: Path, state: OrderState, obstacle: Obstacle | None
) -> None:
    consents, run = Consents(tmp_path / "consents"), ordered(state)
    consents.remember(run, 0.0)
    assert obstacle_of_run(run, consents) == obstacle


@pytest.mark.parametrize(("state", "obstacle"), ORDERS)
def test_so_is_the_run_that_is_helped(state: OrderState, obstacle: Obstacle | None) -> None:
    run = ordered(state)
    session: Session = replace(session_of(run), chosen=run, phase="training")
    assert ObstacleWatch().look(session, 0.0) == obstacle
    assert ObstacleWatch().look(replace(session, phase="ended"), 0.0) == (obstacle or "failed")


def test_a_run_for_which_the_disk_has_no_room_makes_way() -> None:
    session: Session = replace(session_of(run_found()), phase="starting")
    full = Restarting(attempt=1, seconds=2.0, problem="disk_full")
    assert ObstacleWatch().look(session, 0.0) is None
    assert ObstacleWatch().look(replace(session, restarting=full), 0.0) == "unfit"
