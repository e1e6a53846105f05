"""How fast the line uploaded when it was last measured, network by network, for the next start to begin with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from core.files.newest_entries import NewestEntries
from core.schema import StrictStruct
from core.worker.network.local_network import detect_local_network

KEPT_NETWORKS = 50
KEPT_SECONDS = 90 * 24 * 3600.0


class MeasuredUpload(StrictStruct, frozen=True):
    """The speed that was measured, and when (seconds since 1970)."""

    bits_per_second: Annotated[float, Meta(gt=0, le=1e12)]
    at: float


class UploadMemory:
    """What is known of the line in the network through which those multiaddrs are reached, wherever that is now.

    It is kept in the file at ``path``; without one it holds nothing.
    """

    def __init__(self, path: Path | None = None, addresses: Sequence[str] = ()) -> None:
        self._addresses = addresses
        self._lines = path and NewestEntries(path, MeasuredUpload, most=KEPT_NETWORKS, seconds=KEPT_SECONDS)

    def recall(self) -> MeasuredUpload | None:
        """What was last measured here, if it is not older than KEPT_SECONDS."""
        return self._lines.recall(self._network) if self._lines else None

    def remember(self, bits_per_second: float) -> MeasuredUpload:
        """Keep what has just been measured here."""
        measured = MeasuredUpload(bits_per_second, time.time())
        if self._lines:
            self._lines.remember(self._network, measured)
        return measured

    @property
    def _network(self) -> str:
        return detect_local_network(self._addresses).network
