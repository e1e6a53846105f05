"""The places for newcomers at a donor: two at a time, so that its line serves each of them, and its rounds."""

from __future__ import annotations

import time
from collections.abc import Container, Hashable

from core.worker.swarm.state_parts.line_share import LineShare

MAX_DOWNLOADS = 2
STALE_SECONDS = 60.0  # without a step forward, after which another newcomer takes the place


class Slot:
    """A newcomer's place; ``touch`` it with every step of the download."""

    def __init__(self) -> None:
        self.touch()

    def touch(self) -> None:
        """The download has just made a step."""
        self._moved_at = time.monotonic()

    @property
    def is_stale(self) -> bool:
        """Whether nothing has moved for so long that the newcomer is probably gone."""
        return time.monotonic() - self._moved_at > STALE_SECONDS


class Slots:
    """The ``most`` places, one for each peer; who comes again, as after a cut, takes its own place anew.

    All of them together have their ``share`` of the donor's line. Any thread may ask who holds one.
    """

    barred: Container[Hashable] = frozenset()  # for whom there is no place

    def __init__(self, most: int = MAX_DOWNLOADS) -> None:
        self._most, self._taken = most, dict[Hashable, Slot]()
        self.share = LineShare()

    def take(self, peer: Hashable) -> Slot | None:
        """A place for that peer; ``None`` where all are taken by others, and for who is barred."""
        others = {each: slot for each, slot in self._taken.items() if each != peer and not slot.is_stale}
        slot = None if len(others) >= self._most or peer in self.barred else Slot()
        self._taken = others if slot is None else others | {peer: slot}
        return slot

    def holders(self) -> list[Hashable]:
        """Who has a place now."""
        return [peer for peer, slot in self._taken.items() if not slot.is_stale]

    def holds(self, slot: Slot) -> bool:
        """Whether that place is still the newcomer's who has taken it."""
        return slot in self._taken.values()

    def has_others(self, slot: Slot) -> bool:
        """Whether somebody else downloads meanwhile."""
        return any(each is not slot and not each.is_stale for each in self._taken.values())

    def free(self, slot: Slot) -> None:
        """That download is over; its place is another's."""
        self._taken = {peer: each for peer, each in self._taken.items() if each is not slot}
