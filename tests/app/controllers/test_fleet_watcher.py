"""A fleet is watched from the window by a worker of its own, which recites here what an observer's worker tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.controllers.organiser import fleet_watcher
from app.controllers.organiser.fleet_watcher import FleetWatcher
from core.errors import ErrorKind
from core.files.folders import Folders
from core.protocol.peers import PeersSeen
from core.run.address import JoinAddress
from tests.core.cli.test_fleet import fleet_of
from tests.core.fleet.made_up_fleets import peer
from tests.support.cli_process import ADDRESS, Play, failing, reciting

LIMIT_MILLISECONDS = 30_000
SUMS = JoinAddress(peers=JoinAddress.parse(ADDRESS).peers, run_id="sums")
SEEN = PeersSeen(peers=(peer(0, name="Ada"), peer(1)), loss=1.25)


@pytest.fixture
def watchers(qapp: QApplication) -> Iterator[list[FleetWatcher]]:
    """Those that a test has made; their workers are ended."""
    made: list[FleetWatcher] = []
    yield made
    for each in made:
        each.close()


def watcher(watchers: list[FleetWatcher], folder: Path, play: Play) -> FleetWatcher:
    """One whose worker recites that."""
    made = FleetWatcher(Folders.default(), worker_command=reciting(folder, play))
    watchers.append(made)
    return made


def test_the_peers_of_a_run_are_seen_until_watching_is_stopped_and_can_be_watched_again(
    watchers: list[FleetWatcher], tmp_path: Path, qtbot: QtBot
) -> None:
    watching = watcher(watchers, tmp_path, fleet_of(SEEN))
    assert not watching.is_of_use
    for _ in range(2):
        watching.watch(SUMS)
        qtbot.waitUntil(lambda: watching.snapshot is not None, timeout=LIMIT_MILLISECONDS)
        seen = watching.snapshot
        assert seen is not None and (seen.name, seen.totals.peers, seen.loss) == ("Sums", 2, 1.25)
        qtbot.waitUntil(lambda: watching.session.is_search_finished, timeout=LIMIT_MILLISECONDS)
        assert watching.is_watching and watching.is_of_use and len(watching.history.points) == 1
        watching.stop()
    qtbot.waitUntil(lambda: watching.session.phase == "ended", timeout=LIMIT_MILLISECONDS)
    assert not watching.is_watching and watching.snapshot is not None


def test_another_run_takes_the_place_of_the_one_before(
    watchers: list[FleetWatcher], tmp_path: Path, qtbot: QtBot
) -> None:
    watching = watcher(watchers, tmp_path, fleet_of(SEEN))
    watching.watch(JoinAddress(peers=SUMS.peers))
    qtbot.waitUntil(lambda: watching.snapshot is not None, timeout=LIMIT_MILLISECONDS)
    watching.watch(SUMS)
    assert watching.snapshot is None and watching.is_watching
    qtbot.waitUntil(lambda: watching.snapshot is not None, timeout=LIMIT_MILLISECONDS)


def test_a_run_that_was_seen_is_looked_for_again_after_an_outage(
    watchers: list[FleetWatcher], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second life of the worker is the same play; so it is seen twice."""
    monkeypatch.setattr(fleet_watcher, "OBSERVER_RETRY_SECONDS", 0.1)
    play = fleet_of(SEEN)
    failed = {"event": "failed", "problem": "nobody_answers", "detail": "The line is cut."}
    play["join"][0] += [{"when": str(tmp_path / "cut")}, failed, {"exit": 1}]
    watching = watcher(watchers, tmp_path, play)
    watching.watch(SUMS)
    qtbot.waitUntil(lambda: watching.snapshot is not None, timeout=LIMIT_MILLISECONDS)
    first = watching.snapshot
    (tmp_path / "cut").touch()
    qtbot.waitUntil(lambda: watching.snapshot is not first, timeout=LIMIT_MILLISECONDS)
    assert watching.is_watching


def test_a_run_that_was_never_seen_is_given_up_with_its_problem(
    watchers: list[FleetWatcher], tmp_path: Path, qtbot: QtBot
) -> None:
    watching = watcher(watchers, tmp_path, failing("no_such_run"))
    watching.watch(SUMS)
    qtbot.waitUntil(lambda: not watching.is_watching, timeout=LIMIT_MILLISECONDS)
    assert watching.session.problem is ErrorKind.NO_SUCH_RUN and watching.snapshot is None
