"""Prices of electricity by hour, and when the next cheap one comes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LONGEST_SECONDS = 3600.0
"""A price holds until the next one begins, but no longer than this: after that nobody knows."""

PriceProblem = Literal["missing", "broken", "old", "unfetched"]
"""Why there is no price: there is no file, or it is damaged, or it says nothing of the present hour.

``unfetched``: nothing has come from the address of prices.
"""


@dataclass(frozen=True)
class Prices:
    """Prices in the order of their ``starts``, in seconds since 1970; any currency and unit, negative ones as well."""

    starts: tuple[float, ...]
    prices: tuple[float, ...]

    def at(self, at: datetime) -> float | None:
        """The price at that time; ``None`` where none is known."""
        index = bisect_right(self.starts, at.timestamp()) - 1
        if index < 0 or at.timestamp() - self.starts[index] >= LONGEST_SECONDS:
            return None
        return self.prices[index]

    def next_cheap(self, at: datetime, highest: float) -> datetime | None:
        """The start of the first later price that is not above ``highest``, in the zone of ``at``, if there is one."""
        first = bisect_right(self.starts, at.timestamp())
        cheap = (
            start for start, price in zip(self.starts[first:], self.prices[first:], strict=True) if price <= highest
        )
        start = next(cheap, None)
        return None if start is None else datetime.fromtimestamp(start, at.tzinfo)
