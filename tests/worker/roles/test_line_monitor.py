"""What averagers are told of a line that its owner limits: uploads and downloads each for what they are."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.security.identity import Identity
from core.worker.network.line_memory import LineMemory
from core.worker.roles import line_monitor
from core.worker.roles.line_monitor import MOST_LOOKS, LineMonitor
from core.worker.swarm import DownloadMeter
from core.worker.swarm.aggregation.bandwidths import MAX_STATED, stated_bandwidth

PEER = Identity.create().peer_id


class Averager:
    """As much of one as is told."""

    def __init__(self) -> None:
        self.told: list[tuple[float | None, float | None]] = []

    def know_upload(self, bits_per_second: float | None, download: float | None = None) -> None:
        self.told.append((bits_per_second, download))


def test_a_download_limit_does_not_pass_for_a_slow_upload_and_a_lifted_limit_is_forgotten() -> None:
    averager, nobody, host = Averager(), cast(Any, None), list[float | None]()
    optimizer = cast(Any, SimpleNamespace(averagers=[averager]))
    monitor = LineMonitor(nobody, optimizer, nobody, nobody, nobody, host.append)
    for limits in ((2e6, None), (None, 8e6), (None, None)):
        monitor.limit_to(*limits)
    assert averager.told == [(2e6, None), (None, 8e6), (None, None)]
    assert host == [2e6, None, None]


class Exchanging:
    """An averager whose rounds exchange something or not, look by look; then nothing more."""

    def __init__(self, looks: Iterable[bool]) -> None:
        self.rounds, self.looked, self._looks = self, 0, iter(looks)

    @property
    def is_exchanging(self) -> bool:
        self.looked += 1
        return next(self._looks, False)

    def know_upload(self, *_figures: float | None) -> None:
        """It tells nobody."""


class Arriving:
    """An optimizer whose state is there at the third look, and the peer that it is connected with."""

    averagers: tuple[Any, ...] = ()
    tracker = SimpleNamespace(statistics=SimpleNamespace(direct_others=lambda: {"record": PEER}))

    def __init__(self) -> None:
        self.looks = [True, False, False]

    @property
    def has_run_state(self) -> bool:
        return self.looks.pop()


def test_nothing_is_uploaded_while_the_state_arrives_as_the_figure_would_be_too_low(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arriving = Arriving()
    told = measured(monkeypatch, arriving)
    assert arriving.looks == [] and [each.bits_per_second for each in told] == [18e6]


@pytest.mark.parametrize(
    ("exchange", "waited"), [([True] * 3, 3), (itertools.repeat(True), MOST_LOOKS - 1)], ids=["that ends", "endless"]
)
def test_nothing_is_uploaded_beside_an_exchange_unless_that_never_ends(
    monkeypatch: pytest.MonkeyPatch, exchange: Iterable[bool], waited: int
) -> None:
    arriving, averager = Arriving(), Exchanging(exchange)
    arriving.averagers, arriving.looks = (averager,), [True] * (waited + 1)
    assert len(measured(monkeypatch, arriving)) == 1
    assert averager.looked == waited + 2, "once more after the test"


def test_a_test_beside_which_an_exchange_begins_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    arriving = Arriving()
    arriving.averagers, arriving.looks = (Exchanging([False, True]),), [True] * 2
    monkeypatch.setattr(line_monitor, "AGAIN_SECONDS", 0.0)
    assert len(measured(monkeypatch, arriving, tests=2)) == 1


def measured(monkeypatch: pytest.MonkeyPatch, optimizer: Arriving, tests: int = 1) -> list[Any]:
    """What is told of a line after so many tests, of which the last ends all."""
    leaving, told, left = threading.Event(), list[Any](), [None] * tests

    def measure(_dht: object, peers: list[str]) -> dict[str, float]:
        left.pop()
        if not left:
            leaving.set()
        return dict.fromkeys(peers, 18e6)

    monkeypatch.setattr(line_monitor, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(line_monitor, "measure_upload", measure)
    monkeypatch.setattr(line_monitor, "connected_addresses", lambda *_: (f"/ip4/8.8.8.8/tcp/1/p2p/{PEER}",))
    swarm, meter, channel = SimpleNamespace(dht=None), DownloadMeter(), SimpleNamespace(emit=told.append)
    LineMonitor(cast(Any, swarm), cast(Any, optimizer), LineMemory(), meter, cast(Any, channel)).run(leaving)
    return told


@pytest.mark.parametrize(
    ("line", "stated"),
    [((20e6, None), 20.0), ((20e6, 8e6), 8.0), ((None, 8e6), 8.0), ((None, None), None), ((1e15, None), MAX_STATED)],
)
def test_the_group_is_told_of_the_slower_direction(
    line: tuple[float | None, float | None], stated: float | None
) -> None:
    assert stated_bandwidth(*line) == stated
