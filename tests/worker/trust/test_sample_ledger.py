"""What an organiser signs for: the highest believed report of each key in each epoch, within bounds."""

from __future__ import annotations

from pathlib import Path
from time import time

import pytest
from hivemind.dht import DHT
from hivemind.p2p import PeerID

from core.run.signed_receipts import MOST_RECEIPTS, SampleReceipt, SampleReceipts, key_hash, sign_receipts
from core.security.identity import Identity
from core.worker.swarm.dht.peer_values import dht_key
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.dht.receipts import DHT_KIND, receipts_for
from core.worker.swarm.trust.sample_ledger import MOST_KEYS, SampleLedger

ANNA, BEN = b"[owner:anna]", b"[owner:ben]"
TARGET = 1000


def report(epoch: int, samples: int) -> PeerReport:
    """Of somebody."""
    return PeerReport(PeerID(b"x" * 38), epoch, samples, 10.0, 1.8e9, client_mode=False)


def sums(ledger: SampleLedger) -> dict[bytes, tuple[int, int]]:
    """Samples and last epoch by key."""
    return {each.key: (each.samples, each.epoch) for each in ledger.receipts().receipts}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "receipts-run.json"


def test_the_highest_report_of_each_epoch_counts_once_the_epoch_is_over(path: Path) -> None:
    ledger = SampleLedger("run", TARGET, path)
    for epoch, samples in ((1, 10), (1, 300), (1, 20), (2, 50)):
        ledger.see({ANNA: report(epoch, samples)})
    assert sums(ledger) == {key_hash(ANNA): (300, 1)}
    assert ledger.see({BEN: report(2, 7)}) is False  # Anna has gone
    assert sums(ledger) == {key_hash(ANNA): (350, 2)}


def test_a_boast_is_worth_no_more_than_all_that_a_run_gives_to_an_epoch(path: Path) -> None:
    ledger = SampleLedger("run", TARGET, path)
    for epoch in (1, 2, 3):
        ledger.see({ANNA: report(epoch, 2**40)})
    assert sums(ledger) == {key_hash(ANNA): (2 * TARGET, 2)}


def test_a_restart_and_a_run_that_goes_back_count_nothing_twice(path: Path) -> None:
    for _ in range(2):
        ledger = SampleLedger("run", TARGET, path)
        for epoch in (1, 2, 3):
            ledger.see({ANNA: report(epoch, 100)})
        ledger.save()
    assert sums(SampleLedger("run", TARGET, path)) == {key_hash(ANNA): (200, 2)}


def test_a_damaged_file_and_very_many_keys_are_borne(path: Path) -> None:
    path.write_text('{"zz": [1, 2]}')
    ledger = SampleLedger("run", TARGET, path)
    for epoch in (1, 2):
        ledger.see({b"key %d" % number: report(epoch, 1 + number % 900) for number in range(MOST_KEYS + 100)})
    ledger.save()
    assert len(ledger.receipts().receipts) == MOST_RECEIPTS
    assert SampleLedger("run", TARGET, path).receipts().receipts == ledger.receipts().receipts


@pytest.mark.real
@pytest.mark.usefixtures("patient_reads")
def test_of_what_lies_in_the_dht_only_a_signers_receipt_for_our_own_key_is_taken() -> None:
    organiser, stranger = Identity.create(), Identity.create()
    dht, key = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True), dht_key("run", DHT_KIND)

    def record(subkey: bytes, samples: int, by: Identity) -> bytes:
        return sign_receipts(
            SampleReceipts(run_id="run", at=1.8e9, receipts=(SampleReceipt(key_hash(subkey), samples, 3),)), by
        )

    try:
        signers = (organiser.peer_id,)
        for value in (record(BEN, 5, organiser), record(ANNA, 9, stranger), b"\xff" * 5000):
            assert dht.store(key, subkey=organiser.peer_id, value=value, expiration_time=time() + 60 + len(value))
            assert list(receipts_for(dht, "run", signers, ANNA)) == []
        mine = record(ANNA, 7, organiser)
        assert dht.store(key, subkey=stranger.peer_id, value=mine, expiration_time=time() + 90)
        assert list(receipts_for(dht, "run", signers, ANNA)) == []
        assert dht.store(key, subkey=organiser.peer_id, value=mine, expiration_time=time() + 9000)
        [seen] = receipts_for(dht, "run", signers, ANNA)
        assert (seen.signer, seen.samples, seen.record) == (organiser.peer_id, 7, mine)
    finally:
        dht.shutdown()
