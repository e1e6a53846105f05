"""Receipts come from signers and from files that strangers hand over: nothing becomes one that nobody has signed."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.run.receipt_file import ReceiptFile, decode_receipts, verify_receipt
from core.run.signed_receipts import receipts_in
from tests.core.run.test_receipts import MINE, MINE_KEPT, ORGANISER, RECORD, THEIRS
from tests.support.hypothesis_profile import damaged, tried


@tried(200)
@given(some.binary(max_size=200))
def test_no_bytes_are_too_much_for_a_record_or_a_file(encoded: bytes) -> None:
    assert receipts_in(encoded, ORGANISER.peer_id, "run") is None
    with pytest.raises(ValueError, match="not a file of receipts"):
        decode_receipts(encoded)


@tried(100)
@given(damaged(msgspec.json.encode(ReceiptFile(receipts=(MINE_KEPT,)))))
def test_no_damage_to_a_file_makes_another_receipt_of_one(encoded: bytes) -> None:
    try:
        [receipt] = decode_receipts(encoded)
    except ValueError:
        return
    said = verify_receipt(receipt)
    assert said.error or (said.key, said.samples, said.epoch) in ((MINE.hex(), 500, 7), (THEIRS.hex(), 900, 8))


@tried(200)
@given(damaged(RECORD))
def test_no_damage_to_a_signed_record_goes_unnoticed(encoded: bytes) -> None:
    assert receipts_in(encoded, ORGANISER.peer_id, "run") is None or encoded == RECORD
