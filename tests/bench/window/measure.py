"""The window's figures, one row after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.bench.plan import Plan
from tests.bench.setup import Ground
from tests.bench.window.login import logins
from tests.bench.window.pause import Pausing, pausings
from tests.bench.window.responsiveness import Blocked, blocked
from tests.bench.window.startup import Starts, starts
from tests.bench.window.steady_state import Cpu, Memory, RulesCost, cpu, memory, rules_cost
from tests.bench.window.virtual_screen import Screen

LIMIT_SECONDS = 240.0  # for any of them


@dataclass
class WindowMeasured:
    """``None``, or nothing, where it was not measured."""

    starts: Starts | None = None
    memory: Memory | None = None
    wayland_starts: Starts | None = None
    wayland_memory: Memory | None = None
    cpu: Cpu | None = None
    rules: RulesCost | None = None
    blocked: Blocked | None = None
    pausings: list[Pausing] = field(default_factory=list)
    login_seconds: list[float] = field(default_factory=list)


def window_deeds(
    plan: Plan, ground: Ground, screen: Screen, measured: WindowMeasured
) -> dict[str, Callable[[], object]]:
    """What is to be done for each row that is wanted; it gives the figures, and notes them down."""

    def start() -> object:
        measured.starts = starts(screen, ground.shortened(LIMIT_SECONDS), plan.window_starts)
        return measured.starts

    def memories() -> object:
        measured.memory = memory(screen, ground.shortened(LIMIT_SECONDS), plan.window_times_faster)
        return measured.memory

    def processor() -> object:
        measured.cpu = cpu(screen, ground.shortened(LIMIT_SECONDS), plan.window_seconds)
        return measured.cpu

    def rules() -> object:
        measured.rules = rules_cost(screen, ground.shortened(LIMIT_SECONDS), plan.window_seconds)
        return measured.rules

    def block() -> object:
        measured.blocked = blocked(screen, ground.shortened(LIMIT_SECONDS), plan.window_seconds)
        return measured.blocked

    def pause() -> object:
        measured.pausings = pausings(screen, ground.shortened(LIMIT_SECONDS), plan.window_pauses)
        return measured.pausings

    def log_in() -> object:
        measured.login_seconds = logins(screen, ground.shortened(LIMIT_SECONDS), plan.window_logins)
        return measured.login_seconds

    deeds = {
        "window_start": start,
        "window_memory": memories,
        "window_cpu": processor,
        "window_rules": rules,
        "window_block": block,
        "window_pause": pause,
        "window_login": log_in,
    }
    return {row: deed for row, deed in deeds.items() if row in plan.rows}


def wayland_deeds(
    plan: Plan, ground: Ground, screen: Screen, measured: WindowMeasured
) -> dict[str, Callable[[], object]]:
    """The same for the rows about a Wayland compositor."""

    def start() -> object:
        measured.wayland_starts = starts(screen, ground.shortened(LIMIT_SECONDS), plan.window_starts)
        return measured.wayland_starts

    def memories() -> object:
        measured.wayland_memory = memory(screen, ground.shortened(LIMIT_SECONDS), plan.window_times_faster)
        return measured.wayland_memory

    deeds = {"wayland_start": start, "wayland_memory": memories}
    return {row: deed for row, deed in deeds.items() if row in plan.rows}
