"""What one bench measures, how often and for how long."""

from __future__ import annotations

from dataclasses import dataclass, replace

ROWS = (
    "contributed",
    "standstill",
    "join",
    "leave",
    "others",
    "memory",
    "crash",
    "sleep",
    "cut",
    "window_start",
    "window_memory",
    "window_cpu",
    "window_block",
    "window_pause",
    "wayland_start",
    "wayland_memory",
)
_OF_TRAINING = frozenset({"contributed", "standstill"})
_OF_LEAVING = frozenset({"leave", "others", "memory"})
_OF_FAULTS = frozenset({"crash", "sleep", "cut"})
_OF_PEERS = _OF_TRAINING | _OF_LEAVING | _OF_FAULTS | {"join", "window_pause"}


@dataclass(frozen=True)
class Plan:
    """``rounds`` is how often every kind of pair has its turn, of ``epochs`` measured ones each.

    In ``leavings`` of them one peer is seen to go. ``joinings`` is the number of pairs of volunteers. The
    window is started and paused so often and watched for so long; its ten minutes of events come
    ``window_times_faster``.
    """

    rows: tuple[str, ...]
    rounds: int
    epochs: int
    leavings: int
    joinings: int
    plain_seconds: float
    epoch_seconds: float
    limit_seconds: float
    window_starts: int
    window_pauses: int
    window_seconds: float
    window_times_faster: float

    @property
    def wants_peers(self) -> bool:
        """Whether any row needs peers, and so their speed."""
        return bool(_OF_PEERS.intersection(self.rows))

    @property
    def wants_x11(self) -> bool:
        """Whether any row is about the window on an X server."""
        return any(row.startswith("window_") for row in self.rows)

    @property
    def wants_wayland(self) -> bool:
        """Whether any row is about the window on a Wayland compositor."""
        return any(row.startswith("wayland_") for row in self.rows)

    @property
    def wants_window(self) -> bool:
        """Whether any row is about the window, which needs a screen."""
        return self.wants_x11 or self.wants_wayland

    @property
    def wants_training(self) -> bool:
        """Whether pairs are wanted even where none is seen to go."""
        return bool(_OF_TRAINING.intersection(self.rows))

    @property
    def wants_pairs(self) -> bool:
        """Whether any row needs two peers that train together."""
        return self.wants_training or bool(_OF_LEAVING.intersection(self.rows))

    @property
    def wants_plain(self) -> bool:
        """Whether the plain loops between the pairs are needed."""
        return "contributed" in self.rows


FULL = Plan(ROWS, 3, 7, 2, 5, 10.0, 8.0, 65 * 60.0, 7, 2, 30.0, 10.0)
QUICK = Plan(ROWS, 1, 2, 1, 2, 6.0, 7.0, 47 * 60.0, 3, 1, 10.0, 40.0)


def plan_for(rows: tuple[str, ...], *, is_quick: bool) -> Plan:
    """The full or the quick plan, without what those rows do not need."""
    plan = replace(QUICK if is_quick else FULL, rows=rows)
    if not _OF_LEAVING.intersection(rows):
        plan = replace(plan, leavings=0)
    if not _OF_TRAINING.intersection(rows):
        plan = replace(plan, rounds=plan.leavings, epochs=1)
    return plan
