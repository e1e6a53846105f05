"""Who tells the owner's rules of the desktop: a line of `doctor` for each kind of thing, two for the idle time.

The window also asks the compositor or the X server for that, which the command line, often without a desktop, does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.availability.decision import RuleName
from core.availability.rule_views import is_on
from core.availability.rules import AvailabilityRules
from core.cli.commands.diagnostics import Finding
from core.observers.battery import power
from core.observers.desktop_bus.reader import EVERYTHING, NOBODY, Told
from core.observers.desktop_bus.watch import told_now
from core.observers.display_servers.wayland_globals import is_wayland_session, tells_idle_time
from core.observers.display_servers.x11_idle import X11Idle
from core.texts.settings.unobserved_rules import tellers

_PATIENCE_SECONDS = 5.0
_WINDOW, _IDLE = "idle in window", "idle_seconds"
_FIRST_ASKED = ("Mutter", "Muffin")  # by the window too, whatever shows the session
_WAYLAND_ADVICE = "It would be told by a compositor with ext-idle-notify, such as KWin or sway 1.8."
_X11_ADVICE = "It would be told by the X server's extension MIT-SCREEN-SAVER, through libXss.so.1."
_LOCKED = "logind tells that the screen is locked, or that nobody is logged in"


@dataclass(frozen=True)
class _Line:
    subject: str
    field: str
    rule: RuleName
    teller: str = ""


_LINES = (
    _Line("idle time", _IDLE, "idle"),
    _Line("screen lock", "is_locked", "idle"),
    _Line("games", "games", "game", "GameMode, on the message bus of your session"),
    _Line("full screen", "full_screen", "game", "an X server that shows your session; under Wayland nobody is asked"),
    _Line("films", "films", "film"),
    _Line("metered", "is_metered", "metered"),
    _Line("power saver", "is_power_saving", "power_saver"),
    _Line("battery", "is_on_battery", "battery"),
)


def desktop_sources(rules: AvailabilityRules) -> Iterator[Finding]:
    """Examine who tells what the rules of `join` and of the service ask for, whether a rule is on or not."""
    told = told_now(EVERYTHING, _PATIENCE_SECONDS)
    for line in _LINES:
        is_asked = rules.needs_idle_time if line.rule == "idle" else is_on(line.rule, rules)
        yield _finding(line, told, is_asked)
        if line.field == _IDLE:
            yield _window_finding(told.get(_IDLE, NOBODY).source, os.environ, is_asked)


def _window_finding(on_bus: str | None, environment: Mapping[str, str], is_asked: bool) -> Finding:
    """Who tells the window the idle time; ``on_bus`` is who tells the command line."""
    is_wayland = is_wayland_session(environment)
    if not is_wayland and not environment.get("DISPLAY"):
        return Finding("good", _WINDOW, "no desktop is seen from here: neither WAYLAND_DISPLAY nor DISPLAY is set")
    source = on_bus if on_bus in _FIRST_ASKED else _display_source(is_wayland, environment) or on_bus
    if source is not None:
        return Finding("good", _WINDOW, f"told by {source}")
    lack = "the Wayland compositor has no ext-idle-notify" if is_wayland else "the X server has no answer"
    if not is_asked:
        return Finding("good", _WINDOW, f"nobody tells it ({lack}), and no rule of yours asks")
    return Finding("doubtful", _WINDOW, f"nobody tells it: {lack}", _WAYLAND_ADVICE if is_wayland else _X11_ADVICE)


def _display_source(is_wayland: bool, environment: Mapping[str, str]) -> str | None:
    if is_wayland:
        return "Wayland (ext-idle-notify)" if tells_idle_time(environment) else None
    idle = X11Idle(environment.get("DISPLAY", ""))
    idle.refresh()
    is_told = idle.idle_seconds is not None
    idle.close()
    return "X11 (XScreenSaver)" if is_told else None


def _finding(line: _Line, told: Mapping[str, Told], is_asked: bool) -> Finding:
    source = _source(line, told)
    if source is not None:
        return Finding("good", line.subject, source)
    if not is_asked:
        return Finding("good", line.subject, "nobody tells it, and no rule of yours asks")
    return Finding(
        "doubtful", line.subject, "nobody tells it", f"It would be told by {line.teller or tellers(line.rule)}."
    )


def _source(line: _Line, told: Mapping[str, Told]) -> str | None:
    source = told.get(line.field, NOBODY).source
    if source is not None:
        return f"told by {source}"
    if line.field == _IDLE and told.get("is_locked", NOBODY).value is True:
        return _LOCKED
    if line.field == "is_on_battery" and power().is_on_battery is not None:
        return "told by the kernel"
    return None
