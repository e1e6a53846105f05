"""Parts that two peers have averaged: a reducer that lies is found out, and nobody else is blamed for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from hivemind.p2p import PeerID
from hivemind.proto import runtime_pb2
from hivemind.utils import MPFuture
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from torch import Tensor

from core.security.identity import Identity
from core.worker.swarm.local_sgd.audit import averager as averager_module
from core.worker.swarm.local_sgd.audit.averager import AuditedAverager
from core.worker.swarm.local_sgd.audit.exchange import Audit, Exchange
from core.worker.swarm.local_sgd.audit.messages import Account, Contribution, Finding, Question, Wanted, decoded, packed
from core.worker.swarm.local_sgd.audit.shown_changes import ShownChanges
from core.worker.swarm.local_sgd.audit.verdict import (
    MOST_DISPUTES,
    MOST_SILENCES,
    AuditedPart,
    AuditRecord,
    Shown,
    Verdict,
    digest_of,
    judge,
)
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.reduction import ReductionRule

NUMBERS = 3000
SENDERS, REDUCER, AUDITOR = 4, 1, 0
CODECS = "fp16", "int8", "int4", "topk"
WEIGHTS = (100.0, 60.0, 140.0, 90.0)
WHOLE = (1.0,) * SENDERS


def exchanged(name: str = "int8", shares: Sequence[float] = WHOLE) -> tuple[AuditedPart, dict[int, Shown], Account]:
    """A part as an honest reducer makes it, in another order than an auditor; who has which share of its weight."""
    rule = ReductionRule(codec(name), "clip", 4.0)  # type: ignore[arg-type]  # one of the run file's
    sent = [rule.codec.encode(torch.randn(NUMBERS) * (1 + number)) for number in range(SENDERS)]
    weights = [weight if share else 0.0 for weight, share in zip(WEIGHTS, shares, strict=True)]
    shares, order = [share or 1.0 for share in shares], [2, 0, 3, 1]
    parts = [rule.codec.decode(sent[number], NUMBERS) for number in order]
    average = bytes_of(rule.encoded_average(parts, *([of[number] for number in order] for of in (weights, shares))))
    known = [0.0] * SENDERS
    part = AuditedPart(REDUCER, AUDITOR, SENDERS, NUMBERS, average, rule.codec, rule.encoded_average, known, known)
    shown = {number: Shown(bytes_of(each), WEIGHTS[number]) for number, each in enumerate(sent)}
    return part, shown, account_of(shown, weights, shares)


def account_of(shown: Mapping[int, Shown], weights: Sequence[float], shares: Sequence[float] = WHOLE) -> Account:
    """One that gives these weights to those senders, and has received what they show."""
    return Account(tuple(weights), tuple(digest_of(each.encoded) for _, each in sorted(shown.items())), tuple(shares))


def bytes_of(encoded: Tensor) -> bytes:
    """As it is sent."""
    return encoded.numpy().tobytes()


def changed(part: AuditedPart, by: float) -> AuditedPart:
    """The same part, whose average was moved by so much of its norm in some direction."""
    average = part.decoded(part.average)
    direction = torch.randn(NUMBERS)
    moved = average + by * average.norm() * direction / direction.norm()
    return replace(part, average=bytes_of(part.codec.encode(moved)))


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("shares", [(1.0,) * 4, (1.0, 1.0, 1 / 3, 2 / 3), (1 / 3,) * 4], ids=["old", "new", "all new"])
def test_an_honest_reducer_is_no_liar_whatever_the_order_of_its_sum(name: str, shares: tuple[float, ...]) -> None:
    assert judge(*exchanged(name, shares)) == Verdict()


@pytest.mark.parametrize("name", CODECS)
def test_a_reducer_that_bends_the_average_or_returns_nothing_is_a_liar(name: str) -> None:
    part, shown, account = exchanged(name)
    for lie in (changed(part, 0.3), replace(part, average=bytes_of(part.codec.encode(torch.zeros(NUMBERS))))):
        assert judge(lie, shown, account) == Verdict(is_liar=True)


def test_a_reducer_cannot_explain_a_lie_by_weights_that_it_may_not_give() -> None:
    part, shown, account = exchanged()
    part = replace(part, known_to_all=WEIGHTS)
    for weights in ((100.0, 60.0, 140.0, 7.0), (100.0, 60.0, 140.0, 1e6), (100.0, 60.0, 140.0, float("nan"))):
        assert judge(changed(part, 0.3), shown, account_of(shown, weights)) == Verdict(disputed=frozenset({3}))
    assert judge(part, shown, account_of(shown, (7.0, 60.0, 140.0, 90.0))) == Verdict(is_liar=True)
    assert judge(part, shown, account_of(shown, WEIGHTS, (1.0, 1.0, 1.0, 0.1))) == Verdict(disputed=frozenset({3}))
    for fields in ({"weights": WEIGHTS[:3]}, {"digests": account.digests[:3]}, {"shares": WHOLE[:3]}):
        assert judge(part, shown, structs.replace(account, **fields)) == Verdict(is_liar=True)


def test_a_reducer_that_has_looked_when_a_newcomer_had_just_begun_is_no_liar_and_one_that_takes_nothing_is() -> None:
    """Its last look showed one sample of the auditor and of another, and the auditor's all 100 and 90 that they claim.

    With seven peers on a busy computer, one of two newcomers in their first round took the other for a liar.
    """
    part, shown, _ = exchanged()
    weights = (2.0, 60.0, 140.0, 2.0)
    sent = [part.decoded(shown[number].encoded) for number in range(SENDERS)]
    average = bytes_of(part.combine(sent, weights, WHOLE))
    account = account_of(shown, weights)
    heard = replace(part, average=average, reported=[0.0, 60.0, 140.0, 90.0])
    assert judge(heard, shown, account) == Verdict()
    assert judge(replace(heard, known_to_all=[50.0, 0.0, 0.0, 0.0]), shown, account) == Verdict(is_liar=True)
    nothing = account_of(shown, (*weights[:3], 0.0))
    assert judge(heard, shown, nothing) == Verdict(disputed=frozenset({3}))


def test_who_claims_more_than_it_has_reported_counts_for_that_and_the_reducer_is_right() -> None:
    part, shown, _ = exchanged()
    claims = shown | {3: Shown(shown[3].encoded, 1e9)}
    weights = (100.0, 60.0, 140.0, 180.0)  # it has reported 90, and may have computed as many since then
    sent = [part.decoded(shown[number].encoded) for number in range(SENDERS)]
    average, account = bytes_of(part.combine(sent, weights, WHOLE)), account_of(shown, weights)
    heard = replace(part, average=average, known_to_all=[0.0, 0.0, 0.0, 90.0])
    assert judge(heard, claims, account) == Verdict()
    assert judge(replace(heard, known_to_all=[0.0, 0.0, 0.0, 9000.0]), claims, account) == Verdict(
        disputed=frozenset({3})
    )


def test_a_reducer_that_gives_itself_a_hundred_times_what_it_has_reported_is_a_liar() -> None:
    part, shown, account = exchanged()
    heard = replace(part, reported=[0.0, 60.0, 0.0, 0.0])
    assert judge(heard, shown, account) == Verdict()
    for itself, is_liar in ((5000.0, False), (1e9, True)):
        weights = (100.0, itself, 140.0, 90.0)
        average = part.combine([part.decoded(each.encoded) for _, each in sorted(shown.items())], weights, WHOLE)
        lie = account_of(shown, weights)
        assert judge(replace(heard, average=bytes_of(average)), shown, lie) == Verdict(is_liar=is_liar)


def test_a_fast_newcomer_that_has_reported_its_first_batch_only_is_no_liar() -> None:
    """Others took some hundred samples, and it took 5,000 after the one that all have heard of."""
    part, shown, _account = exchanged()
    for itself, is_liar in ((5000.0, False), (1e9, True)):
        weights = (100.0, itself, 140.0, 90.0)
        average = part.combine([part.decoded(each.encoded) for _, each in sorted(shown.items())], weights, WHOLE)
        heard = replace(part, average=bytes_of(average), reported=[0.0, 1.0, 0.0, 0.0])
        assert judge(heard, shown, account_of(shown, weights)) == Verdict(is_liar=is_liar)


@pytest.mark.parametrize(("crowd", "is_liar"), [(1 / 3, True), (1.0, False)], ids=["crowd", "many"])
def test_a_crowd_of_one_subnet_does_not_say_how_much_a_reducer_may_weigh_itself(crowd: float, is_liar: bool) -> None:
    """Two of its three senders claim a million samples; as one subnet they count less than the honest one."""
    part, shown, _account = exchanged()
    shown |= {number: Shown(shown[number].encoded, 1e6) for number in (2, 3)}
    weights, shares = (100.0, 5e6, 1e6, 1e6), (1.0, 1.0, crowd, crowd)
    average = part.combine([part.decoded(each.encoded) for _, each in sorted(shown.items())], weights, shares)
    heard = replace(part, average=bytes_of(average), reported=[0.0, 60.0, 0.0, 0.0])
    assert judge(heard, shown, account_of(shown, weights, shares)) == Verdict(is_liar=is_liar)


def test_where_a_sender_and_the_reducer_say_different_things_both_are_in_dispute() -> None:
    part, shown, account = exchanged()
    other = Shown(bytes_of(part.codec.encode(torch.randn(NUMBERS))), shown[2].weight)
    assert judge(part, shown | {2: other}, account) == Verdict(disputed=frozenset({2}))


def test_what_an_auditor_has_sent_itself_is_beyond_doubt() -> None:
    part, shown, account = exchanged()
    digests = (digest_of(b"another"), *account.digests[1:])
    assert judge(part, shown, structs.replace(account, digests=digests)) == Verdict(is_liar=True)


def test_without_everybodys_part_nobody_can_tell() -> None:
    part, shown, account = exchanged()
    del shown[3]
    assert judge(changed(part, 0.3), shown, account) is None


def test_a_sender_who_was_lost_in_the_exchange_has_no_weight_and_nobody_minds() -> None:
    part, shown, account = exchanged(shares=(1.0, 1.0, 1.0, 0.0))
    del shown[3]
    assert judge(part, shown, account) == Verdict()


def test_who_claims_no_weight_as_a_keeper_has_none() -> None:
    part, shown, account = exchanged(shares=(1.0, 1.0, 1.0, 0.0))
    keeps = shown | {3: Shown(shown[3].encoded, 0.0)}
    assert judge(part, keeps, account) == Verdict()
    weighed = structs.replace(account, weights=(*account.weights[:3], 90.0))
    assert judge(part, keeps, weighed) == Verdict(disputed=frozenset({3}))


def test_one_liar_cannot_have_an_honest_peer_left_out_by_disputes_but_disputes_with_many_make_a_liar() -> None:
    liar, *honest = (bytes([number]) for number in range(MOST_DISPUTES + 2))
    record = AuditRecord()
    for _ in range(50):
        assert record.disputed(honest[0], [liar]) == frozenset()
    for each in honest[1:-1]:
        assert record.disputed(each, [liar]) == frozenset()
    assert record.disputed(honest[-1], [liar]) == {liar}


def test_a_reducer_that_gives_no_account_again_and_again_is_named() -> None:
    record = AuditRecord()
    assert not any(record.silent(b"slow") for _ in range(MOST_SILENCES))
    record.answered(b"slow")
    assert [record.silent(b"slow") for _ in range(MOST_SILENCES + 1)] == [False] * MOST_SILENCES + [True]


def test_neither_organiser_nor_keeper_is_distrusted_on_the_word_of_the_other_but_named() -> None:
    """The averager is one that nobody has forked: it has met nobody, and only knows who the signers are."""
    ours, keeper, liar = (PeerID.from_base58(Identity.create().peer_id) for _ in range(3))
    distrusted, caught = set[PeerID](), set[PeerID]()
    signers = frozenset({ours.to_base58(), keeper.to_base58()})
    averager = SimpleNamespace(peer_id=ours, _signers=signers, _caught=caught, _distrust=distrusted.update)
    AuditedAverager._distrust_liars(cast(Any, averager), [ours, keeper, liar])
    assert distrusted == {liar} and caught == {keeper, liar}


IDS = [PeerID.from_base58(Identity.create().peer_id) for _ in range(SENDERS)]


def audited(part: AuditedPart, account: Account, parts: int = 1) -> tuple[Any, Audit]:
    """An auditor that nobody has forked, and its audit of an exchange of so many parts, which are all alike."""
    exchange = Exchange(b"group", IDS, 1.0, 0, [IDS[REDUCER]] * parts, frozenset(IDS), {0: account})
    auditor: Any = AuditedAverager.__new__(AuditedAverager)
    auditor._parent_pid = 0  # which has nobody to end
    auditor._audit_record, auditor._signers = AuditRecord(), frozenset()
    auditor._caught, auditor._found, auditor._exchange = set[PeerID](), set[PeerID](), None
    return auditor, Audit(exchange, dict.fromkeys(range(parts), part), ShownChanges())


def test_a_sender_that_shows_nothing_has_no_reducer_named_whose_exchanges_are_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The reducer remembers its last exchange only, and has begun the next before the auditor gives the sender up."""
    monkeypatch.setattr(averager_module, "CONTRIBUTION_SECONDS", 0.2)
    part, shown, account = exchanged()

    async def named() -> set[PeerID]:
        auditor, _audit = audited(part, account)
        for _ in range(MOST_SILENCES + 1):
            began = asyncio.Event()
            asyncio.get_running_loop().call_later(0.1, began.set)

            async def account_of(*_: Any, began: asyncio.Event = began) -> tuple[Account, bytes]:
                if began.is_set():
                    raise StopAsyncIteration
                return account, shown[REDUCER].encoded

            monkeypatch.setattr(auditor, "_account_of", account_of)
            _auditor, audit = audited(part, account)
            audit.shown = {IDS[number]: {0: shown[number]} for number in (AUDITOR, 2)}
            await auditor._conclude(audit)
        return {*auditor._found, *auditor._caught}

    monkeypatch.setattr(AuditedAverager, "peer_id", IDS[AUDITOR], raising=False)
    assert asyncio.run(named()) == set()


