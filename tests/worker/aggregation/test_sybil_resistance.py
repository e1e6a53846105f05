"""A crowd decides no average: whoever is new weighs less, and so do many peers of one network."""

from __future__ import annotations

import pytest
import torch
from hivemind.p2p import PeerID

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator, Sent, StateAggregator
from core.worker.swarm.aggregation.claimed_weights import ReportedSamples
from core.worker.swarm.aggregation.sybil_resistance import MAX_OF_SUBNET, RAMP_ROUNDS, SenderShares, subnet_of
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.reduction import ReductionRule

OLD = tuple(PeerID(bytes([number]) * 34) for number in range(3))
NEW = tuple(PeerID(bytes([100 + number]) * 34) for number in range(3))


def averaged(aggregator: GradientAggregator, peers: tuple[PeerID, ...], values: list[float]) -> float:
    """What an exchange gives of parts with these values, which all claim the same weight; the first is ours."""
    parts = [torch.full((4,), value) for value in values]
    aggregator.begin([parts[0]], peers, 0)
    sent = [Sent(number, part, 10.0) for number, part in enumerate(parts)]
    average = float(aggregator.aggregated(sent, parts[0], 0.0)[0])
    aggregator.end([parts[0]])
    return average


def test_who_is_new_has_a_third_of_its_weight_then_two_and_then_all() -> None:
    shares, of_rounds = SenderShares(), []
    for _ in range(RAMP_ROUNDS + 1):
        of_rounds.append(shares.of(OLD))
        shares.add_round(OLD)
    assert of_rounds == [[pytest.approx(share)] * len(OLD) for share in (1 / 3, 2 / 3, 1, 1)]


def test_among_peers_who_all_are_new_nothing_changes() -> None:
    aggregator = GradientAggregator(AggregationRule("mean"))
    for _ in range(RAMP_ROUNDS):
        assert averaged(aggregator, OLD, [1.0, 2.0, 3.0]) == pytest.approx(2.0)


def test_as_many_newcomers_as_there_are_others_have_a_quarter_of_the_say_and_half_in_the_third_round() -> None:
    aggregator = GradientAggregator(AggregationRule("mean"))
    for _ in range(RAMP_ROUNDS):
        averaged(aggregator, OLD, [1.0, 1.0, 1.0])
    everybody, values = (*OLD, *NEW), [1.0, 1.0, 1.0, -1.0, -1.0, -1.0]
    averages = [averaged(aggregator, everybody, values) for _ in range(RAMP_ROUNDS)]
    assert averages == [pytest.approx(0.5), pytest.approx(0.2), pytest.approx(0.0, abs=1e-6)]


@pytest.mark.parametrize(
    ("address", "subnet"),
    [
        ("/ip4/8.8.8.8/tcp/4001", "8.8.8.0/24"),
        ("/ip6/2a00:1450:4001:82a::200e/tcp/4001", "2a00:1450:4001::/48"),
        ("/ip4/192.168.1.5/tcp/4001", None),
        ("/ip4/127.0.0.1/tcp/4001", None),
        ("/ip6/fe80::1/tcp/4001", None),
        ("/ip4/8.8.8.8/tcp/4001/p2p/12D3KooW/p2p-circuit", None),
        ("/dns4/example.com/tcp/4001", None),
        ("/ip4/8.8.8/tcp/4001", None),
        ("", None),
    ],
)
def test_only_public_addresses_have_a_subnet(address: str, subnet: str | None) -> None:
    assert subnet_of(address) == subnet


CROWD = tuple(PeerID(bytes([50 + number]) * 34) for number in range(12))
SUBNETS = dict.fromkeys(CROWD, "8.8.8.0/24") | {OLD[0]: "9.9.9.0/24"}


def test_many_peers_of_one_subnet_count_as_four_together() -> None:
    aggregator = GradientAggregator(AggregationRule("mean"))
    aggregator.shares.know_subnets(SUBNETS)
    crowd_of_four = averaged(aggregator, (*OLD, *CROWD[:MAX_OF_SUBNET]), [1.0] * 3 + [-1.0] * MAX_OF_SUBNET)
    assert crowd_of_four == pytest.approx(-1 / 7)
    aggregator = GradientAggregator(AggregationRule("mean"))
    aggregator.shares.know_subnets(SUBNETS)
    assert averaged(aggregator, (*OLD, *CROWD), [1.0] * 3 + [-1.0] * len(CROWD)) == pytest.approx(-1 / 7)


SEVEN = tuple(PeerID(bytes([number]) * 34) for number in range(1, 8))


