"""Who makes itself ever new identities fills no memory of those who average with it, and what it did last is known."""

from __future__ import annotations

import asyncio
import contextlib
import pickle

import pytest
import torch
from hivemind.averaging import DecentralizedAverager
from hivemind.p2p import PeerID
from hivemind.p2p.p2p_daemon_bindings.utils import ControlFailure

from core.worker.swarm.aggregation.aggregators import AggregationRule, GradientAggregator
from core.worker.swarm.aggregation.agreement import MIN_ROUNDS, SenderAgreement
from core.worker.swarm.aggregation.leave_one_out import Direction, OpposedSenders
from core.worker.swarm.aggregation.recent_peers import MOST_PEERS, RecentPeers
from core.worker.swarm.aggregation.silent_reducers import AnswerDeadlines
from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.averaging.timeouts import shared_seconds
from core.worker.swarm.local_sgd.audit.verdict import MOST_DISPUTES, MOST_SILENCES, AuditRecord

OWN, *STRANGERS = (PeerID(b"\x12\x20" + number.to_bytes(32, "big")) for number in range(MOST_PEERS + 51))
LAST = STRANGERS[-1]


def test_of_many_peers_those_are_known_that_were_met_last_also_in_another_process() -> None:
    known = RecentPeers[str, int](3)
    for peer in "abcabde":
        known[peer] = known.get(peer, 0) + 1
    assert dict(known) == {"b": 2, "d": 1, "e": 1}
    there: RecentPeers[str, int] = pickle.loads(pickle.dumps(known))
    there["f"] = 1
    assert [*there] == ["d", "e", "f"]


def test_of_gradients_the_agreement_of_the_last_senders_is_remembered() -> None:
    agreement = SenderAgreement()
    products = torch.tensor([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]], dtype=torch.float64)
    for stranger in [*STRANGERS, *[LAST] * (MIN_ROUNDS - 1)]:
        agreement.add([OWN, STRANGERS[0], stranger], products, [1.0] * 3)
    assert len(agreement._cosines) == MOST_PEERS
    assert agreement.opposed() == {LAST}


def test_of_changes_the_directions_of_the_last_senders_are_remembered() -> None:
    opposed, against = OpposedSenders(), Direction(-0.9, 0.9)
    for stranger in [*STRANGERS, *[LAST] * (MIN_ROUNDS - 1)]:
        named = opposed.add({OWN: Direction(0.9, 0.9), stranger: against})
    assert len(opposed._rounds) == MOST_PEERS
    assert named == {LAST}


def test_of_audits_the_last_disputes_and_silences_are_remembered() -> None:
    record, named = AuditRecord(), frozenset[bytes]()
    for stranger in STRANGERS:
        named = record.disputed(b"reducer", [stranger.to_bytes()])
        record.silent(stranger.to_bytes())
    assert named == {b"reducer"}, "it disputes everybody's parts"
    assert len(record._disputes) == len(record._silences) == MOST_PEERS
    assert len(record._disputes[b"reducer"]) == MOST_DISPUTES + 1
    assert [record.silent(LAST.to_bytes()) for _ in range(MOST_SILENCES)] == [False] * (MOST_SILENCES - 1) + [True]


def test_an_averager_doubts_the_last_reducers_that_it_did_not_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DecentralizedAverager, "__init__", lambda *_, **__: None)
    monkeypatch.setattr(DecentralizedAverager, "__del__", lambda _: None)
    averager = AveragerProcess(last_exchange=shared_seconds(), aggregator=GradientAggregator(AggregationRule()))
    deadlines = AnswerDeadlines(len(STRANGERS), 1.0, averager._doubted)

    async def reach_nobody() -> None:
        for stranger in STRANGERS:
            with contextlib.suppress(ControlFailure):
                async with deadlines.of(stranger):
                    raise ControlFailure("no way to it")

    asyncio.run(reach_nobody())
    assert [*averager._doubted] == STRANGERS[-MOST_PEERS:]
