"""Everybody counts what it has seen of others; what all have seen together names nobody by one word alone."""

from __future__ import annotations

from core.protocol.events import RoundFinished
from core.protocol.peers import Suspect
from core.worker.swarm.dht.run_records import (
    MAX_NORMS,
    MAX_SUSPECTS,
    NormRecord,
    NormsRecord,
    SuspectRecord,
    SuspectsRecord,
)
from core.worker.swarm.trust.suspects import SuspectLedger, norm_ratios_in, suspects_in


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


def round_of(**ratios: float) -> RoundFinished:
    """A round in which these sent so many times what is usual."""
    return RoundFinished(epoch=1, kind="changes", ok=True, peers=3, seconds=1.0, norm_ratios=tuple(ratios.items()))


def norms(**ratios: float) -> NormsRecord:
    """What some reducer publishes after one round."""
    return NormsRecord(norms=[NormRecord(peer_id=peer, ratio=ratio, rounds=1) for peer, ratio in ratios.items()])


def test_the_median_norm_of_the_last_rounds_is_told_of_everybody_but_oneself() -> None:
    ledger = SuspectLedger()
    for ratio in (900.0, 1.5, 1.25):
        ledger.add_round(round_of(fast=ratio, me=1.0))
    (told,) = ledger.norms(but="me").norms
    assert (told.peer_id, told.ratio, told.rounds) == ("fast", 1.5, 3)
    for _ in range(20):
        ledger.add_round(round_of(fast=0.5))
    (told,) = ledger.norms(but="me").norms
    assert (told.ratio, told.rounds) == (0.5, 20)


def test_of_many_norms_the_most_unusual_are_told_and_absurd_ones_within_bounds() -> None:
    ledger = SuspectLedger()
    for number in range(3000):
        ledger.add_round(round_of(**{f"{number:064}": 1.0}))
    ledger.add_round(round_of(large=1e30, nothing=0.0))
    told = ledger.norms()
    assert len(ledger._norms) <= 1000 and len(told.norms) == MAX_NORMS
    assert {each.peer_id for each in told.norms} >= {"large", "nothing"}
    assert len(told.json()) < 4096


def test_what_reducers_have_measured_is_put_together_by_the_median_of_those_who_report_progress() -> None:
    measured = {b"a": norms(peer=1.0), b"b": norms(peer=1.2), b"liar": norms(peer=9e5), b"nobody": norms(peer=1e-4)}
    assert norm_ratios_in(measured, [b"a", b"b", b"liar", b"elsewhere"]) == {"peer": 1.2}
