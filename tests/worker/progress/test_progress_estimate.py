"""The swarm's progress is estimated as hivemind does, from reports that are parsed only once."""

from __future__ import annotations

import math
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest
from hivemind.optim import progress_tracker as upstream
from hivemind.utils import MSGPackSerializer
from hivemind.utils.performance_ema import PerformanceEMA
from hivemind.utils.timed_storage import ValueWithExpiration
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.progress import progress_estimate
from core.worker.swarm.progress.progress_estimate import (
    FEW_PEERS,
    EpochClock,
    KeeperSpeed,
    estimate_progress,
    longest_refresh_period,
)
from core.worker.swarm.progress.progress_tracker import ObservedTracker
from core.worker.swarm.trust.epoch_bounds import MAX_EPOCH

NOW = 1.8e9
RECORDS = some.fixed_dictionaries(
    {
        "peer_id": some.binary(min_size=1, max_size=40),
        "epoch": some.integers(0, 9),
        "samples_accumulated": some.integers(0, 300),
        "samples_per_second": some.floats(0, 1e4),
        "time": some.floats(NOW - 60, NOW + 3),
        "client_mode": some.booleans(),
    }
)


def tracker(epoch: int, samples: int) -> Any:
    """What the estimate needs of a tracker whose peer has got so far."""
    mine = {"peer_id": b"me", "samples_per_second": 1.0, "time": NOW, "client_mode": False}
    return SimpleNamespace(
        local_progress=upstream.LocalTrainingProgress(epoch=epoch, samples_accumulated=samples, **mine),
        performance_ema=PerformanceEMA(alpha=0.1),
        target_batch_size=256,
        min_refresh_period=0.5,
        default_refresh_period=3.0,
        max_refresh_period=10.0,
        metadata_expiration=60.0,
        expected_drift_peers=3.0,
        expected_drift_rate=0.2,
        latest_epoch_end=math.inf,
        extrapolated_from=-math.inf,
        status_loglevel=0,
        prefix="sums",
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=some.lists(RECORDS, max_size=6), epoch=some.integers(0, 9), samples=some.integers(0, 300))
def test_it_is_hiveminds_estimate(
    monkeypatch: pytest.MonkeyPatch, records: list[dict[str, Any]], epoch: int, samples: int
) -> None:
    monkeypatch.setattr(upstream, "get_dht_time", lambda: NOW)
    metadata = {number: ValueWithExpiration(record, NOW) for number, record in enumerate(records)}
    theirs = upstream.ProgressTracker._parse_swarm_progress_data(tracker(epoch, samples), metadata)
    reports = [report for record in records if (report := PeerReport.parse(record)) is not None]
    assert len(reports) == len(records)
    ours = estimate_progress(reports, tracker(epoch, samples), NOW)
    assert asdict(ours) == pytest.approx(asdict(theirs), rel=1e-9)


def test_a_keeper_expects_an_epoch_of_whoever_computes_and_none_of_its_own() -> None:
    keeper = tracker(4, 1)
    keeper.performance_ema = KeeperSpeed()
    keeper.performance_ema.update(1, interval=0.5)
    assert estimate_progress((), keeper, NOW).eta_next_epoch > NOW + 1e9
    record = {"epoch": 4, "samples_accumulated": 56, "time": NOW, "client_mode": True}
    speeds = (keeper.performance_ema.samples_per_second, 0.1)
    reports = [PeerReport.parse(record | {"peer_id": b"peer", "samples_per_second": speed}) for speed in speeds]
    ends = estimate_progress([each for each in reports if each], keeper, NOW).eta_next_epoch
    assert ends == pytest.approx(NOW + (256 - 2 * 56) / 0.1)


@pytest.mark.parametrize(
    ("samples", "peers", "seconds"),
    [(100, 2, 30.0), (0, 2, None), (100, 1, None)],
)
def test_an_epoch_to_which_two_contribute_ends_at_its_limit(samples: int, peers: int, seconds: float | None) -> None:
    limited = tracker(4, samples)
    record = {"epoch": 4, "samples_accumulated": samples, "samples_per_second": 0.001, "time": NOW, "client_mode": True}
    reports = [PeerReport.parse(record | {"peer_id": bytes([number])}) for number in range(1, peers + 1)]
    there = [report for report in reports if report is not None]
    unlimited = estimate_progress(there, limited, NOW).eta_next_epoch
    limited.latest_epoch_end = NOW + 30.0
    ends = estimate_progress(there, limited, NOW).eta_next_epoch
    assert ends == (unlimited if seconds is None else NOW + seconds) and unlimited > NOW + 1000
    limited.latest_epoch_end = NOW - 5.0
    assert estimate_progress(there, limited, NOW).eta_next_epoch == (unlimited if seconds is None else NOW)


