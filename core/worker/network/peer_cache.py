"""The bootstrap peer cache: addresses that have answered, to find a run again without its first peer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.files.folders import DataFolder
from core.files.json_file import JsonFile

MAX_ADDRESSES = 16  # of one run

_CacheFile = JsonFile[dict[str, tuple[str, ...]]]


class PeerCache:
    """Multiaddrs of the peers of one run, the latest first; kept in ``file`` for the next worker, if it is given.

    What cannot be read or written is forgotten: the pasted address is always there, too.
    """

    def __init__(self, addresses: Sequence[str] = (), file: _CacheFile | None = None) -> None:
        self._file, self._run_id = file, ""
        self.addresses = _latest(addresses, ())

    @classmethod
    def load(cls, pasted: Sequence[str], home: Path, run_id: str | None = None) -> PeerCache:
        """The pasted addresses, and those kept in ``home`` of the run that they name, if they name one."""
        cache = cls(pasted, JsonFile(DataFolder(home).peer_cache_file, dict[str, tuple[str, ...]]))
        if run_id:
            cache.choose_run(run_id)
        return cache

    def choose_run(self, run_id: str) -> None:
        """Add what is kept of that run, and keep under its id what is added from now on."""
        self._run_id = run_id
        if self._file is not None:
            self.addresses = _latest(self.addresses, (self._file.load() or {}).get(run_id, ()))

    def add(self, addresses: Sequence[str]) -> None:
        """Put addresses that have just answered before all others."""
        latest = _latest(addresses, self.addresses)
        has_changed = set(latest) != set(self.addresses)
        self.addresses = latest
        if has_changed and self._file is not None and self._run_id:
            self._file.save((self._file.load() or {}) | {self._run_id: latest})


def _latest(first: Sequence[str], then: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *then]))[:MAX_ADDRESSES]
