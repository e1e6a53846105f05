"""The list of recent runs says how each was left, also after the window was closed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.controllers.recent_run_recorder import RecentRunRecorder
from core.protocol.commands import Join
from core.records.recent_runs import LastState
from core.run.multiaddr import Multiaddr
from core.run.steering.control_value import Order, OrderState
from tests.app.support.training_sample import FOUND, NOW, training
from tests.support.cli_process import ADDRESS


@pytest.mark.parametrize(("order", "state"), [("running", "trained"), ("ended", "finished")])
def test_a_run_that_its_organiser_has_ended_is_remembered_as_finished(
    tmp_path: Path, order: OrderState, state: LastState
) -> None:
    run = msgspec.structs.replace(FOUND, order=Order(state=order, since=NOW))
    path = tmp_path / "recent.json"
    opening = Join(addresses=(Multiaddr(ADDRESS),), home="/tmp")
    assert RecentRunRecorder(path).record(training(chosen=run, opening=opening), NOW)
    assert [each.last_state for each in RecentRunRecorder(path).runs] == [state]
