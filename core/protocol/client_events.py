"""The events that only a client knows: what a person requested, and how the worker's process ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.protocol.commands import AnyCommand, Check, DryRun, Join, Publish
from core.protocol.events import AnyEvent, RunFound

PauseReason = Literal["person", "epoch_finished", "sleep"]


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
    """Why nothing is computed, and until when: seconds since 1970, or ``None`` for "until I resume"."""

    reason: PauseReason = "person"
    until: float | None = None


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


ClientEvent = AnyEvent | Asked | WorkerExited | RestartDue | PauseAsked | ResumeAsked | FinishAsked
Opening = Join | Publish | Check | DryRun
