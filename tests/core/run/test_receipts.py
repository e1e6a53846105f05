"""A receipt holds for one key, one run and one signer; a forged, altered or foreign one is refused, whatever it is."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from core.client import reducer
from core.client.session import KEPT_RECEIPTS, Session
from core.files.folders import Folders
from core.files.locks import try_lock
from core.protocol.events import ReceiptSeen
from core.records.erase import erase_user_data
from core.records.receipts import ReceiptBook
from core.run.receipt_file import MOST_KEPT, KeptReceipt, ReceiptFile, read_receipts, verify_receipt
from core.run.signed_receipts import (
    MAX_RECEIPTS_BYTES,
    MAX_SAMPLES,
    MOST_RECEIPTS,
    SampleReceipt,
    SampleReceipts,
    key_hash,
    receipts_in,
    sign_receipts,
)
from core.run.signed_scores import EvaluationHistory, sign_scores
from core.security.identity import Identity
from tests.support.cli_process import workerbee

ORGANISER, STRANGER = Identity.create(), Identity.create()
MINE, THEIRS = key_hash(b"my key"), key_hash(b"another's key")
SIGNED = SampleReceipts(run_id="run", at=1.8e9, receipts=(SampleReceipt(MINE, 500, 7), SampleReceipt(THEIRS, 900, 8)))
RECORD = sign_receipts(SIGNED, ORGANISER)
MINE_KEPT = KeptReceipt(run_id="run", signer=ORGANISER.peer_id, key=MINE.hex(), samples=500, epoch=7, record=RECORD)


def changed(**fields: object) -> KeptReceipt:
    """My receipt, altered."""
    return msgspec.structs.replace(MINE_KEPT, **fields)


def seen(samples: int, signer: str = ORGANISER.peer_id) -> ReceiptSeen:
    """As a worker tells of it."""
    return ReceiptSeen(run_id="run", signer=signer, key=MINE.hex(), samples=samples, epoch=7, record=RECORD)


def test_what_the_organiser_has_signed_for_a_key_is_read() -> None:
    read = receipts_in(RECORD, ORGANISER.peer_id, "run")
    assert read == SIGNED and read.of(MINE) == SampleReceipt(MINE, 500, 7) and read.of(key_hash(b"")) is None
    assert verify_receipt(MINE_KEPT).error == verify_receipt(MINE_KEPT, MINE.hex()).error == ""


@pytest.mark.parametrize(
    ("receipt", "error"),
    [
        (changed(samples=501), "its figures"),
        (changed(epoch=9), "its figures"),
        (changed(key=THEIRS.hex()), "its figures"),
        (changed(key="0" * 32), "its key is not among"),
        (changed(run_id="another"), "its signature"),
        (changed(signer=STRANGER.peer_id), "its signature"),
        (changed(signer="nobody"), "its signature"),
        (changed(record=sign_receipts(SIGNED, STRANGER)), "its signature"),
        (changed(record=RECORD[:-1] + bytes([RECORD[-1] ^ 1])), "its signature"),
        (changed(record=sign_scores(EvaluationHistory("run"), ORGANISER)), "its signature"),
    ],
)
def test_a_forged_or_altered_receipt_is_refused(receipt: KeptReceipt, error: str) -> None:
    assert verify_receipt(receipt).error.startswith(error)


def test_a_receipt_for_another_key_is_refused_where_one_is_named() -> None:
    theirs = changed(key=THEIRS.hex(), samples=900, epoch=8)
    assert verify_receipt(theirs).error == ""
    assert verify_receipt(theirs, MINE.hex()).error == "it is for another key"


def test_a_full_record_is_small_enough_to_be_read_and_a_longer_one_is_nothing() -> None:
    full = tuple(SampleReceipt(key_hash(bytes([n])), MAX_SAMPLES, 2**31) for n in range(MOST_RECEIPTS))
    record = sign_receipts(SampleReceipts(run_id="r" * 64, at=1.8e9, receipts=full), ORGANISER)
    assert len(record) <= MAX_RECEIPTS_BYTES
    assert receipts_in(record, ORGANISER.peer_id, "r" * 64) is not None
    more = SampleReceipts(run_id="run", at=1.8e9, receipts=(*full, full[0]))
    assert receipts_in(sign_receipts(more, ORGANISER), ORGANISER.peer_id, "run") is None


def test_receipts_are_kept_exported_and_verified_on_the_command_line(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path / "home")
    book = ReceiptBook(folders.contents.receipts_file)
    book.record(reducer.reduce(Session(), seen(500)))
    assert ReceiptBook(folders.contents.receipts_file).all() == (MINE_KEPT,)
    assert workerbee(tmp_path, "receipts", "export", "mine.json").code == 0
    assert read_receipts(tmp_path / "mine.json") == (MINE_KEPT,)
    good = workerbee(tmp_path, "receipts", "verify", "mine.json", "--key", MINE.hex())
    assert good.code == 0 and f"holds: key {MINE.hex()}: 500 samples up to epoch 7 of run" in good.out, good
    (tmp_path / "forged.json").write_bytes(msgspec.json.encode(ReceiptFile(receipts=(MINE_KEPT, changed(samples=501)))))
    bad = workerbee(tmp_path, "receipts", "verify", "forged.json", "--json")
    errors = [said["error"] for said in map(json.loads, bad.out.splitlines()) if said["event"] == "receipt_verified"]
    assert bad.code == 6 and errors == ["", "its figures are not those that were signed"]
    (tmp_path / "none.json").write_text("[]")
    none = workerbee(tmp_path, "receipts", "verify", "none.json")
    assert none.code == 2 and "not a file of receipts" in none.err and "Traceback" not in none.err


def test_the_latest_receipt_of_each_signer_is_kept_and_a_lesser_one_takes_no_place(tmp_path: Path) -> None:
    session, book = Session(), ReceiptBook(tmp_path / "receipts.json")
    for event in (seen(500), seen(700), seen(600, STRANGER.peer_id)):
        session = reducer.reduce(session, event)
        book.record(session)
    assert [each.samples for each in book.all()] == [700, 600]
    book.record(reducer.reduce(Session(), seen(10)))
    assert sorted(each.samples for each in ReceiptBook(tmp_path / "receipts.json").all()) == [600, 700]
    for number in range(2 * KEPT_RECEIPTS):
        session = reducer.reduce(session, seen(1, f"signer-{number}"))
    assert len(session.receipts) == KEPT_RECEIPTS


def test_what_two_programs_keep_at_once_stays_and_the_most_samples_of_both(tmp_path: Path) -> None:
    path = tmp_path / "receipts.json"
    window, service = ReceiptBook(path), ReceiptBook(path)
    theirs = reducer.reduce(Session(), seen(900, STRANGER.peer_id))
    window.record(reducer.reduce(Session(), seen(500)))
    service.record(theirs)
    window.record(reducer.reduce(Session(), seen(700)))
    service.record(reducer.reduce(theirs, seen(600)))
    for book in (ReceiptBook(path), service):
        assert {each.signer: each.samples for each in book.all()} == {ORGANISER.peer_id: 700, STRANGER.peer_id: 900}


def test_a_full_file_keeps_the_newest_of_either_program(tmp_path: Path) -> None:
    full = tuple(changed(signer=f"signer-{number}") for number in range(MOST_KEPT))
    path = tmp_path / "receipts.json"
    path.write_bytes(msgspec.json.encode(ReceiptFile(receipts=full)))
    window, service = ReceiptBook(path), ReceiptBook(path)
    service.record(reducer.reduce(Session(), seen(1, STRANGER.peer_id)))
    window.record(reducer.reduce(Session(), seen(1)))
    kept = [each.signer for each in ReceiptBook(path).all()]
    assert kept == [*(each.signer for each in full[2:]), STRANGER.peer_id, ORGANISER.peer_id]


def test_a_receipt_that_comes_while_another_program_writes_is_written_next_time(tmp_path: Path) -> None:
    path = tmp_path / "receipts.json"
    book, session = ReceiptBook(path), reducer.reduce(Session(), seen(500))
    locked = try_lock(path.with_suffix(".lock"))
    assert locked is not None
    with locked:
        book.record(session)
        assert book.all() == (MINE_KEPT,) and not path.exists()
    book.record(session)
    assert ReceiptBook(path).all() == (MINE_KEPT,)


def test_a_receipt_that_the_disk_refuses_is_written_with_the_next(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    book, session = ReceiptBook(tmp_path / "data" / "receipts.json"), reducer.reduce(Session(), seen(500))
    book.record(session)
    assert book.all() == (MINE_KEPT,)
    (tmp_path / "data").unlink()
    book.record(reducer.reduce(session, seen(600, STRANGER.peer_id)))
    assert [each.samples for each in ReceiptBook(tmp_path / "data" / "receipts.json").all()] == [500, 600]


def test_a_damaged_file_is_put_aside_and_erasing_the_history_takes_receipts_along(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path)
    folders.contents.receipts_file.parent.mkdir(parents=True)
    folders.contents.receipts_file.write_text("{")
    book = ReceiptBook(folders.contents.receipts_file)
    assert book.aside is not None and book.all() == ()
    book.record(reducer.reduce(Session(), seen(500)))
    erase_user_data(folders, {"history"})
    assert not folders.contents.receipts_file.exists()
