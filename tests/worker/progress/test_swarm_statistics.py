"""What others report decides how much of their weight is believed, and so must be believable itself."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator, Sent
from core.worker.swarm.aggregation.claimed_weights import ReportedSamples
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.progress import swarm_statistics
from core.worker.swarm.progress.swarm_statistics import HEARD_SECONDS, SwarmStatistics
from core.worker.swarm.trust.sample_caps import cap_samples

PEERS = [PeerID(bytes([0x12, 0x20, number, *bytes(31)])) for number in range(4)]
LIAR, EPOCH, SPEED = 3, 5, 60.0
ABSURD = 10**9


def reported_samples(*reports: tuple[PeerID, int]) -> ReportedSamples:
    """What the second of them believes of all these, each of whom has signed one of the reports."""
    now = steady_time()
    signed = {
        bytes([number]): PeerReport(peer, EPOCH, told, SPEED, now, False) for number, (peer, told) in enumerate(reports)
    }
    counted = cap_samples(signed, bytes([1]), now - 4.0, now)
    # stands for the tracker: what it has believed at its last look
    tracker: Any = SimpleNamespace(counted=counted, own_subkey=bytes([1]), local_progress=SimpleNamespace(epoch=EPOCH))
    return SwarmStatistics(tracker).reported_samples()


def named(weight: float, reported: int) -> set[int]:
    """Whom the second of four peers names; the last one reports so much, and claims such a weight."""
    aggregator = GradientAggregator(AggregationRule())
    aggregator.know_samples(reported_samples(*zip(PEERS, [240, 240, 240, reported], strict=True)))
    parts = [torch.randn(64) for _ in PEERS]
    aggregator.begin([parts[1]], PEERS, 1)
    weights = [240.0, 240.0, 240.0, weight]
    sent = [Sent(number, part, weights[number]) for number, part in enumerate(parts)]
    aggregator.aggregated(sent, parts[1], 0.0)
    return aggregator.named


def test_who_reports_as_much_as_it_claims_is_named_all_the_same() -> None:
    assert named(weight=ABSURD, reported=ABSURD) == {LIAR}
    assert named(weight=ABSURD, reported=240) == {LIAR}


def test_who_is_some_times_as_fast_as_the_others_is_not() -> None:
    assert named(weight=240.0, reported=240) == set()
    assert named(weight=6000.0, reported=6000) == set()


def test_nobody_takes_anothers_weight_away_by_a_report_in_its_name() -> None:
    honest, mine, victim, liar = PEERS
    reports = ((honest, 240), (mine, 240), (victim, 240), (liar, 240), (victim, 1), (honest, 1))
    assert {peer: round(samples, -1) for peer, samples in reported_samples(*reports).latest.items()} == {
        honest: 240,
        victim: 240,
        liar: 240,
    }


def test_what_was_reported_a_minute_ago_is_known_to_all_and_of_several_reports_the_smallest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, mine, other, _ = PEERS
    now = 1000.0
    monkeypatch.setattr(swarm_statistics, "steady_time", lambda: now)
    # stands for the tracker, which looks every half second, and of which nothing but the epoch is asked
    tracker: Any = SimpleNamespace(counted={}, own_subkey=b"", local_progress=SimpleNamespace(epoch=EPOCH))
    statistics, known = SwarmStatistics(tracker), list[dict[PeerID, float]]()
    for half_seconds in range(4 * int(HEARD_SECONDS)):
        now = 1000.0 + half_seconds / 2
        reports = {peer.to_bytes(): PeerReport(peer, EPOCH, half_seconds, SPEED, now, False) for peer in (first, mine)}
        reports[b"in its name"] = replace(reports[first.to_bytes()], samples=half_seconds // 2)
        reports[b"ended"] = PeerReport(other, EPOCH - 1, 900, SPEED, now, False)
        statistics.remember(reports)
        known.append(dict(statistics.reported_samples().known_to_all))
    minute = 2 * int(HEARD_SECONDS)
    assert not any(known[:minute])
    assert known[minute] == {first: 0.0, mine: 0.0}
    assert known[-1].keys() == {first, mine}
    assert minute / 2 < known[-1][mine] < minute and known[-1][first] == known[-1][mine] // 2
    tracker.local_progress.epoch += 1
    assert statistics.reported_samples().known_to_all == {}
