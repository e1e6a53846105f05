"""Addresses of peers of a run that have answered, so that we find the run again without its first peer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import msgspec

from core.files.atomic import write_atomically
from core.files.folders import DataFolder

MOST = 16  # of one run

log = logging.getLogger(__name__)


class PeerCache:
    """Those of one run, the latest first; kept in a small file where there is one.

    What cannot be read or written is forgotten: the pasted address is always there, too.
    """

    def __init__(self, run_id: str, addresses: Sequence[str] = (), home: Path | None = None) -> None:
        self._run_id, self._path = run_id, home and DataFolder(home).peer_cache_file
        self.addresses = _latest(addresses, remembered(home, run_id) if home else ())

    def meet(self, addresses: Sequence[str]) -> None:
        """They answer right now."""
        latest = _latest(addresses, self.addresses)
        if set(latest) != set(self.addresses) and self._path is not None:
            self._write(self._path, latest)
        self.addresses = latest

    def _write(self, path: Path, addresses: tuple[str, ...]) -> None:
        try:
            write_atomically(path, msgspec.json.encode(_read(path) | {self._run_id: addresses}))
        except OSError:
            log.warning("%s cannot be written", path)


def remembered(home: Path, run_id: str | None) -> tuple[str, ...]:
    """Who has answered in that run before; nobody where no run is named."""
    return _read(DataFolder(home).peer_cache_file).get(run_id, ()) if run_id else ()


def _read(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[str, ...]])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _latest(first: Sequence[str], then: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *then]))[:MOST]