@pytest.mark.parametrize("accounts", ["of none", "of the true ones only"])
def test_a_reducer_without_account_of_many_parts_is_named_for_so_many_exchanges_and_not_for_so_many_parts(
    monkeypatch: pytest.MonkeyPatch, accounts: str
) -> None:
    """Who has begun its next exchange, once, has left all parts that it was asked for without account."""
    monkeypatch.setattr(AuditedAverager, "peer_id", IDS[AUDITOR], raising=False)
    part, shown, account = exchanged()
    monkeypatch.setattr(averager_module, "CONTRIBUTION_SECONDS", 0.0)

    async def account_of(_reducer: PeerID, question: Question) -> tuple[Account, bytes]:
        if accounts == "of none" or question.number % 2:
            raise StopAsyncIteration
        return account, shown[REDUCER].encoded

    async def named_after(exchanges: int) -> set[PeerID]:
        auditor, _audit = audited(part, account)
        monkeypatch.setattr(auditor, "_account_of", account_of)
        for _ in range(exchanges):
            await auditor._conclude(audited(part, account, parts=MOST_SILENCES + 3)[1])
        return set(auditor._found)

    assert asyncio.run(named_after(MOST_SILENCES)) == set()
    assert asyncio.run(named_after(MOST_SILENCES + 1)) == {IDS[REDUCER]}