def crowded_average(
    mode: str, rule: Aggregation, sent: list[torch.Tensor], claims: list[float], reported: list[float], earlier: int = 0
) -> torch.Tensor:
    """What a reducer of that mode makes of parts, of which those after the seventh are of one subnet.

    There were so many ``earlier`` rounds of the same parts.
    """
    peers = (*SEVEN, *(PeerID(bytes([20 + number]) * 34) for number in range(len(sent) - 7)))
    aggregator = GradientAggregator(AggregationRule(rule))
    aggregator.shares.know_subnets(dict.fromkeys(peers[7:], "8.8.8.0/24"))
    parts = [Sent(index, *each) for index, each in enumerate(zip(sent, claims, strict=True))]
    for _ in range(earlier):
        aggregator.begin([sent[0]], peers, 0)
        aggregator.aggregated(parts, sent[0], 0.0)
        aggregator.end([sent[0]])
    aggregator.know_samples(ReportedSamples(dict(zip(peers, reported, strict=True))))
    aggregator.begin([sent[0]], peers, 0)
    if mode == "gradients":
        return aggregator.aggregated(parts, sent[0], 0.0)
    claimed = aggregator.claims(peers, 0)
    weights = [claimed.credible(index, claim) for index, claim in enumerate(claims)]
    reduction = ReductionRule(codec("fp16"), rule, 4.0)
    return reduction.codec.decode(reduction.encoded_average(sent, weights, claimed.shares), len(sent[0]))


@pytest.mark.parametrize("mode", ["gradients", "local-sgd"])
@pytest.mark.parametrize("crowd", [20, 100])
def test_a_crowd_of_one_subnet_decides_as_much_as_four_however_many_there_are(mode: str, crowd: int) -> None:
    sent = [torch.ones(8)] * 7 + [-torch.ones(8)] * crowd
    for claim, weight in ((10.0, 4.0), (1.0, 0.4)):
        samples = [10.0] * 7 + [claim] * crowd
        average = crowded_average(mode, "mean", sent, samples, samples)
        assert average.tolist() == pytest.approx([(7 - weight) / (7 + weight)] * 8, abs=1e-3)


@pytest.mark.parametrize("mode", ["gradients", "local-sgd"])
@pytest.mark.parametrize("rule", ["clip", "centered-clip"])
@pytest.mark.parametrize("size", [1e-4, 1.0, 50.0, 1e4])
@pytest.mark.parametrize("claim", [10.0, 1e9])
def test_twenty_peers_of_one_subnet_turn_no_average_of_seven_around(
    mode: str, rule: Aggregation, size: float, claim: float
) -> None:
    """By no size of what they send, and by no claim, do they make themselves what is usual."""
    learned = torch.randn(2000, generator=torch.Generator().manual_seed(1))
    noise = torch.Generator().manual_seed(2)
    honest = [learned + 0.3 * torch.randn(2000, generator=noise) for _ in range(7)]
    sent, claims = honest + [-size * learned] * 20, [10.0] * 7 + [claim] * 20
    average = crowded_average(mode, rule, sent, claims, [10.0] * 7 + [0.0] * 20)
    assert float(torch.cosine_similarity(average, learned, dim=0)) > 0.9
    assert 0.1 < float(average.norm() / learned.norm()) < 2.0


def test_four_of_one_subnet_beside_seven_have_half_of_the_weight_if_they_report_a_billion_samples_too() -> None:
    """A limit, told on the security page: what is reported is bounded elsewhere, and again by what most report."""
    sent, claims = [torch.ones(1000)] * 7 + [-torch.ones(1000)] * 20, [10.0] * 7 + [1e9] * 20
    average = crowded_average("gradients", "mean", sent, claims, claims)
    assert (1 - float(average[0])) / 2 == pytest.approx(0.51, abs=0.01)
    assert crowded_average("gradients", "clip", sent, claims, claims, earlier=3).tolist() == pytest.approx([1.0] * 1000)
    assert crowded_average("local-sgd", "clip", sent, claims, claims).tolist() == pytest.approx([1.0] * 1000, abs=0.01)


def test_where_all_are_of_one_subnet_all_count_alike() -> None:
    aggregator = GradientAggregator(AggregationRule("mean"))
    aggregator.shares.know_subnets(SUBNETS)
    assert averaged(aggregator, CROWD, [float(number) for number in range(12)]) == pytest.approx(5.5)


def test_a_crowd_of_one_subnet_is_no_majority_in_a_state_round() -> None:
    honest = tuple(PeerID(bytes([200 + number]) * 34) for number in range(5))
    aggregator = StateAggregator(AggregationRule("clip"))
    aggregator.shares.know_subnets(SUBNETS)
    peers, values = (*honest, *CROWD), [1.0] * len(honest) + [-9.0] * len(CROWD)
    parts = [torch.full((8,), value) for value in values]
    aggregator.begin([parts[0]], peers, 0)
    average = aggregator.aggregated([Sent(number, part, 1.0) for number, part in enumerate(parts)], parts[0], 0.0)
    assert average.tolist() == [1.0] * 8
