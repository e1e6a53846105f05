"""What organiser and keepers find out is signed, read of nobody else, and obeyed by everybody."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import time
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from hivemind.dht import DHT, DHTNode
from hypothesis import given
from hypothesis import strategies as some

from core.protocol.events import RoundFinished
from core.protocol.peers import Suspect
from core.run.signed_findings import (
    BARRED_SECONDS,
    MOST_FOUND,
    AuditFindings,
    FoundLiar,
    TrialScore,
    findings_in,
    sign_findings,
)
from core.security.identity import Identity
from core.worker.swarm import FindingsLedger, FindingsPublisher, FindingsReader, suspects_in
from core.worker.swarm.dht.bounded_storage import bound_storage
from core.worker.swarm.dht.peer_values import dht_key
from core.worker.swarm.dht.run_records import SuspectRecord, SuspectsRecord
from core.worker.swarm.trust.findings import DHT_KIND

ORGANISER, KEEPER, STRANGER = (Identity.create() for _ in range(3))
LIAR = "12D3KooW" + "L" * 44


def findings(*liars: str, at: float = 1e9, trials: tuple[TrialScore, ...] = ()) -> AuditFindings:
    """Of the run, all of one moment."""
    found = tuple(FoundLiar(peer_id=liar, at=at) for liar in liars)
    return AuditFindings(run_id="run", at=at, liars=found, trials=trials)


def score(peer: str, **told: Any) -> TrialScore:
    """Of a peer that makes the loss worse."""
    harmful = TrialScore(peer_id=peer, tries=8, worse=7, change=0.01, is_harmful=True)
    return msgspec.structs.replace(harmful, **told)


def round_with(*liars: str) -> RoundFinished:
    """A round before which these were found out."""
    return RoundFinished(epoch=1, kind="changes", ok=True, peers=3, seconds=1.0, liars=liars)


def test_what_was_signed_is_read_also_a_full_record() -> None:
    peers = ["12D3KooW" + f"{number:044}" for number in range(MOST_FOUND)]
    full = findings(*peers, trials=tuple(score(peer, change=-1 / 3) for peer in peers))
    assert findings_in(sign_findings(full, KEEPER), KEEPER.peer_id, "run") == full


@pytest.mark.parametrize(
    "encoded",
    [
        sign_findings(findings(LIAR), STRANGER),
        sign_findings(msgspec.structs.replace(findings(LIAR), run_id="another"), KEEPER),
        sign_findings(findings(*[LIAR] * (MOST_FOUND + 1)), KEEPER),
        sign_findings(findings(trials=(score(LIAR, change=math.nan),)), KEEPER),
        sign_findings(findings(trials=(score("x" * 65),)), KEEPER),
    ],
    ids=["a stranger's", "of another run", "too many", "no number", "no peer id"],
)
def test_anything_else_is_nothing(encoded: bytes) -> None:
    assert findings_in(encoded, KEEPER.peer_id, "run") is None


@given(some.binary(max_size=200))
def test_no_bytes_are_too_much(encoded: bytes) -> None:
    assert findings_in(encoded, KEEPER.peer_id, "run") is None


def test_who_was_found_out_is_left_out_for_an_hour_and_not_from_a_far_future_on() -> None:
    found = findings(LIAR, at=1e9)
    assert found.barred(1e9 + 1) == found.barred(1e9 - 1) == {LIAR}
    assert not found.barred(1e9 + BARRED_SECONDS) and not found.barred(1e9 - BARRED_SECONDS)


def test_what_is_found_is_remembered_of_the_latest_only() -> None:
    ledger = FindingsLedger("run")
    assert not ledger.has_changed
    ledger.add_round(round_with())
    assert not ledger.has_changed
    for number in range(MOST_FOUND + 5):
        ledger.add_round(round_with(str(number)))
        ledger.add_trial(str(number), math.inf)
    assert ledger.has_changed
    found = ledger.findings()
    assert not ledger.has_changed
    assert len(found.liars) == len(found.trials) == MOST_FOUND and found.liars[-1].peer_id == str(MOST_FOUND + 4)


def test_whom_signers_have_found_out_comes_first_and_honest_scores_name_nobody() -> None:
    named = SuspectsRecord(suspects=[SuspectRecord(peer_id="named", rounds=3, states=0)])
    honest = score("honest", worse=0, change=-0.01, is_harmful=False)
    first, second = findings(LIAR, trials=(score("harmful"), honest)), findings(LIAR, trials=(score("harmful"),))
    assert suspects_in({b"peer": named}, [b"peer"], [first, second]) == (
        Suspect(peer_id=LIAR, named_by=0, rounds=0, refused_states=0, found_out=2),
        Suspect(peer_id="harmful", named_by=0, rounds=0, refused_states=0, tries=16, worse=14),
        Suspect(peer_id="named", named_by=1, rounds=3, refused_states=0),
    )


async def bound(_dht: DHT, node: DHTNode) -> None:
    """As a worker's node is."""
    bound_storage(node, {})


@contextmanager
def a_dht() -> Iterator[DHT]:
    """Of one node."""
    dht = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True)
    try:
        dht.run_coroutine(bound)
        yield dht
    finally:
        dht.shutdown()


def start_in_background(name: str, target: Any) -> None:
    """As the worker's supervisor does."""

    def until_the_dht_is_shut_down() -> None:
        with contextlib.suppress(OSError):
            target()

    threading.Thread(target=until_the_dht_is_shut_down, name=name, daemon=True).start()


@pytest.mark.real
def test_of_what_lies_in_the_dht_only_the_signers_are_believed_and_their_newest_word() -> None:
    with a_dht() as dht:
        keeper = cast(Any, SimpleNamespace(dht=dht, identity=KEEPER, peer_id=KEEPER.peer_id))
        ledger, reader = FindingsLedger("run"), FindingsReader(dht, "run")
        publisher = FindingsPublisher(keeper, ledger, "run")
        for subkey in (ORGANISER.peer_id, STRANGER.peer_id):
            forged = sign_findings(findings("honest", at=time()), STRANGER)
            assert dht.store(dht_key("run", DHT_KIND), subkey=subkey, value=forged, expiration_time=time() + 60)
        signers = (ORGANISER.peer_id, KEEPER.peer_id)
        assert not reader.poll(signers) and not reader.poll(())
        ledger.add_round(round_with(LIAR))
        publisher.publish(start_in_background)
        while not (read := reader.poll(signers)):
            pass  # on a busy computer the DHT may not answer in time
        assert [found.barred(time()) for found in read.values()] == [{LIAR}]
        assert not reader.poll((ORGANISER.peer_id,)), "a keeper that is one no longer"
