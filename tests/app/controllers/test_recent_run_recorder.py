"""The list of recent runs says how each was left, also after the window was closed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from app.controllers.recent_run_recorder import RecentRunRecorder
from core.errors import ErrorKind
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


def test_why_a_run_was_ended_and_that_this_computer_has_helped_are_still_there_after_a_restart(tmp_path: Path) -> None:
    path, opening = tmp_path / "recent.json", Join(addresses=(Multiaddr(ADDRESS),), home="/tmp")
    ended = msgspec.structs.replace(FOUND, order=Order(state="ended", since=NOW, reason="The loss is low enough."))
    recorder = RecentRunRecorder(path)
    assert recorder.record(training(opening=opening, contributed_samples=512), NOW)
    assert recorder.record(training(chosen=ended, opening=opening, contributed_samples=512), NOW)
    restarted = RecentRunRecorder(path)
    assert [(each.reason, each.has_helped) for each in restarted.runs] == [("The loss is low enough.", True)]
    looked_at = training(chosen=ended, opening=opening, consent=None, problem=ErrorKind.RUN_NOT_OPEN)
    assert restarted.record(replace(looked_at, contributed_samples=0), NOW)  # another look at what is over
    assert [(each.reason, each.has_helped) for each in restarted.runs] == [("The loss is low enough.", True)]


def test_a_run_that_was_left_while_it_came_to_a_stop_is_remembered_as_finished(tmp_path: Path) -> None:
    opening = Join(addresses=(Multiaddr(ADDRESS),), home="/tmp")
    draining = msgspec.structs.replace(FOUND, order=Order(state="draining", since=NOW, reason="Enough."))
    recorder = RecentRunRecorder(tmp_path / "recent.json")
    assert recorder.record(training(chosen=draining, opening=opening, phase="ended"), NOW)
    assert [(each.last_state, each.reason) for each in recorder.runs] == [("finished", "Enough.")]
