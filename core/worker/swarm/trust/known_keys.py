"""Which keys have reported progress beside ours, and for how long: keys cost nothing, and time does.

Whoever was there before a claim has some weight in whether it is agreed; a crowd that comes with the claim, as in a
Sybil attack, has none.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from msgspec import Meta

from core.files.json_file import JsonFile
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.trust.epoch_claims import Subkey

MAX_WEIGHT = 30  # periods, after which a key has its whole weight
MAX_KEYS = 512  # that are remembered: those of most weight
LONGEST_PERIOD_SECONDS = 60.0

Weights = dict[Annotated[str, Meta(max_length=32)], Annotated[int, Meta(ge=1, le=MAX_WEIGHT)]]


class KnownKeys:
    """The weight of each key: in how many periods it has reported progress, each an epoch of ours or a minute of it.

    They are kept in a ``file`` for the next start, if there is one.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = None if file is None else JsonFile[Weights](file, Weights)
        self._weights: Weights = (self._file.load() if self._file is not None else None) or {}
        self._seen = frozenset[str]()
        self._epoch, self._began = -1, time.monotonic()

    @classmethod
    def of_run(cls, folder: Path, run_id: str) -> KnownKeys:
        """Those of that run that are remembered in the folder of this peer."""
        return cls(folder / "known" / f"{quote(run_id, safe='')}.json")

    def see(self, subkeys: Iterable[Subkey], epoch: int) -> None:
        """These report progress at the moment, while we are in that epoch; our own is not among them."""
        now = time.monotonic()
        if epoch != self._epoch or now - self._began > LONGEST_PERIOD_SECONDS:
            self._epoch, self._began = epoch, now
            self._count(self._seen)
            self._seen = frozenset()
        self._seen |= frozenset(map(_name, subkeys))

    def _count(self, names: Iterable[str]) -> None:
        """A period is over in which these were there."""
        before = dict(self._weights)
        for name in names:
            self._weights[name] = min(MAX_WEIGHT, self._weights.get(name, 0) + 1)
        if len(self._weights) > MAX_KEYS:
            heaviest = sorted(self._weights, key=self._weights.__getitem__, reverse=True)[:MAX_KEYS]
            self._weights = {name: self._weights[name] for name in heaviest}
        if self._file is not None and self._weights != before:
            self._file.save(self._weights)

    def agreed_share(self, reports: Mapping[Subkey, PeerReport], epoch: int, *, is_newcomer: bool) -> float:
        """The share of the weight of these keys of those who have come to that epoch; 0 where none has any.

        All weigh the same where we have never known anybody, and for a newcomer, who has no state of its own to stay
        with, where nobody is there whom we have known. Then nobody at all is no objection.
        """
        weights = {subkey: self._weights.get(_name(subkey), 0) for subkey in reports}
        if not any(weights.values()) and (is_newcomer or not self._weights):
            if not reports:
                return 1.0
            weights = dict.fromkeys(reports, 1)
        agreed = sum(weight for subkey, weight in weights.items() if reports[subkey].epoch >= epoch)
        return agreed / max(1, sum(weights.values()))


def _name(subkey: Subkey) -> str:
    return hashlib.blake2b(subkey, digest_size=16).hexdigest()
