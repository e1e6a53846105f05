"""The cache of reachability tests, network by network, so that the next start need not wait for one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from core.files.newest_entries import NewestEntries
from core.schema import StrictStruct

KEPT_NETWORKS = 50
KEPT_SECONDS = 7 * 24 * 3600.0


class CachedReachability(StrictStruct, frozen=True):
    """A result: the multiaddr at which others reached us, empty if they could not, and when (seconds since 1970)."""

    address: Annotated[str, Meta(max_length=200)]
    at: float


class ReachabilityCache:
    """A small file of results. It only saves time, so a disk that refuses it stops nothing."""

    def __init__(self, path: Path) -> None:
        self._results = NewestEntries(path, CachedReachability, most=KEPT_NETWORKS, seconds=KEPT_SECONDS)

    def recall(self, network: str, port: int) -> CachedReachability | None:
        """The result for that port in that network, if it is not older than KEPT_SECONDS."""
        return self._results.recall(f"{network}/{port}")

    def remember(self, network: str, port: int, address: str) -> None:
        """Keep a result for that port in that network, and forget the oldest ones."""
        self._results.remember(f"{network}/{port}", CachedReachability(address, time.time()))
