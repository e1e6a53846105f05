"""Which run of an order is helped: one decision from what is known of each run, without clock, thread or file.

A run that cannot be helped makes way at once. A run that can be helped makes way only for an earlier one, at a time
that the person has set, and no earlier than ``SHORTEST_STAY_SECONDS`` after the last change. So of two runs that are
helped one after the other, the first has ended or been helped for that long, whatever is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.protocol.client_events import Obstacle

RunKey = tuple[str, str]
"""The id of a run, and the peer id of its organiser."""

SHORTEST_STAY_SECONDS = 1800.0
LOOK_SECONDS, IDLE_LOOK_SECONDS = 600.0, 60.0
"""How often it is looked whether a run can be helped again, while another is helped and while none is."""
RETRY_SECONDS: dict[Obstacle, float | None] = {
    "finished": None,
    "changed": None,
    "paused": 1800.0,
    "unreachable": 1800.0,
    "unfit": 1800.0,
    "failed": 3600.0,
}
"""After how long a run is tried again whose obstacle was not seen to end; ``None`` is never."""

ChoiceReason = Obstacle | Literal["reopened"]


@dataclass(frozen=True)
class Standing:
    """What is known of a run since ``since``, in seconds: what is in its way, or ``None`` where it can be helped.

    ``looked_at`` is when that was found out last.
    """

    obstacle: Obstacle | None
    since: float
    looked_at: float


@dataclass(frozen=True)
class OrderState:
    """What the next decision needs to know of the ones before; times are in seconds, of one clock.

    ``helped`` is the run that was helped last, ``changed_at`` when it took the place of another. A run without a
    standing was not looked at yet.
    """

    helped: RunKey | None = None
    changed_at: float | None = None
    standings: Mapping[RunKey, Standing] = field(default_factory=dict)

    @property
    def obstacles(self) -> dict[RunKey, Obstacle | None]:
        """What is in the way of each run of which something is known; ``None`` where it can be helped."""
        return {run: each.obstacle for run, each in self.standings.items()}

    def obstacle_of(self, run: RunKey) -> Obstacle | None:
        """What is in the way of that run, as far as is known."""
        standing = self.standings.get(run)
        return standing.obstacle if standing is not None else None


@dataclass(frozen=True)
class Present:
    """The run that was chosen last, and whether its session has ended; ``None`` before the first choice."""

    run: RunKey | None = None
    is_over: bool = True


@dataclass(frozen=True)
class Choice:
    """The run to help now, ``None`` where none can be; ``reason`` is why it is another one than the present.

    ``reopened`` is the earlier run that can be helped again and follows the present one, at ``at`` at the latest.
    """

    run: RunKey | None
    reason: ChoiceReason | None = None
    reopened: RunKey | None = None
    at: float | None = None


def noted(state: OrderState, run: RunKey, obstacle: Obstacle | None, now: float) -> OrderState:
    """The state once it is seen what is in the way of that run; ``None``: nothing is."""
    before = state.standings.get(run)
    since = before.since if before is not None and before.obstacle == obstacle else now
    return replace(state, standings={**state.standings, run: Standing(obstacle, since, now)})


def began(state: OrderState, run: RunKey, now: float) -> OrderState:
    """The state once samples are computed for that run."""
    state = noted(state, run, None, now)
    if state.helped == run:
        return state
    return replace(state, helped=run, changed_at=None if state.helped is None else now)


def choose(
    state: OrderState, order: Sequence[RunKey], present: Present, now: float, return_after_seconds: float | None
) -> Choice:
    """Choose the run that is helped from now on.

    ``return_after_seconds`` is how long an earlier run has to be open again before it takes the place of the present
    one; ``None``: it waits for the end of that.
    """
    run = present.run
    if run is None or run not in order:
        return Choice(next(_possible(state, order, now), None))
    obstacle = state.obstacle_of(run)
    if obstacle is not None:
        return _instead(state, order, present, obstacle, now)
    earlier = next((each for each in order[: order.index(run)] if _is_open(state, each)), None)
    if earlier is None:
        return Choice(run)
    at = _return_at(state, earlier, return_after_seconds)
    if at is not None and now >= at:
        return Choice(earlier, "reopened")
    return Choice(run, reopened=earlier, at=at)


def due_looks(state: OrderState, order: Sequence[RunKey], present: Present, now: float) -> tuple[RunKey, ...]:
    """The runs to look at now: those before the present one, or all where that cannot be helped."""
    run = present.run
    is_helping = run in order and run is not None and state.obstacle_of(run) is None
    wanted = order[: order.index(run)] if is_helping and run is not None else order
    is_present = run if not present.is_over else None
    period = LOOK_SECONDS if is_helping else IDLE_LOOK_SECONDS
    return tuple(each for each in wanted if each != is_present and _is_look_due(state, each, now, period))


def _instead(state: OrderState, order: Sequence[RunKey], present: Present, obstacle: Obstacle, now: float) -> Choice:
    """What follows a run that cannot be helped."""
    run = present.run
    following = next((each for each in _possible(state, order, now) if each != run), None)
    if following is None or (state.helped == run and not present.is_over and _is_too_soon(state, now)):
        return Choice(None if present.is_over else run)
    return Choice(following, obstacle)


def _possible(state: OrderState, order: Sequence[RunKey], now: float) -> Iterator[RunKey]:
    """The runs that can be helped as far as is known, or may be tried again, in their order."""
    return (each for each in order if _may_be_tried(state, each, now))


def _may_be_tried(state: OrderState, run: RunKey, now: float) -> bool:
    standing = state.standings.get(run)
    if standing is None or standing.obstacle is None:
        return True
    seconds = RETRY_SECONDS[standing.obstacle]
    return seconds is not None and now >= standing.looked_at + seconds


def _is_open(state: OrderState, run: RunKey) -> bool:
    """Whether it was seen that nothing is in the way of that run."""
    standing = state.standings.get(run)
    return standing is not None and standing.obstacle is None


def _is_look_due(state: OrderState, run: RunKey, now: float, period_seconds: float) -> bool:
    standing = state.standings.get(run)
    if standing is None:
        return True
    is_over = standing.obstacle in ("finished", "changed")
    return not is_over and now >= standing.looked_at + period_seconds


def _is_too_soon(state: OrderState, now: float) -> bool:
    return state.changed_at is not None and now < state.changed_at + SHORTEST_STAY_SECONDS


def _return_at(state: OrderState, earlier: RunKey, return_after_seconds: float | None) -> float | None:
    if return_after_seconds is None:
        return None
    due = state.standings[earlier].since + return_after_seconds
    return due if state.changed_at is None else max(due, state.changed_at + SHORTEST_STAY_SECONDS)
