"""A crowd decides no average: whoever is new weighs less, and so do many peers of one network."""

from __future__ import annotations

import pytest
import torch
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator, Sent, StateAggregator
from core.worker.swarm.aggregation.claimed_weights import ClaimedWeights
from core.worker.swarm.aggregation.rules import cap_heaviest
from core.worker.swarm.aggregation.sybil_resistance import MAX_OF_SUBNET, RAMP_ROUNDS, SenderShares, subnet_of

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


def test_twenty_peers_of_one_subnet_outvote_seven_where_the_heaviest_quarter_is_bounded_after_their_share() -> None:
    """As a reducer of local SGD does, whose account to auditors has the weights alone; see the security page."""
    senders = tuple(PeerID(bytes([number]) * 34) for number in range(27))
    shares = SenderShares()
    shares.know_subnets(dict.fromkeys(senders[7:], "8.8.8.0/24"))
    weights = shares.of(senders)
    assert sum(weights[7:]) / sum(weights) == pytest.approx(0.36, abs=0.01)
    bounded = cap_heaviest(weights)
    assert sum(bounded[7:]) / sum(bounded) == pytest.approx(0.61, abs=0.01)
    before_shares = ClaimedWeights(weights, [0.0] * 27).weights(dict.fromkeys(range(27), 10.0))  # of gradients
    assert sum(before_shares[7:]) / sum(before_shares) == pytest.approx(0.36, abs=0.01)


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
