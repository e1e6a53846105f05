"""Addresses of peers of a run that have answered, so that we find the run again without its first peer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.files.folders import DataFolder
from core.files.json_file import JsonFile

MOST = 16  # of one run


class PeerCache:
    """Those of one run, the latest first; kept in a small file where there is one.

    What cannot be read or written is forgotten: the pasted address is always there, too.
    """

    def __init__(self, run_id: str, addresses: Sequence[str] = (), home: Path | None = None) -> None:
        self._run_id, self._file = run_id, _file_in(home) if home else None
        self.addresses = _latest(addresses, remembered(home, run_id) if home else ())

    def meet(self, addresses: Sequence[str]) -> None:
        """They answer right now."""
        latest = _latest(addresses, self.addresses)
        if set(latest) != set(self.addresses) and self._file is not None:
            self._file.save((self._file.load() or {}) | {self._run_id: latest})
        self.addresses = latest


def remembered(home: Path, run_id: str | None) -> tuple[str, ...]:
    """Who has answered in that run before; nobody where no run is named."""
    return (_file_in(home).load() or {}).get(run_id, ()) if run_id else ()


def _file_in(home: Path) -> JsonFile[dict[str, tuple[str, ...]]]:
    return JsonFile(DataFolder(home).peer_cache_file, dict[str, tuple[str, ...]])


def _latest(first: Sequence[str], then: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *then]))[:MOST]
