"""The samples of each peer that an organiser or a keeper has seen reported and believes, epoch after epoch."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from core.files.json_file import JsonFile
from core.run.signed_receipts import (
    MAX_SAMPLES,
    MOST_RECEIPTS,
    Epoch,
    KeyText,
    SampleReceipt,
    SampleReceipts,
    Samples,
    key_hash,
)
from core.schema import StrictStruct
from core.worker.swarm.dht.progress_reports import PeerReport

MOST_KEYS = 4096  # keys cost nothing: of more than so many, those with the fewest samples are forgotten
_MAX_FILE_BYTES = 1024 * 1024

log = logging.getLogger(__name__)


class _Total(StrictStruct, frozen=True):
    samples: Samples
    epoch: Epoch


_Totals = Annotated[dict[KeyText, _Total], Meta(max_length=MOST_KEYS)]


class SampleLedger:
    """Adds up the highest report of each key in each epoch, and keeps the sums in a file for the next start.

    No key is believed more than ``most_per_epoch`` samples in one epoch, which is what the whole run gives to it.
    What a peer computes after its last report of an epoch is not seen, and so a sum is rather too low than too high.
    """

    def __init__(self, run_id: str, most_per_epoch: int, path: Path) -> None:
        self._run_id, self._most = run_id, most_per_epoch
        self._file: JsonFile[dict[str, _Total]] = JsonFile(path, _Totals, max_bytes=_MAX_FILE_BYTES)
        self._totals: dict[str, _Total] = self._file.load() or {}
        self._running: dict[str, _Total] = {}

    def see(self, reports: Mapping[bytes, PeerReport]) -> bool:
        """Take note of reports, by subkey, that are believed; whether an epoch has ended for somebody."""
        has_ended = False
        by_key = {key_hash(subkey).hex(): report for subkey, report in reports.items()}
        for key, report in by_key.items():
            samples = min(report.samples, self._most)
            if samples <= 0:
                continue
            running = self._running.get(key)
            if running is not None and report.epoch > running.epoch:
                self._add(key, running)
                has_ended = True
            if running is None or report.epoch > running.epoch or self._is_more(running, report.epoch, samples):
                self._running[key] = _Total(samples, report.epoch)
        self._forget_absent(by_key.keys())
        return has_ended

    def receipts(self) -> SampleReceipts:
        """The receipts of those with the most samples, as of now."""
        most = sorted(self._totals.items(), key=lambda each: -each[1].samples)[:MOST_RECEIPTS]
        receipts = (SampleReceipt(bytes.fromhex(key), total.samples, total.epoch) for key, total in most)
        return SampleReceipts(run_id=self._run_id, at=time.time(), receipts=tuple(receipts))

    def samples(self) -> dict[str, int]:
        """The sums of all keys, by their hashes in hexadecimal, as of now; may be called in any thread."""
        return {key: total.samples for key, total in self._totals.copy().items()}

    def save(self) -> None:
        """Keep the sums for the next start, as far as the disk lets us."""
        self._file.save(self._totals)

    @staticmethod
    def _is_more(running: _Total, epoch: int, samples: int) -> bool:
        return epoch == running.epoch and samples > running.samples

    def _add(self, key: str, ended: _Total) -> None:
        before = self._totals.get(key)
        if before is not None and before.epoch >= ended.epoch:
            return  # counted before a restart, or before the run went back
        self._totals[key] = _Total(min(ended.samples + (before.samples if before else 0), MAX_SAMPLES), ended.epoch)
        if len(self._totals) > MOST_KEYS:
            del self._totals[min(self._totals, key=lambda each: self._totals[each].samples)]

    def _forget_absent(self, present: Set[str]) -> None:
        """Count the last epoch of those who have gone."""
        for key in self._running.keys() - present:
            self._add(key, self._running.pop(key))
