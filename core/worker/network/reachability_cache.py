"""Whether others reached this computer, network by network, so that the next start need not find out anew."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.files.atomic import quarantine, write_atomically
from core.schema import StrictStruct

KEPT_NETWORKS = 50
KEPT_SECONDS = 7 * 24 * 3600.0

log = logging.getLogger(__name__)


class Known(StrictStruct, frozen=True):
    """What was found there: the multiaddr at which others reached us, empty if they could not."""

    address: Annotated[str, Meta(max_length=200)]
    at: float


class KnownNetworks:
    """A small file. It only saves time, so a disk that refuses it stops nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def recall(self, network: str, port: int) -> Known | None:
        """What was found with that port in that network, if it is not too old."""
        known = self._read().get(f"{network}/{port}")
        is_fresh = known is not None and 0 <= time.time() - known.at < KEPT_SECONDS
        return known if is_fresh else None

    def remember(self, network: str, port: int, address: str) -> None:
        """What has just been found."""
        networks = self._read() | {f"{network}/{port}": Known(address, time.time())}
        newest = sorted(networks.items(), key=lambda item: item[1].at)[-KEPT_NETWORKS:]
        try:
            write_atomically(self._path, msgspec.json.format(msgspec.json.encode(dict(newest))))
        except OSError:
            log.exception("the network is not remembered")

    def _read(self) -> dict[str, Known]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Known])
        except FileNotFoundError:
            return {}
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError):
            log.exception("what is known of networks cannot be read")
        try:
            quarantine(self._path)
        except OSError:
            log.exception("and cannot be set aside")
        return {}
