"""The receipts for this computer's samples, in a file of their own: the latest of each run, signer and key."""

from __future__ import annotations

import logging
from pathlib import Path

from core.client.session import Session
from core.files.json_file import JsonFile
from core.protocol.events import ReceiptSeen
from core.run.receipt_file import MAX_FILE_BYTES, MOST_KEPT, KeptReceipt, ReceiptFile

_log = logging.getLogger(__name__)


class ReceiptBook:
    """Keeps receipts as sessions tell of them; a damaged file is quarantined, and nothing here raises.

    What could not be written is remembered until the program ends, and written with the next receipt.
    """

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[ReceiptFile] = JsonFile(path, ReceiptFile, max_bytes=MAX_FILE_BYTES)
        kept = self._file.load() or ReceiptFile()
        self._receipts = {(each.run_id, each.signer, each.key): each for each in kept.receipts}
        self._seen: tuple[ReceiptSeen, ...] = ()

    @property
    def aside(self) -> Path | None:
        """Where a file that was damaged has been put."""
        return self._file.quarantined

    def all(self) -> tuple[KeptReceipt, ...]:
        """All receipts, in the order in which they came."""
        return tuple(self._receipts.values())

    def record(self, session: Session) -> None:
        """Keep what is new in a session; an older receipt never takes the place of one for more samples."""
        if session.receipts is self._seen:
            return
        self._seen = session.receipts
        before = dict(self._receipts)
        for seen in session.receipts:
            place = (seen.run_id, seen.signer, seen.key)
            known = self._receipts.pop(place, None)
            self._receipts[place] = _kept(seen) if known is None or known.samples < seen.samples else known
        for place in list(self._receipts)[: max(0, len(self._receipts) - MOST_KEPT)]:
            del self._receipts[place]
        if self._receipts != before:
            self._file.save(ReceiptFile(receipts=self.all()))


def _kept(seen: ReceiptSeen) -> KeptReceipt:
    return KeptReceipt(
        run_id=seen.run_id,
        signer=seen.signer,
        key=seen.key,
        samples=seen.samples,
        epoch=seen.epoch,
        record=seen.record,
    )