def test_nobody_is_thought_to_have_computed_while_all_rested() -> None:
    record = {"epoch": 4, "samples_accumulated": 100, "samples_per_second": 4.0, "time": NOW - 5.0}
    report = PeerReport.parse(record | {"peer_id": b"\1", "client_mode": False})
    assert report is not None
    rested = tracker(4, 0)
    assert estimate_progress([report], rested, NOW).eta_next_epoch == pytest.approx(NOW + (156 - 20) / 4, rel=1e-6)
    rested.extrapolated_from = NOW - 1.0
    assert estimate_progress([report], rested, NOW).eta_next_epoch == pytest.approx(NOW + (156 - 4) / 4, rel=1e-6)


def test_looks_of_a_crowd_bring_no_more_in_a_second_than_those_of_few_and_none_comes_too_late() -> None:
    few = {peers: longest_refresh_period(peers, tracker(0, 0)) for peers in (1, FEW_PEERS)}
    assert set(few.values()) == {10.0}
    assert longest_refresh_period(2 * FEW_PEERS, tracker(0, 0)) == 20.0
    assert longest_refresh_period(100 * FEW_PEERS, tracker(0, 0)) == 30.0  # a report lives twice as long


def test_near_the_end_of_an_epoch_a_crowd_looks_as_often_as_few_do() -> None:
    record = {"epoch": 4, "samples_accumulated": 0, "samples_per_second": 1.0, "time": NOW, "client_mode": True}
    crowd = [PeerReport.parse(record | {"peer_id": number.to_bytes(2)}) for number in range(1, 257)]
    there = [report for report in crowd if report is not None]
    ends = estimate_progress(there, tracker(4, 0), NOW)
    assert ends.next_fetch_time - NOW < ends.eta_next_epoch - NOW <= 1.0


def test_a_newcomer_that_sees_one_other_is_not_alone() -> None:
    record = {"epoch": 0, "samples_accumulated": 1, "samples_per_second": 1.0, "time": NOW, "client_mode": False}
    report = PeerReport.parse(record | {"peer_id": b"\1"})
    assert report is not None
    newcomer = tracker(0, 0)
    mine = newcomer.own_subkey = MSGPackSerializer.dumps(b"mine")
    newcomer.clock, newcomer.is_newcomer, newcomer._is_advanced = EpochClock(60.0), lambda: True, lambda _eta: False
    newcomer._latest_signed = lambda: MAX_EPOCH
    for reports, peers in (
        ({}, 1),
        ({b"other": report}, 2),
        ({mine: report}, 1),
        ({mine: report, b"other": report}, 2),
    ):
        newcomer.reports = newcomer._trusted = reports
        assert ObservedTracker._estimate(newcomer).num_peers == peers


class EpochAmongOthers:
    """An `EpochClock` of 60 s that began at NOW, and what it is told of others, who compute ten samples a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(progress_estimate, "steady_time", lambda: NOW)
        self.clock = EpochClock(60.0)

    def sees(self, *began: float, at: float = 1.0, epoch: int = 4) -> float:
        """When our epoch 4 ends, once reports of that moment say that others have begun theirs; all since NOW."""
        record = {"epoch": epoch, "samples_per_second": 10.0, "time": NOW + at, "client_mode": True}
        reports: dict[bytes, PeerReport] = {}
        for number, second in enumerate(began, 1):
            samples = round(10 * (at - second))
            report = PeerReport.parse(record | {"samples_accumulated": samples, "peer_id": bytes([number])})
            assert report is not None
            reports[bytes([number])] = report
        self.clock.see(reports, 4)
        return self.clock.end - NOW


@pytest.mark.parametrize(
    ("began", "end"),
    [
        ((), 60.0),
        ((-4.0,), 56.0),  # we are late by so much
        ((0.8,), 60.0),  # the other one is
        ((-4.0, -4.2), 56.0),
        ((-4.0, 0.5), 60.0),  # one of the three of us was early
        ((-1000.0,), 30.0),  # says a liar
        ((-1000.0, -4.0, -4.2), 55.8),
    ],
)
def test_an_epoch_ends_by_the_clock_of_most(
    monkeypatch: pytest.MonkeyPatch, began: tuple[float, ...], end: float
) -> None:
    assert EpochAmongOthers(monkeypatch).sees(*began) == pytest.approx(end)


def test_of_each_peer_the_first_report_in_our_epoch_tells_when_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = EpochAmongOthers(monkeypatch)
    assert clock.sees(-30.0, epoch=3) == 60.0
    assert clock.sees(-4.0) == pytest.approx(56.0)
    assert clock.sees(-9.0, at=50.0) == pytest.approx(56.0)
    clock.clock.begin()
    assert clock.clock.end == NOW + 60.0
