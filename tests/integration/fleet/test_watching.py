"""A fleet of real peers, as whoever watches it sees it: nobody trains for that, and nobody counts the observer."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec
import pytest

from core.fleet.snapshot import FleetSnapshot
from core.protocol.events import Progress, RoundFinished
from core.protocol.peers import PeersSeen
from core.version import own_version
from tests.support.real_peers import LineProcess, PeerGroup, averaged

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]


def fleet(group: PeerGroup, address: str, *words: str) -> LineProcess[FleetSnapshot]:
    """`workerbee fleet --json` of somebody who only watches, with the real worker."""
    command = [sys.executable, "-m", "core.cli", "fleet", address, "--json", *words]
    home = group.folder / "somebody"
    watcher = LineProcess(
        command,
        home / "watch.log",
        lambda line: msgspec.json.decode(line, type=FleetSnapshot),
        WORKERBEE_HOME=str(home),
    )
    group._ends.callback(watcher.end)
    return watcher


def test_the_fleet_is_seen_with_devices_rounds_and_growing_samples_by_somebody_whom_nobody_counts(
    group: PeerGroup, tmp_path: Path
) -> None:
    organiser = group.organiser()
    volunteers = [
        group.volunteer(organiser.posted, "one", name="Ada"),
        group.volunteer(organiser.posted, "two", "client"),
    ]
    everybody = {each.peer_id for each in (organiser, *volunteers)}
    volunteers[0].wait_for(RoundFinished, averaged)

    page = tmp_path / "page"
    watcher = fleet(group, organiser.posted, "--page", str(page), "--log", str(tmp_path / "fleet.log"))
    seen = watcher.until(lambda each: {peer.peer_id for peer in each.peers} == everybody)
    named = watcher.until(lambda each: all(peer.device == "CPU" and peer.activity.is_told for peer in each.peers))
    assert {peer.name for peer in named.peers} == {"Ada", ""}
    assert (named.totals.direct, named.totals.outgoing) == (2, 1)
    assert [(each.name, each.peers) for each in named.totals.devices] == [("CPU", 3)]
    assert [(each.name, each.peers) for each in named.totals.versions] == [(own_version(), 3)]

    def progress(each: FleetSnapshot) -> tuple[int, int]:
        return each.epoch or 0, each.samples

    later = watcher.until(lambda each: progress(each) > progress(seen) and each.totals.samples_per_second > 0)
    assert later.loss is not None and later.target == organiser.wait_for(Progress).target
    assert watcher.until(lambda each: bool(each.scores)).scores[-1].loss > 0
    counted = watcher.until(lambda each: each.totals.whole_rounds + each.totals.partial_rounds > 0)
    measured = watcher.until(lambda each: all(peer.norm_ratio is not None for peer in each.peers))
    assert all(0.05 < (peer.norm_ratio or 0.0) < 20 for peer in measured.peers), measured.peers
    assert counted.totals.sent_bytes > 0 and counted.totals.received_bytes > 0

    assert {len(told.peers) for told in organiser.all(PeersSeen)} <= {1, 2, 3}
    assert max(each.peers for each in organiser.all(Progress)) == 3
    status = json.loads((page / "status.json").read_text())
    assert status["totals"]["peers"] == 3 and "CPU" in (page / "index.html").read_text()
    watcher.end()
    assert (tmp_path / "fleet.log").read_bytes().count(b"\n") >= 1
