"""What others report decides how much of their weight is believed, and so must be believable itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator, Sent
from core.worker.swarm.averaging.swarm_statistics import SwarmStatistics
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.trust.sample_caps import cap_samples

PEERS = [PeerID(bytes([0x12, 0x20, number, *bytes(31)])) for number in range(4)]
LIAR, EPOCH, SPEED = 3, 5, 60.0
ABSURD = 10**9


def reported_samples(*reports: tuple[PeerID, int]) -> dict[PeerID, float]:
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
    assert {peer: round(samples, -1) for peer, samples in reported_samples(*reports).items()} == {
        honest: 240,
        victim: 240,
        liar: 240,
    }
