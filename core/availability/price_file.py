"""Prices of electricity by hour, read from a file that the owner or a script of theirs keeps up to date.

As CSV, with a first line of names, ``start`` and ``price`` among them; times are ISO 8601 with their zone:

    start,price
    2026-11-25T00:00:00+01:00,0.241

or the same as JSON: ``[{"start": "2026-11-25T00:00:00+01:00", "price": 0.241}, …]``.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from core.availability.prices import PriceProblem, Prices
from core.files.json_file import read_bounded

MOST_BYTES = 1024 * 1024
MOST_ROWS = 10_000


class _Row(msgspec.Struct, frozen=True):
    """A price, beside which anything else may stand."""

    start: Annotated[datetime, Meta(tz=True)]
    price: float


_JSON: msgspec.json.Decoder[list[_Row]] = msgspec.json.Decoder(list[_Row])


class PriceFile:
    """The prices in a file, which is read again only after it has changed."""

    def __init__(self) -> None:
        self._known: tuple[object, ...] = ()
        self._prices: Prices | PriceProblem = "missing"

    def read(self, path: Path) -> Prices | PriceProblem:
        """Return the prices, or what keeps them from being known; never raises."""
        try:
            found = path.stat()
        except (OSError, ValueError):
            return "missing"
        seen = (path, found.st_ino, found.st_size, found.st_mtime_ns)
        if seen != self._known:
            self._known, self._prices = seen, _read(path)
        return self._prices


def parse_prices(encoded: bytes) -> Prices:
    """Return the prices in a CSV or JSON file; raises ValueError for anything else."""
    try:
        text = encoded.decode("utf-8-sig")
        rows = list(_json_rows(text) if text.lstrip()[:1] == "[" else _csv_rows(text))
    except (msgspec.MsgspecError, csv.Error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a file of prices: {error}") from error
    by_start = dict(rows)
    if not rows or len(rows) > MOST_ROWS:
        raise ValueError(f"{len(rows)} prices instead of 1 to {MOST_ROWS}")
    if not all(math.isfinite(price) for price in by_start.values()):
        raise ValueError("a price is not finite")
    starts = tuple(sorted(by_start))
    return Prices(starts, tuple(by_start[start] for start in starts))


def _read(path: Path) -> Prices | PriceProblem:
    if not path.is_file():  # a pipe would be waited for without end
        return "broken"
    try:
        return parse_prices(read_bounded(path, MOST_BYTES))
    except (OSError, ValueError):
        return "broken"


def _json_rows(text: str) -> Iterable[tuple[float, float]]:
    return [(row.start.timestamp(), row.price) for row in _JSON.decode(text)]


def _csv_rows(text: str) -> Iterator[tuple[float, float]]:
    for row in csv.DictReader(text.splitlines()):
        if not (row.get("start") and row.get("price")):
            raise ValueError("a line has no start or no price")
        start = datetime.fromisoformat(row["start"].strip())
        if start.tzinfo is None:
            raise ValueError(f"{start} is in no zone")
        yield start.timestamp(), float(row["price"])
