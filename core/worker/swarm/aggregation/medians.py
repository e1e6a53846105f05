"""Medians over senders that do not all count as whole ones, see `SenderShares`: a crowd does not say what is usual.

Of an even number of equal shares there are two medians, as in `statistics`: the lower one and the upper one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_ROUNDING = 1e-9  # of the sum of all shares, which are thirds, and parts of four


def median_low(values: Sequence[float], shares: Sequence[float]) -> float:
    """The least value that half of the shares have, or less than it; raises ValueError where there is no share."""
    half = sum(shares) / 2
    return min(value for value, below in _rising(values, shares) if below >= half * (1 - _ROUNDING))


def median_high(values: Sequence[float], shares: Sequence[float]) -> float:
    """The least value that more than half of the shares have, or less; raises ValueError where there is no share."""
    half = sum(shares) / 2
    return min(value for value, below in _rising(values, shares) if below > half * (1 + _ROUNDING))


def shares_of_positive(values: Sequence[float], shares: Sequence[float]) -> list[float]:
    """Those of the senders whose value is positive, and none of the others, who have sent or told nothing."""
    return [share if value > 0 else 0.0 for value, share in zip(values, shares, strict=True)]


def _rising(values: Sequence[float], shares: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The values, from the least, each with the sum of the shares of those that are no greater."""
    total = 0.0
    for value, share in sorted(zip(values, shares, strict=True)):
        if share > 0:
            total += share
            yield value, total
