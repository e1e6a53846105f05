"""A fleet of real peers, as whoever watches it sees it: nobody trains for that, and nobody counts the observer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from core.fleet.snapshot import FleetSnapshot
from core.protocol.events import Progress, RoundFinished
from core.protocol.peers import PeerSeen, PeersSeen
from core.version import own_version
from tests.support.real_peers import LineProcess, PeerGroup, averaged

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

TOLD_SECONDS = 400.0  # each peer tells of itself, its rounds and the norms that it has measured every hundred seconds


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

    def until_all(is_so: Callable[[PeerSeen], bool]) -> FleetSnapshot:
        """The first snapshot with everybody of whom that is so; one look may miss somebody."""
        return watcher.until(
            lambda each: {peer.peer_id for peer in each.peers} == everybody and all(map(is_so, each.peers)),
            seconds=TOLD_SECONDS,
        )

    seen = until_all(lambda _peer: True)
    named = until_all(lambda peer: peer.device == "CPU" and peer.activity.is_told)
    assert {peer.name for peer in named.peers} == {"Ada", ""}
    assert (named.totals.direct, named.totals.outgoing) == (2, 1)
    assert [(each.name, each.peers) for each in named.totals.devices] == [("CPU", 3)]
    assert [(each.name, each.peers) for each in named.totals.versions] == [(own_version(), 3)]

    def progress(each: FleetSnapshot) -> tuple[int, int]:
        return each.epoch or 0, each.samples

    later = watcher.until(
        lambda each: progress(each) > progress(seen) and each.totals.samples_per_second > 0 and each.loss is not None
    )
    assert later.target == organiser.wait_for(Progress).target
    assert watcher.until(lambda each: bool(each.scores)).scores[-1].loss > 0
    counted = watcher.until(lambda each: each.totals.whole_rounds + each.totals.partial_rounds > 0, 0, TOLD_SECONDS)
    measured = until_all(lambda peer: peer.norm_ratio is not None)
    assert all(0.05 < (peer.norm_ratio or 0.0) < 20 for peer in measured.peers), measured.peers
    assert counted.totals.sent_bytes > 0 and counted.totals.received_bytes > 0

    assert {len(told.peers) for told in organiser.all(PeersSeen)} <= {1, 2, 3}
    assert max(each.peers for each in organiser.all(Progress)) == 3
    here = len(watcher.said)
    watcher.until(lambda _: json.loads((page / "status.json").read_text())["totals"]["peers"] == 3, here)
    assert "CPU" in (page / "index.html").read_text()
    watcher.end()
    assert (tmp_path / "fleet.log").read_bytes().count(b"\n") >= 1
