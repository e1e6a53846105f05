"""Whether others reached this computer, network by network, so that the next start need not find out anew."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from core.files.json_file import JsonFile
from core.schema import StrictStruct

KEPT_NETWORKS = 50
KEPT_SECONDS = 7 * 24 * 3600.0


class Known(StrictStruct, frozen=True):
    """What was found there: the multiaddr at which others reached us, empty if they could not."""

    address: Annotated[str, Meta(max_length=200)]
    at: float


class KnownNetworks:
    """A small file. It only saves time, so a disk that refuses it stops nothing."""

    def __init__(self, path: Path) -> None:
        self._file: JsonFile[dict[str, Known]] = JsonFile(path, dict[str, Known])

    def recall(self, network: str, port: int) -> Known | None:
        """What was found with that port in that network, if it is not too old."""
        known = self._read().get(f"{network}/{port}")
        is_fresh = known is not None and 0 <= time.time() - known.at < KEPT_SECONDS
        return known if is_fresh else None

    def remember(self, network: str, port: int, address: str) -> None:
        """What has just been found."""
        networks = self._read() | {f"{network}/{port}": Known(address, time.time())}
        newest = sorted(networks.items(), key=lambda item: item[1].at)[-KEPT_NETWORKS:]
        self._file.save(dict(newest))

    def _read(self) -> dict[str, Known]:
        return self._file.load() or {}
