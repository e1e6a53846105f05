"""Files of receipts: kept for their owner, handed to an organiser, and verified without anybody's help.

``python -m core.run.receipt_file FILE [KEY]`` verifies one where signatures can be verified: in the engine.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.files.json_file import read_bounded
from core.run.signed_receipts import Epoch, KeyText, Record, Samples, receipts_in
from core.schema import UNREADABLE, StrictStruct

MOST_KEPT = 500
MAX_FILE_BYTES = 8 * 1024 * 1024  # more than so many records, as base64


class KeptReceipt(StrictStruct, kw_only=True, frozen=True):
    """A receipt for the peer with that ``key``, and the ``record`` that its signer, a peer id, has signed."""

    run_id: Annotated[str, Meta(min_length=1, max_length=64)]
    signer: Annotated[str, Meta(min_length=1, max_length=64)]
    key: KeyText
    samples: Samples
    epoch: Epoch
    record: Record


class ReceiptFile(StrictStruct, kw_only=True, frozen=True):
    """Receipts, the latest of each run, signer and key."""

    format: Literal[1] = 1
    receipts: Annotated[tuple[KeptReceipt, ...], Meta(max_length=MOST_KEPT)] = ()


class Verified(StrictStruct, kw_only=True, frozen=True):
    """What has become of one receipt; ``error`` is empty where its signer has signed just that."""

    run_id: str
    signer: str
    key: str
    samples: int
    epoch: int
    error: str = ""


def verify_receipt(receipt: KeptReceipt, key: str | None = None) -> Verified:
    """Whether its signer has signed just that; and for the peer with that ``key``, where one is given."""
    error = _error_of(receipt)
    if not error and key is not None and receipt.key != key:
        error = "it is for another key"
    return Verified(
        run_id=receipt.run_id,
        signer=receipt.signer,
        key=receipt.key,
        samples=receipt.samples,
        epoch=receipt.epoch,
        error=error,
    )


def read_receipts(path: Path) -> tuple[KeptReceipt, ...]:
    """The receipts in a file, not verified; raises OSError, and ValueError for what is no such file."""
    return decode_receipts(read_bounded(path, MAX_FILE_BYTES))


def decode_receipts(encoded: bytes) -> tuple[KeptReceipt, ...]:
    """The receipts in a file's bytes, not verified; raises ValueError for anything else."""
    try:
        return msgspec.json.decode(encoded, type=ReceiptFile).receipts
    except UNREADABLE as error:
        raise ValueError(f"not a file of receipts: {error}") from error


def _error_of(receipt: KeptReceipt) -> str:
    signed = receipts_in(receipt.record, receipt.signer, receipt.run_id)
    if signed is None:
        return "its signature does not hold"
    found = signed.of(bytes.fromhex(receipt.key))
    if found is None:
        return "its key is not among those that were signed for"
    if (found.samples, found.epoch) != (receipt.samples, receipt.epoch):
        return "its figures are not those that were signed"
    return ""


def main() -> int:
    """Print as JSON what has become of each receipt in the file; 1 for what is no such file."""
    path, *key = sys.argv[1:]
    try:
        verified = [verify_receipt(each, key[0] if key else None) for each in read_receipts(Path(path))]
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(verified))
    return 0


if __name__ == "__main__":
    sys.exit(main())
