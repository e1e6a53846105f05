"""Another order for what comes one after the other and is never in memory as a whole."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def mixed(
    items: Iterable[Item], order: random.Random, size_of: Callable[[Item], int], most: int
) -> Iterator[Item]:
    """The same items in that order, without keeping more than ``most`` of what ``size_of`` counts."""
    kept: list[Item] = []
    size = 0
    for item in items:
        kept.append(item)
        size += size_of(item)
        while size > most:
            chosen = order.randrange(len(kept))
            kept[chosen], kept[-1] = kept[-1], kept[chosen]
            size -= size_of(kept[-1])
            yield kept.pop()
    order.shuffle(kept)
    yield from kept