def test_a_reducer_that_is_asked_before_its_exchange_is_over_gives_account_once_it_is() -> None:
    part, shown, account = exchanged()

    async def answers() -> list[Any]:
        reducer, audit = audited(part, account)
        reducer._sent_part = lambda *_: shown[REDUCER].encoded
        asyncio.get_running_loop().call_soon(setattr, reducer, "_exchange", audit.exchange)
        request = runtime_pb2.ExpertRequest(metadata=packed(Question(b"group", 0)))
        context = cast(Any, SimpleNamespace(remote_id=IDS[AUDITOR]))
        return [answer async for answer in reducer.rpc_account(request, context)]

    (answer,) = asyncio.run(answers())
    assert decoded(answer.metadata, Account) == account and answer.tensor_part.buffer == shown[REDUCER].encoded


@given(st.binary(max_size=300))
def test_what_strangers_say_in_an_audit_is_understood_or_refused(data: bytes) -> None:
    for kind in (Contribution, Wanted, Question, Account, Finding):
        try:
            told = decoded(data, kind)
        except ValueError:
            continue
        assert decoded(packed(told), kind) == told or "nan" in repr(told)


TRIED_PARTS = 4


def asked() -> tuple[ShownChanges, MPFuture[dict[str, dict[int, bytes]]]]:
    """Somebody waits for the changes of two senders, in so many parts."""
    future: MPFuture[dict[str, dict[int, bytes]]] = MPFuture()
    return ShownChanges(future, generation=7, parts=TRIED_PARTS), future


