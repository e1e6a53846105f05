"""What the card of the order shows, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from core.protocol.client_events import Obstacle

Key = tuple[str, str]
"""The id of a run, and its organiser."""


@dataclass(frozen=True)
class OrderRow:
    """A run of the order: its name, what is in its way, and whether it is helped now."""

    key: Key
    name: str
    obstacle: Obstacle | None = None
    is_present: bool = False


@dataclass(frozen=True)
class OrderView:
    """The rows in their order, the runs that may be added by their names, and the lines of the last changes.

    ``can_begin`` is whether nothing is helped now, so that the order can be begun.
    """

    rows: tuple[OrderRow, ...] = ()
    addable: tuple[tuple[Key, str], ...] = ()
    return_after_minutes: int | None = None
    changes: tuple[str, ...] = ()
    can_begin: bool = False
