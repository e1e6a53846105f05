"""The events that only a client knows: what a person requested, and how the worker's process ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from core.availability.decision import Decision, Reason
from core.availability.pacing import FULL, Pace
from core.availability.rules import AvailabilityRules
from core.protocol.commands import AnyCommand, Check, DryRun, Export, Join, Publish, Push, Start
from core.protocol.events import AnyEvent, RunFound
from core.schema import StrictStruct

DEFAULT_RULES = AvailabilityRules()
PauseReason = Literal["person", "epoch_finished", "sleep", "rule"]
Obstacle = Literal["finished", "paused", "unreachable", "unfit", "changed", "failed"]
"""Why a run cannot be helped: its organiser has finished or paused it, nobody answers, it does not fit this computer,
its organiser has changed it and the person has not agreed to that, or it has ended with another problem."""


@dataclass(frozen=True)
class Asked:
    """The client has given the worker this command; ``shown`` is the run that a person has agreed to with it.

    ``waits_for_room``: where a full disk lets no worker search, the search goes on once there is room.
    """

    command: AnyCommand
    shown: RunFound | None = None
    waits_for_room: bool = False


@dataclass(frozen=True)
class WorkerExited:
    """The worker and its whole family are gone; ``None`` where it could not be started at all."""

    returncode: int | None


@dataclass(frozen=True)
class RestartDue:
    """The delay before another attempt is over."""


@dataclass(frozen=True)
class Pause:
    """Why nothing is computed, and until when: seconds since 1970, or ``None`` for "until I resume".

    ``rule`` is why the owner's rules ask for the pause, where its reason is ``rule``.
    """

    reason: PauseReason = "person"
    until: float | None = None
    rule: Reason | None = None


@dataclass(frozen=True)
class PauseAsked:
    """Training shall stop, and may go on later without asking again."""

    pause: Pause


@dataclass(frozen=True)
class ResumeAsked:
    """The pause is over; ``of`` names the only pause that is meant, if it was an alarm that rang."""

    of: Pause | None = None


@dataclass(frozen=True)
class FinishAsked:
    """This epoch shall be finished, and then training paused; or that is taken back."""

    is_wanted: bool


@dataclass(frozen=True)
class AvailabilityDecided:
    """The owner's rules have come to another decision on whether this computer is free for training, and how fast."""

    decision: Decision
    rules: AvailabilityRules = DEFAULT_RULES
    pace: Pace = FULL


class RunSwitch(StrictStruct, kw_only=True, frozen=True):
    """Another run of the person's order is helped from ``at`` on, in seconds since 1970; both runs by their names.

    ``reason`` is what is in the way of the run ``before``, or ``reopened`` where an earlier one can be helped again.
    """

    to: Annotated[str, Meta(max_length=200)]
    before: Annotated[str, Meta(max_length=200)]
    reason: Obstacle | Literal["reopened"]
    at: Annotated[float, Meta(ge=0, le=1e12)]


@dataclass(frozen=True)
class EarlierRunReopened:
    """An earlier run of the person's order can be helped again, by its name; ``None``: there is none any more.

    It takes the place of the present one when that ends, or at ``at`` at the latest, in seconds since 1970.
    """

    name: str | None
    at: float | None = None


@dataclass(frozen=True)
class RunContinued:
    """A run goes on that the end of the program has interrupted: it was ``agreed`` to, and paused as ``pause`` says.

    Where there is a ``switch``, it begins in the place of another run of the order. A front end posts it in place of
    the commands by which a person joins and starts.
    """

    opening: Join
    consent: Start
    agreed: RunFound
    pause: Pause | None = None
    switch: RunSwitch | None = None


ClientEvent = (
    AnyEvent
    | Asked
    | WorkerExited
    | RestartDue
    | PauseAsked
    | ResumeAsked
    | FinishAsked
    | AvailabilityDecided
    | RunContinued
    | EarlierRunReopened
)
Opening = Join | Publish | Check | DryRun | Export | Push
