"""The receipts for this computer's samples, in a file of their own: the latest of each run, signer and key."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from pathlib import Path

from core.client.session import Session
from core.errors import UserError
from core.files.json_file import JsonFile
from core.files.locks import try_lock
from core.protocol.events import ReceiptSeen
from core.run.receipt_file import MAX_FILE_BYTES, MOST_KEPT, KeptReceipt, ReceiptFile

_log = logging.getLogger(__name__)


_Receipts = dict[tuple[str, str, str], KeptReceipt]


class ReceiptBook:
    """Keeps receipts as sessions tell of them; a damaged file is quarantined, and nothing here raises.

    Several programs may keep theirs in the same file. What could not be written is remembered until the program ends,
    and written with the next receipt.
    """

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[ReceiptFile] = JsonFile(path, ReceiptFile, max_bytes=MAX_FILE_BYTES)
        self._written = _merged({}, (self._file.load() or ReceiptFile()).receipts)
        self._receipts = self._written
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
        self._receipts = _merged(self._receipts, map(_kept, session.receipts))
        new = [each for place, each in self._receipts.items() if self._written.get(place) != each]
        if not new or self._write(new):
            self._seen = session.receipts

    def _write(self, new: Collection[KeptReceipt]) -> bool:
        """Add these to what the file has by now; false where another program is doing so, and may be waited for."""
        try:
            locked = try_lock(self._file.path.with_suffix(".lock"))
        except UserError as error:
            _log.warning("receipts cannot be written: %s", error.detail)
            return True
        if locked is None:
            return False
        with locked:
            found = self._file.load()
            kept = self._receipts if found is None else _merged({}, found.receipts)
            self._receipts = _merged(kept, new)
            if self._file.save(ReceiptFile(receipts=self.all())):
                self._written = self._receipts
        return True


def _merged(receipts: _Receipts, new: Iterable[KeptReceipt]) -> _Receipts:
    """The receipts with those of the new ones that are for more samples at the end; the oldest are too many."""
    merged = dict(receipts)
    for each in new:
        place = (each.run_id, each.signer, each.key)
        known = merged.get(place)
        if known is None or known.samples < each.samples:
            merged.pop(place, None)
            merged[place] = each
    return dict(list(merged.items())[-MOST_KEPT:])


def _kept(seen: ReceiptSeen) -> KeptReceipt:
    return KeptReceipt(
        run_id=seen.run_id,
        signer=seen.signer,
        key=seen.key,
        samples=seen.samples,
        epoch=seen.epoch,
        record=seen.record,
    )
