"""What is seen of the computer at one moment, as far as its owner's rules ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.availability.prices import PriceProblem, Prices

GpuId = int | str
"""How the observers know a GPU: by its NVML index, or where NVML does not tell of it, by its address on the PCI bus."""


@dataclass(frozen=True)
class GpuUse:
    """What another program computes on a GPU; ``share`` of its time, 0 to 1.

    ``program`` is empty where its name is not known. ``lasted_seconds`` is for how long it
    has used at least the share that the owner's rule allows; ``None`` where the driver does not tell.
    """

    gpu: GpuId
    program: str
    share: float
    lasted_seconds: float | None = None


@dataclass(frozen=True)
class Observation:
    """The computer as it was at ``at``, in the local time zone; ``None`` is what cannot be seen on this computer.

    ``monotonic`` is the same moment in seconds of a clock that never jumps, by which durations are measured.
    ``idle_seconds`` have passed since the last input of a person, whose session ``is_locked`` where its screen is, and
    ``is_switched`` where another user's session is the one that is seen. ``battery`` is its charge, 0 to 1. ``games``
    are those that have announced themselves, ``full_screen`` is whether another program fills the screen, in front of
    all others, ``films`` are the programs that play, or forbid the screen to be blanked; ``programs`` are names of
    running executables, as the system's list of processes has them. ``cpu_pressure`` is the share of all cores that
    other programs use, 0 to 1; ``memory_pressure`` is the share of the last ten seconds in which some task waited for
    memory (Linux PSI, https://docs.kernel.org/accounting/psi.html), 0 to 1. ``sent_today``, ``received_today``,
    ``sent_month`` and ``received_month`` are bytes of ours, of the calendar's day and month.
    ``prices`` are those of the owner's price file. ``gpu_celsius``, ``gpu_watts`` and ``fan_percent`` are those of the
    GPU that trains; of several, the largest of each. ``can_limit_uploads`` says whether this system allows that.
    """

    at: datetime
    monotonic: float
    idle_seconds: float | None = None
    is_locked: bool | None = None
    is_switched: bool | None = None
    is_on_battery: bool | None = None
    battery: float | None = None
    is_power_saving: bool | None = None
    is_metered: bool | None = None
    games: tuple[str, ...] | None = None
    full_screen: bool | None = None
    films: tuple[str, ...] | None = None
    gpu_uses: tuple[GpuUse, ...] | None = None
    programs: frozenset[str] | None = None
    cpu_pressure: float | None = None
    memory_pressure: float | None = None
    free_disk_bytes: int | None = None
    sent_today: int | None = None
    received_today: int | None = None
    sent_month: int | None = None
    received_month: int | None = None
    gpu_celsius: float | None = None
    gpu_watts: float | None = None
    fan_percent: float | None = None
    can_limit_uploads: bool | None = None
    prices: Prices | PriceProblem | None = None
