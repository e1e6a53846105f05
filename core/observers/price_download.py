"""Prices of electricity from an https address: fetched once a day, and kept where they cannot be fetched."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.availability.price_file import PriceFile
from core.availability.prices import PriceProblem, Prices
from core.engine.answering_process import AnsweringProcess
from core.errors import UserError
from core.files.folders import DataFolder

REFRESH_SECONDS = 24 * 3600.0
OLD_SECONDS = 48 * 3600.0
"""After so long nothing is known any more, whatever the file says of this hour."""
AGAIN_SECONDS = 3600.0
"""Between two attempts, also where the prices that are known end soon: those of tomorrow come out once a day."""
SOON_SECONDS = 12 * 3600.0

log = logging.getLogger(__name__)


class PriceDownload:
    """The prices at one address at a time, kept in that folder of data; ``command`` starts another process than usual.

    The engine's Python fetches: without an engine nobody trains, and the window's own libraries are in no path.
    """

    def __init__(
        self, data: Path, command: Sequence[str] | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._data, self._command, self._clock = data, command, clock
        self._file = PriceFile()
        self._fetching: AnsweringProcess | None = None
        self._tried: tuple[str, float] = ("", 0.0)

    def read(self, address: str) -> Prices | PriceProblem:
        """Return the prices that were fetched last, and fetch others where that is due; never waits, never raises."""
        path, now = self.path_of(address), self._clock()
        age = _age(path, now)
        prices: Prices | PriceProblem = "unfetched" if age is None else self._file.read(path)
        if self._is_due(address, age, prices, now):
            self._start(address, path, now)
        return "old" if age is not None and age > OLD_SECONDS else prices

    def path_of(self, address: str) -> Path:
        """Return the file for what comes from that address, so that another one begins with nothing."""
        return DataFolder(self._data).prices / hashlib.sha256(address.encode()).hexdigest()[:32]

    @property
    def is_fetching(self) -> bool:
        """Whether a process of ours still fetches."""
        return self._fetching is not None and self._fetching.is_running

    def close(self) -> None:
        """End a process that still fetches."""
        if self._fetching is not None:
            self._fetching.stop()

    def _is_due(self, address: str, age: float | None, prices: Prices | PriceProblem, now: float) -> bool:
        tried, at = self._tried
        if self.is_fetching or (tried == address and 0 <= now - at < AGAIN_SECONDS):
            return False
        if age is None or age > REFRESH_SECONDS or not isinstance(prices, Prices):
            return True
        return age > AGAIN_SECONDS and prices.starts[-1] - now < SOON_SECONDS

    def _start(self, address: str, path: Path, now: float) -> None:
        self._tried = (address, now)
        module, words = "core.observers.price_fetch", (address, str(path))
        fetching = AnsweringProcess(module, words, self._data, lambda _: None, self._command)
        try:
            fetching.start()
        except (OSError, UserError) as error:
            log.info("prices cannot be fetched: %s", error)
            return
        self._fetching = fetching


def _age(path: Path, now: float) -> float | None:
    """The seconds since it was fetched; ``None`` where it never was, or in the future as a wrong clock has it."""
    try:
        age = now - path.stat().st_mtime
    except OSError:
        return None
    return age if age > -1.0 else None
