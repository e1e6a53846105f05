"""Everybody counts what it has seen of others; what all have seen together names nobody by one word alone."""

from __future__ import annotations

from core.protocol.events import RoundFinished
from core.protocol.peers import Suspect
from core.worker.swarm.dht.run_records import MAX_SUSPECTS, SuspectRecord, SuspectsRecord
from core.worker.swarm.trust.suspects import SuspectLedger, suspects_in


def round_with(*outliers: str) -> RoundFinished:
    """A round in which these were outliers."""
    return RoundFinished(epoch=1, kind="gradients", ok=True, peers=3, seconds=1.0, outliers=outliers)


def record(*suspects: tuple[str, int, int]) -> SuspectsRecord:
    """What some peer publishes."""
    return SuspectsRecord(
        suspects=[SuspectRecord(peer_id=peer, rounds=rounds, states=states) for peer, rounds, states in suspects]
    )


def test_rounds_and_refused_states_are_counted_for_each_peer() -> None:
    ledger = SuspectLedger()
    assert ledger.record().suspects == [] and not ledger.has_changed
    ledger.add_round(round_with())
    assert not ledger.has_changed
    for finished in (round_with("liar"), round_with("liar", "other")):
        ledger.add_round(finished)
    ledger.add_refused_state("donor")
    assert ledger.has_changed
    assert ledger.record() == record(("liar", 2, 0), ("other", 1, 0), ("donor", 0, 1))
    assert not ledger.has_changed


def test_whoever_takes_a_new_identity_for_every_lie_fills_neither_memory_nor_record() -> None:
    ledger = SuspectLedger()
    for _ in range(3):
        ledger.add_round(round_with("constant"))
    for number in range(5000):
        ledger.add_round(round_with(f"{number}"))
    assert len(ledger._rounds) <= 1000
    suspects = ledger.record().suspects
    assert len(suspects) == MAX_SUSPECTS and suspects[0].peer_id == "constant"
    assert len(ledger.record().json()) < 4096


def test_who_is_named_by_most_comes_first_and_only_who_reports_progress_has_a_word() -> None:
    records = {
        b"first": record(("liar", 3, 0), ("honest", 900, 0)),
        b"second": record(("liar", 2, 1)),
        b"nobody": record(("honest", 1000, 1000)),
    }
    assert suspects_in(records, [b"first", b"second", b"third"]) == (
        Suspect(peer_id="liar", named_by=2, rounds=5, refused_states=1),
        Suspect(peer_id="honest", named_by=1, rounds=900, refused_states=0),
    )


def test_a_record_that_names_somebody_twice_counts_once() -> None:
    (suspect,) = suspects_in({b"first": record(("honest", 5, 0), ("honest", 7, 0))}, [b"first"])
    assert suspect.named_by == 1 and suspect.rounds == 7
