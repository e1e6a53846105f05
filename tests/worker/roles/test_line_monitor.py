"""With whom a line is measured and when, and what averagers are told of one that its owner limits."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.security.identity import Identity
from core.worker.network.line_memory import LineMemory
from core.worker.roles import line_monitor
from core.worker.roles.line_monitor import MAX_REPEATED_TESTS, MOST_LOOKS, LineMonitor
from core.worker.swarm import DownloadMeter
from core.worker.swarm.aggregation.bandwidths import MAX_STATED, stated_bandwidth

PEER, NEWCOMER, STRANGER = (Identity.create().peer_id for _ in range(3))


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
    """An optimizer whose state is there at the third look, one direct peer, and who downloads from it."""

    averagers: tuple[Any, ...] = ()
    tracker = SimpleNamespace(statistics=SimpleNamespace(direct_others=lambda: {b"record": PEER}))
    state_averager = SimpleNamespace(newcomers=lambda: [NEWCOMER])

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


def test_a_newcomer_is_tested_though_it_reports_nothing_yet_and_who_takes_no_test_is_asked_in_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A plain hivemind peer takes none, nor does a client; who neither reports nor downloads is none of the run's."""
    arriving, asked = Arriving(), list[list[str]]()
    arriving.looks = [True] * 4
    for name, value in (("UPLOAD_TEST_PEERS", 1), ("MAX_FAILED_TESTS", 2), ("AGAIN_SECONDS", 0.0)):
        monkeypatch.setattr(line_monitor, name, value)
    measured(monkeypatch, arriving, tests=3, connected=(PEER, NEWCOMER, STRANGER), asked=asked)
    assert sorted(asked) == sorted([[PEER], [NEWCOMER], [NEWCOMER]]) and arriving.looks == [True]


def test_after_a_test_that_failed_nobody_is_tested_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    arriving, asked = Arriving(), list[list[str]]()
    arriving.looks = [True] * 9
    measured(monkeypatch, arriving, tests=9, connected=(NEWCOMER,), asked=asked)
    assert asked == [[NEWCOMER]]


def test_exchanges_that_follow_on_one_another_are_no_reason_to_test_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    arriving = Arriving()
    arriving.averagers, arriving.looks = (Exchanging([False, True] * 50),), [True] * 50
    monkeypatch.setattr(line_monitor, "AGAIN_SECONDS", 0.0)
    assert len(measured(monkeypatch, arriving, tests=1 + MAX_REPEATED_TESTS)) == 1


@pytest.mark.parametrize(("donor", "is_told"), [("8.8.8.8", True), ("192.168.1.4", False)])
def test_a_download_is_measured_by_those_who_may_have_sent_it(donor: str, is_told: bool) -> None:
    """A neighbour of another run, who reports nothing in this one, has sent none of it."""
    told, memory = list[Any](), LineMemory()
    addresses = (f"/ip4/{donor}/tcp/1/p2p/{PEER}", f"/ip4/192.168.1.5/tcp/1/p2p/{STRANGER}")
    swarm, channel = cast(Any, SimpleNamespace(dht=None)), cast(Any, SimpleNamespace(emit=told.append))
    monitor = LineMonitor(swarm, cast(Any, Arriving()), memory, DownloadMeter(), channel)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_monitor, "connected_addresses", among(addresses))
        monitor._learn_download(9e6)
    assert [each.bits_per_second for each in told] == [9e6] * is_told


def among(addresses: tuple[str, ...]) -> Callable[[object, Sequence[str]], tuple[str, ...]]:
    """As `connected_addresses`, for a p2pd that is connected there."""
    return lambda _dht, peers: tuple(each for each in addresses if each.rpartition("/")[2] in peers)


class Leaving(threading.Event):
    """The end of a worker, after so many looks at the latest."""

    looks = 1000

    def wait(self, _timeout: float | None = None) -> bool:
        """Whether it has come."""
        self.looks -= 1
        return self.is_set() or self.looks < 0


def measured(
    monkeypatch: pytest.MonkeyPatch,
    optimizer: Arriving,
    tests: int = 1,
    connected: tuple[str, ...] = (PEER,),
    asked: list[list[str]] | None = None,
) -> list[Any]:
    """What is told of a line after so many tests, of which the last ends all, or as many looks; ``PEER`` takes any."""
    leaving, told, asked = Leaving(), list[Any](), [] if asked is None else asked
    addresses = tuple(f"/ip4/8.8.8.8/tcp/1/p2p/{peer}" for peer in connected)

    def measure(_dht: object, peers: list[str]) -> dict[str, float]:
        asked.append(peers)
        if len(asked) == tests:
            leaving.set()
        return {peer: 18e6 for peer in peers if peer == PEER}

    monkeypatch.setattr(line_monitor, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(line_monitor, "measure_upload", measure)
    monkeypatch.setattr(line_monitor, "connected_addresses", among(addresses))
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
