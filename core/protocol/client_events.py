"""The events that only a client knows: what a person requested, and how the worker's process ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.availability.decision import Decision, Reason
from core.availability.pacing import FULL, Pace
from core.availability.rules import AvailabilityRules
from core.protocol.commands import AnyCommand, Check, DryRun, Export, Join, Publish, Push, Start
from core.protocol.events import AnyEvent, RunFound

DEFAULT_RULES = AvailabilityRules()
PauseReason = Literal["person", "epoch_finished", "sleep", "rule"]


@dataclass(frozen=True)
class Asked:
    """The client has given the worker this command; ``shown`` is the run that a person has agreed to with it."""

    command: AnyCommand
    shown: RunFound | None = None


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


@dataclass(frozen=True)
class RunContinued:
    """A run goes on that the end of the program has interrupted: it was ``agreed`` to, and paused as ``pause`` says.

    A front end posts it in place of the commands by which a person joins and starts.
    """

    opening: Join
    consent: Start
    agreed: RunFound
    pause: Pause | None = None


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
)
Opening = Join | Publish | Check | DryRun | Export | Push
