"""PowerSGD: a few directions of a gradient are averaged, in rounds as honest as any other."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import torch
from hivemind.p2p import PeerID
from torch import Tensor

from core.protocol.events import Evaluated, RoundFinished
from core.worker.swarm.aggregation.aggregators import GradientAggregator
from core.worker.swarm.aggregation.claimed_weights import ReportedSamples
from core.worker.swarm.averaging.power_sgd import (
    PowerSGDGradientAverager,
    draw_directions,
    is_worth_it,
    orthonormal,
)
from tests.support.fault_injection import gave
from tests.support.peers.powersgd_peers import LAST_ROUND
from tests.support.real_peers import PATIENCE_SECONDS, PeerGroup, tiny
from tests.worker.averaging.loopback import Unforked, averagers

SCRIPT_SECONDS = 500.0
ROUNDING = 1e-4  # of numbers around one, in float32: whoever is not the reducer adds what it is told to what it has


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_both_are_given_the_same_nothing_is_lost_and_a_round_that_lost_somebody_has_failed(
    group: PeerGroup,
) -> None:
    said = group.script("rounds", "tests.support.peers.powersgd_peers")
    assert said.ended(SCRIPT_SECONDS) == 0
    exact, rough, later, failed = said.said[-LAST_ROUND:]
    for each in (exact, rough, later):
        assert each["became"] == [2, 2]
        assert each["apart"] < ROUNDING
        assert each["bias"] == pytest.approx(0.5)
    assert exact["missing"] < ROUNDING
    assert 0.2 < later["missing"] < rough["missing"] < 1
    assert failed["became"] in ("ExchangeFailedError", "AllreduceException"), (
        "the latter once nobody is left to try again"
    )
    assert failed["is_untouched"]


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_volunteers_train_with_it(group: PeerGroup) -> None:
    organiser = group.organiser(manifest=tiny(powersgd_rank=2))
    volunteer = group.client(organiser.posted, "volunteer", "client")
    for peer in (organiser, volunteer):
        peer.wait_for(RoundFinished, gave, seconds=PATIENCE_SECONDS)
    first = organiser.wait_for(Evaluated).loss
    assert first is not None
    organiser.wait_for(Evaluated, lambda event: event.loss is not None and event.loss < first)


class UnforkedPowerSGD(Unforked, PowerSGDGradientAverager):
    """An averager of one matrix."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._rank, self._errors = 2, {0: torch.zeros(24, 20)}


UnforkedPowerSGD.__name__ = Unforked.__name__  # its RPCs are called so


def test_a_round_of_two_exchanges_is_one_round_in_which_claims_are_compared_with_reports_to_its_end() -> None:
    """The last one sends the opposite, with the weight of more samples than the others have; it has reported one."""
    truth = torch.outer(torch.randn(24), torch.randn(20))
    weights, samples = (100.0, 100.0, 100.0, 400.0), (100.0, 100.0, 100.0, 1.0)

    async def rounds(count: int) -> tuple[GradientAggregator, list[PeerID], Tensor]:
        """What the only reducer has learnt after so many rounds, of whom, and the last one's average."""
        async with averagers(4, UnforkedPowerSGD) as members:
            peers = [each.peer_id for each in members]
            for _ in range(count):
                gradients = [truth.clone(), truth.clone(), truth.clone(), -truth]
                for each in members:
                    each._aggregator.know_samples(ReportedSamples(dict(zip(peers, samples, strict=True))))
                sent = zip(members, gradients, weights, strict=True)
                await asyncio.gather(*(each.exchange(peers, (1.0, 0, 0, 0), [mine], of) for each, mine, of in sent))
                assert all(not any(each._aggregator.reported(peers)) for each in members), "of an epoch that is over"
        return members[0]._aggregator, peers, gradients[0]

    aggregator, peers, average = asyncio.run(rounds(1))
    torch.testing.assert_close(average, (300 - 2) / 302 * truth, rtol=1e-3, atol=1e-3)  # of two matrices multiplied
    assert aggregator.shares.of(peers) == pytest.approx([2 / 3] * 4)
    aggregator, *_ = asyncio.run(rounds(2))
    assert aggregator._agreement.opposed() == frozenset(), "it takes three"
    aggregator, peers, _average = asyncio.run(rounds(3))
    assert aggregator._agreement.opposed() == {peers[3]}


def test_a_group_looks_in_the_same_directions_and_in_others_every_time() -> None:
    mine = draw_directions(b"group", 3, length=20, rank=4)
    assert torch.equal(mine, draw_directions(b"group", 3, length=20, rank=4))
    assert not torch.equal(mine, draw_directions(b"group", 2, length=20, rank=4))
    assert not torch.equal(mine, draw_directions(b"another", 3, length=20, rank=4))


def test_columns_are_put_at_right_angles_and_what_would_be_rounding_is_left_out() -> None:
    column, other = torch.randn(30, 1), torch.randn(30, 1)
    found = orthonormal(torch.cat([column, 2 * column + 1e-4 * other, torch.zeros(30, 1), other], dim=1))
    expected = torch.diag(torch.tensor([1.0, 0.0, 0.0, 1.0]))
    torch.testing.assert_close(found.T @ found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "is_compressed"),
    [((64, 64), True), ((16, 16), False), ((64,), False), ((64, 8, 8), True), ((1, 64), False)],
)
def test_what_would_hardly_be_less_is_averaged_as_it_is(shape: tuple[int, ...], is_compressed: bool) -> None:
    assert is_worth_it(torch.Size(shape), rank=8) == is_compressed
