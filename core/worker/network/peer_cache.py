"""The bootstrap peer cache: addresses that have answered, to find a run again without its first peer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import msgspec

from core.files.atomic import write_atomically
from core.files.folders import DataFolder

MAX_ADDRESSES = 16  # of one run

log = logging.getLogger(__name__)


class PeerCache:
    """Multiaddrs of the peers of one run, the latest first; kept in a small file where ``path`` names one.

    What cannot be read or written is forgotten: the pasted address is always there, too.
    """

    def __init__(self, addresses: Sequence[str] = (), path: Path | None = None, run_id: str | None = None) -> None:
        self._path, self._run_id = path, run_id
        self.addresses = _latest(addresses, ())

    @classmethod
    def load(cls, pasted: Sequence[str], home: Path, run_id: str | None = None) -> PeerCache:
        """The pasted addresses, and those kept in ``home`` of the run that they name, if they name one."""
        cache = cls(pasted, DataFolder(home).peer_cache_file)
        if run_id:
            cache.choose_run(run_id)
        return cache

    def choose_run(self, run_id: str) -> None:
        """Add what is kept of that run, and keep under its id what is added from now on."""
        self._run_id = run_id
        if self._path is not None:
            self.addresses = _latest(self.addresses, _read(self._path).get(run_id, ()))

    def add(self, addresses: Sequence[str]) -> None:
        """Put addresses that have just answered before all others."""
        latest = _latest(addresses, self.addresses)
        has_changed = set(latest) != set(self.addresses)
        self.addresses = latest
        if has_changed and self._path is not None and self._run_id:
            self._write(self._path, self._run_id)

    def _write(self, path: Path, run_id: str) -> None:
        try:
            write_atomically(path, msgspec.json.encode(_read(path) | {run_id: self.addresses}))
        except OSError:
            log.warning("%s cannot be written", path)


def _read(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[str, ...]])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}


def _latest(first: Sequence[str], then: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *then]))[:MAX_ADDRESSES]
