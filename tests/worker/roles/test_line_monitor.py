"""What averagers are told of a line that its owner limits: uploads and downloads each for what they are."""

from __future__ import annotations

import threading
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
    """An averager's rounds, with an exchange that ends after so many looks at it."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    @property
    def is_exchanging(self) -> bool:
        self.looks -= 1
        return self.looks >= 0


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


@pytest.mark.parametrize(("exchange", "waited"), [(3, 3), (10**6, MOST_LOOKS)], ids=["that ends", "without end"])
def test_nothing_is_uploaded_beside_an_exchange_unless_that_never_ends(
    monkeypatch: pytest.MonkeyPatch, exchange: int, waited: int
) -> None:
    arriving, rounds = Arriving(), Exchanging(exchange)
    arriving.averagers = (SimpleNamespace(rounds=rounds, know_upload=lambda *_: None),)
    arriving.looks = [True] * (waited + 1)
    assert len(measured(monkeypatch, arriving)) == 1
    assert exchange - max(rounds.looks, 0) == waited


def measured(monkeypatch: pytest.MonkeyPatch, optimizer: Arriving) -> list[Any]:
    """What is told of a line whose first test ends all."""
    leaving, told = threading.Event(), list[Any]()

    def measure(_dht: object, peers: list[str]) -> dict[str, float]:
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