def test_nothing_is_asked_of_whom_we_have_received_all_of() -> None:
    shown, future = asked()
    for part in range(TRIED_PARTS):
        for sender in (0, 1):
            shown.keep(part, sender, b"%d%d" % (sender, part))
    shown.choose({IDS[0]: 0, IDS[1]: 1}, first=0)
    assert [*shown.numbers_of(IDS[0]), *shown.numbers_of(IDS[1])] == [] and not shown.silent()
    shown.end()
    assert future.result() == {
        peer.to_base58(): {part: b"%d%d" % (sender, part) for part in range(TRIED_PARTS)}
        for sender, peer in enumerate(IDS[:2])
    }


def test_who_comes_after_all_is_there_is_asked_for_nothing_and_changes_nothing() -> None:
    shown, future = asked()
    shown.keep(0, 0, b"first")
    shown.choose({IDS[0]: 0}, first=0)
    shown.end()
    assert [*shown.numbers_of(IDS[0])] == []
    shown.add(IDS[0], {})
    assert future.result() == {}


def test_the_parts_that_others_reduce_are_asked_for() -> None:
    shown, future = asked()
    shown.keep(0, 1, b"third")
    shown.choose({IDS[1]: 1}, first=2)
    assert [*shown.numbers_of(IDS[1])] == [0, 1, 3] and shown.silent() == {IDS[1]}
    shown.add(IDS[1], {number: Shown(b"%d" % number, 5.0) for number in (0, 1, 3)})
    assert not shown.silent()
    shown.end()
    assert future.result() == {IDS[1].to_base58(): {2: b"third", 0: b"0", 1: b"1", 3: b"3"}}


def test_what_there_is_no_room_for_is_asked_for() -> None:
    shown, _ = asked()
    shown.most_bytes = 3
    for part in range(TRIED_PARTS):
        shown.keep(part, 0, b"12")
    shown.choose({IDS[0]: 0}, first=0)
    assert [*shown.numbers_of(IDS[0])] == [1, 2, 3]
