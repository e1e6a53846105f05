"""The pace at which a free computer works: as much of the GPU, and of the line, as its owner's limits leave.

Each limit of power, temperature or noise has a controller (PI in its velocity form, whose output is clamped, so that
its integral does not wind up), and the least of their shares counts. Slow begins at once. Full speed comes back when no
controller has held anything back for a while, and no earlier than ten minutes after slow began, as with pauses. So
there are at most two changes in any ten minutes, whatever is seen. Somebody at the computer makes it slow likewise.
What can be measured no more leaves its controller's share as it was, and slow lasts until it is measured again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules

GpuCause = Literal["heat", "power", "noise"]
PaceCause = GpuCause | Literal["presence"]
GPU_CAUSES: tuple[GpuCause, ...] = get_args(GpuCause)
SHORTEST_SLOW_SECONDS = 600.0
CALM_SECONDS = 300.0
ATTENDED_SECONDS = 300.0
"""Without input for so long, nobody is at the computer any more."""
LEAST_SHARE = 0.05
MOST_SLOW_SHARE = 0.95
"""The share that counts as slow, and the largest one while slow lasts."""
_LONGEST_STEP_SECONDS = 10.0  # of a controller, after a computer has slept


@dataclass(frozen=True)
class Gains:
    """Of a controller: the change of the share for an error of 1, and for one that lasts a second.

    An error of ``most`` and more is far from the limit, where a rise needs no answer.
    """

    proportional: float
    integral: float
    most: float


GAINS: dict[GpuCause, Gains] = {
    "heat": Gains(0.03, 0.03 / 60, most=10),  # °C; a cooler's time constant is about a minute
    "power": Gains(0.0, 0.075, most=1),  # shares of the limit; power follows at once
    "noise": Gains(0.01, 0.01 / 90, most=15),  # percentage points of the fan, which follows the heat
}


@dataclass(frozen=True)
class Pace:
    """What may be used: a share of the time for computing, 0 to 1, and bytes a second to send and to receive.

    ``None`` for a rate is any.
    Where it is slow there is a ``cause``; where that is the GPU's, also what was ``measured`` and its ``limit``: °C,
    watts, or the fan's per cent of its full speed. Without ``is_measured``, that cannot be measured any more.
    """

    compute_share: float = 1.0
    upload_rate: int | None = None
    cause: PaceCause | None = None
    measured: float = 0.0
    limit: float = 0.0
    download_rate: int | None = None
    is_measured: bool = True


FULL = Pace()


@dataclass(frozen=True)
class _Latch:
    """Something that begins at once and ends late: when it began, and since when nothing has asked for it."""

    began: float | None = None
    over: float | None = None

    @property
    def is_on(self) -> bool:
        return self.began is not None

    def after(self, is_asked: bool, now: float, calm_seconds: float) -> _Latch:
        if is_asked:
            return _Latch(now if self.began is None else self.began)
        if self.began is None:
            return self
        over = now if self.over is None else self.over
        is_calm = now - over >= calm_seconds and now - self.began >= SHORTEST_SLOW_SECONDS
        return _Latch() if is_calm else replace(self, over=over)


@dataclass(frozen=True)
class _Controller:
    """The share that one limit leaves, 0 to 1, and how far from it the last measurement was.

    ``is_unmeasured``: nothing has been measured since.
    """

    share: float = 1.0
    error: float | None = None
    is_unmeasured: bool = False

    @property
    def is_slowing(self) -> bool:
        """Whether it holds so much back that it counts as slow."""
        return self.share < MOST_SLOW_SHARE

    @property
    def is_held(self) -> bool:
        """Whether it holds anything back and cannot tell whether it still should."""
        return self.is_unmeasured and self.share < 1.0

    def after(self, gains: Gains, error: float, seconds: float) -> _Controller:
        """The share after a measurement; ``error`` is what is left to the limit, below 0 beyond it."""
        error = min(error, gains.most)
        change = gains.integral * error * seconds
        change += gains.proportional * (error - (error if self.error is None else self.error))
        return _Controller(min(1.0, max(LEAST_SHARE, self.share + change)), error)


@dataclass(frozen=True)
class PacerState:
    """What the next pace needs to know of the ones before; ``PacerState()`` is that of a start."""

    clock: float = 0.0
    monotonic: float | None = None
    rules: AvailabilityRules | None = None
    heat: _Controller = _Controller()
    power: _Controller = _Controller()
    noise: _Controller = _Controller()
    slow: _Latch = _Latch()
    attended: _Latch = _Latch()
    is_switched: bool = False


def pace(state: PacerState, rules: AvailabilityRules, seen: Observation) -> tuple[PacerState, Pace]:
    """Decide how fast to work, once every second or two; the state is for the next call."""
    before = seen.monotonic if state.monotonic is None else state.monotonic
    seconds = max(0.0, seen.monotonic - before)
    if state.rules != rules:
        state = replace(state, slow=_Latch(), attended=_Latch())  # the owner does not wait for a change of theirs
    now, step = state.clock + seconds, min(seconds, _LONGEST_STEP_SECONDS)
    controllers = {cause: _controlled(getattr(state, cause), cause, rules, seen, step) for cause in GPU_CAUSES}
    cause = min(GPU_CAUSES, key=lambda each: controllers[each].share)
    is_held = state.slow.is_on and any(each.is_held for each in controllers.values())
    slow = state.slow.after(controllers[cause].is_slowing or is_held, now, CALM_SECONDS)
    is_switched = state.is_switched if seen.is_switched is None else seen.is_switched
    attended = state.attended.after(is_switched or _is_attended(seen), now, 0.0)
    after = PacerState(now, seen.monotonic, rules, **controllers, slow=slow, attended=attended, is_switched=is_switched)
    is_attended = attended.is_on
    line = Pace(
        upload_rate=rules.attended_upload_rate if is_attended else rules.upload_rate,
        download_rate=rules.attended_download_rate if is_attended else rules.download_rate,
    )
    share = min(controllers[cause].share, MOST_SLOW_SHARE) if slow.is_on else 1.0
    attended_share = rules.attended_compute_share
    if is_attended and attended_share is not None and attended_share <= share:
        return after, replace(line, compute_share=attended_share, cause="presence")
    if not slow.is_on:
        return after, line
    cause = cause if controllers[cause].share < 1.0 else _limited(rules, seen, cause)
    return after, _slow(replace(line, compute_share=share), cause, rules, seen)


def _slow(pace: Pace, cause: GpuCause, rules: AvailabilityRules, seen: Observation) -> Pace:
    """The pace with its cause in figures."""
    measured, limit = _measured(cause, rules, seen)
    is_measured = measured is not None or limit is None
    return replace(pace, cause=cause, measured=measured or 0.0, limit=limit or 0.0, is_measured=is_measured)


def _controlled(
    controller: _Controller, cause: GpuCause, rules: AvailabilityRules, seen: Observation, seconds: float
) -> _Controller:
    """Without a limit, or where nothing could ever be measured, nothing is held back."""
    measured, limit = _measured(cause, rules, seen)
    if limit is None:
        return _Controller()
    if measured is None:
        return replace(controller, is_unmeasured=True)
    error = limit - measured
    return controller.after(GAINS[cause], error / limit if cause == "power" else error, seconds)


def _measured(cause: GpuCause, rules: AvailabilityRules, seen: Observation) -> tuple[float | None, float | None]:
    """What is measured of that cause, and the owner's limit, in the same unit."""
    match cause:
        case "heat":
            return seen.gpu_celsius, rules.gpu_celsius
        case "power":
            return seen.gpu_watts, rules.gpu_watts
        case "noise":
            return seen.fan_percent, rules.fan_percent


def _limited(rules: AvailabilityRules, seen: Observation, otherwise: GpuCause) -> GpuCause:
    """The first limit that the owner has set: near it, the share is about to be the whole again."""
    limits = ((cause, _measured(cause, rules, seen)[1]) for cause in GPU_CAUSES)
    return next((cause for cause, limit in limits if limit is not None), otherwise)


def _is_attended(seen: Observation) -> bool:
    """Whether its person is at the computer; where that cannot be seen, somebody may be."""
    if seen.is_locked:
        return False
    return seen.idle_seconds is None or seen.idle_seconds < ATTENDED_SECONDS
