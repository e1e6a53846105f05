"""How fast the line was when it was last measured, network by network, for the next start to begin with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from core.files.folders import DataFolder
from core.files.newest_entries import NewestEntries
from core.protocol.events import LineMeasured
from core.schema import StrictStruct
from core.worker.network.local_network import detect_local_network

KEPT_NETWORKS = 50
KEPT_SECONDS = 90 * 24 * 3600.0

Direction: TypeAlias = Literal["upload", "download"]
DIRECTIONS: tuple[Direction, ...] = ("upload", "download")


class MeasuredSpeed(StrictStruct, frozen=True):
    """The speed that was measured, and when (seconds since 1970)."""

    bits_per_second: Annotated[float, Meta(gt=0, le=1e12)]
    at: float


class LineMemory:
    """What is known of the line in the network through which those multiaddrs are reached, wherever that is now.

    It is kept in two files of that ``folder``; without one it holds nothing.
    """

    def __init__(self, folder: DataFolder | None = None, addresses: Sequence[str] = ()) -> None:
        self._addresses = addresses
        files = {"upload": folder.uploads_file, "download": folder.downloads_file} if folder else {}
        self._lines = {
            direction: NewestEntries(path, MeasuredSpeed, most=KEPT_NETWORKS, seconds=KEPT_SECONDS)
            for direction, path in files.items()
        }

    def recall(self, direction: Direction) -> LineMeasured | None:
        """What was last measured here, if it is not older than KEPT_SECONDS."""
        known = self._lines[direction].recall(self._network) if self._lines else None
        return None if known is None else _told(direction, known)

    def remember(self, direction: Direction, bits_per_second: float) -> LineMeasured:
        """Keep what has just been measured here."""
        measured = MeasuredSpeed(bits_per_second, time.time())
        if self._lines:
            self._lines[direction].remember(self._network, measured)
        return _told(direction, measured)

    @property
    def _network(self) -> str:
        return detect_local_network(self._addresses).network


def _told(direction: Direction, speed: MeasuredSpeed) -> LineMeasured:
    return LineMeasured(direction=direction, bits_per_second=speed.bits_per_second, at=speed.at)
