"""Who sends the opposite of what most have learned is found out after some exchanges, and no honest peer is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest
import torch
from hivemind.p2p import PeerID
from torch import Tensor

from core.security.identity import Identity
from core.worker.swarm.aggregation.leave_one_out import (
    MIN_NUMBERS,
    MIN_ROUNDS,
    Direction,
    LeaveOneOut,
    OpposedSenders,
)

PARTS = 3
SENDERS = [PeerID.from_base58(Identity.create().peer_id) for _ in range(27)]


def changes(honest: int, noise: float) -> list[list[Tensor]]:
    """The parts of so many senders, in which what all learn is so much smaller than the noise of each."""
    learned = [torch.randn(MIN_NUMBERS) for _ in range(PARTS)]
    return [[each + noise * torch.randn(MIN_NUMBERS) for each in learned] for _ in range(honest)]


def apart() -> Iterator[list[list[Tensor]]]:
    """In each exchange two senders whose changes have nothing in common."""
    return ([[torch.randn(MIN_NUMBERS) for _ in range(PARTS)] for _ in range(2)] for _ in range(8))


def opposite(sent: list[Tensor]) -> list[Tensor]:
    """What a liar makes of its changes."""
    return [-each for each in sent]


def directions(sent: Sequence[list[Tensor]], shares: Sequence[float] | None = None) -> dict[PeerID, Direction]:
    """Of one exchange, of all parts of which one reducer is the average; of how much of a sender each counts as."""
    compared = LeaveOneOut([1.0] * len(sent) if shares is None else shares)
    for parts in zip(*sent, strict=True):
        compared.add(range(len(sent)), parts)
    return {SENDERS[sender]: direction for sender, direction in compared.directions().items()}


def named(exchanges: Iterable[Sequence[list[Tensor]]]) -> Iterator[set[PeerID]]:
    """Whom a reducer names after each of these exchanges."""
    opposed = OpposedSenders()
    return (set(opposed.add(directions(sent))) for sent in exchanges)


@pytest.mark.parametrize(("honest", "liars"), [(7, 2), (3, 2), (4, 1), (2, 1)])
def test_who_sends_the_opposite_is_named_after_some_exchanges_and_nobody_else_is(honest: int, liars: int) -> None:
    def exchange() -> Sequence[list[Tensor]]:
        sent = changes(honest + liars, noise=1.0)
        return *sent[:honest], *map(opposite, sent[honest:])

    expected = set(SENDERS[honest : honest + liars])
    assert [*named(exchange() for _ in range(6))] == [set()] * (MIN_ROUNDS - 1) + [expected] * (7 - MIN_ROUNDS)


@pytest.mark.parametrize("noise", [0.0, 1.0, 10.0, 1000.0])
@pytest.mark.parametrize("honest", [3, 4, 9])
def test_honest_senders_are_not_named_however_much_noise_is_in_what_they_send(honest: int, noise: float) -> None:
    assert not any(named(changes(honest, noise) for _ in range(20)))


def test_an_honest_sender_of_another_kind_of_samples_is_not_named() -> None:
    """What it learns has nothing to do with what the others do, or is now and then against it."""
    stranger = ([torch.randn(MIN_NUMBERS) for _ in range(PARTS)] for _ in range(20))
    assert not any(named((*changes(8, 1.0), each) for each in stranger))
    sent = [changes(9, 0.5) for _ in range(20)]
    assert not any(
        named(
            (*each[:8], each[8] if number % MIN_ROUNDS == 0 else opposite(each[8])) for number, each in enumerate(sent)
        )
    )


def test_a_crowd_that_counts_as_four_is_against_seven_and_not_they_against_it() -> None:
    sent, opposed = changes(27, noise=0.5), OpposedSenders()
    crowd = [*sent[:7], *map(opposite, sent[7:])]
    assert {peer for peer, each in directions(crowd).items() if each.is_against} <= {*SENDERS[:7]}
    told = directions(crowd, [1.0] * 7 + [4 / 20] * 20)
    assert {peer for peer, each in told.items() if each.is_against} == {*SENDERS[7:27]}
    assert [len(opposed.add(told)) for _ in range(MIN_ROUNDS)] == [0] * (MIN_ROUNDS - 1) + [20]


def test_where_the_others_do_not_agree_nobody_is_named() -> None:
    """Half of them lie: nobody can say which half. Of three that learn different things, each may be the liar."""
    sent = [changes(8, 0.5) for _ in range(8)]
    assert not any(named((*each[:4], *map(opposite, each[4:])) for each in sent))
    assert not any(named([[-one - other for one, other in zip(*each[:2], strict=True)], *each[:2]] for each in apart()))


def test_the_size_of_what_is_sent_does_not_matter_and_few_numbers_or_senders_prove_nothing() -> None:
    sent = changes(5, 0.1)
    huge = [-1000 * each for each in sent[4]]
    assert directions([*sent[:4], huge])[SENDERS[4]].cosine < -0.9
    assert directions([[each[: MIN_NUMBERS // 4] for each in parts] for parts in sent]) == {}
    assert directions(sent[:2]) == {}


def test_who_has_sent_nothing_has_no_direction() -> None:
    assert directions([*changes(4, 0.1), [torch.zeros(MIN_NUMBERS)] * PARTS]).keys() == {*SENDERS[:4]}
