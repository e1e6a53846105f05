"""What the answers of other programs mean; whatever cannot be is ``None``, as what was not told."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Protocol

from core.observers.desktop_bus.services import PLAYER_PREFIX
from core.security.sanitize import sanitize_line
from core.uptime import seconds_since_start

GRAPHICAL_SESSIONS = ("x11", "wayland", "mir")
MOST_GAMES, GAME_MODE_NAME = 10_000, "GameMode"
_LONGEST_NAME = 60
_IS_METERED = {1: True, 2: False, 3: True, 4: False}  # NMMetered of libnm: yes, no, and what it guesses
_KEEPS_SCREEN_ON = 8  # GSM_INHIBITOR_FLAG_IDLE: the session must not be marked idle
_PROXIES = ("playerctld", "kdeconnect")  # what speaks for players that have names of their own, or for a telephone's
_MICROSECONDS, _MILLISECONDS = 1e6, 1e3


class TypedValues(Protocol):
    """Properties of an object; each has the type that is asked for, or is ``None``."""

    def flag(self, name: str) -> bool | None:
        """A property that is true or false."""

    def number(self, name: str, lowest: float, highest: float) -> float | None:
        """A property that is a number within these bounds."""

    def text(self, name: str) -> str | None:
        """A property that is a text."""


class Properties:
    """The properties of an object by name, as it has told them."""

    def __init__(self, values: object = None) -> None:
        self._values: Mapping[str, object] = values if isinstance(values, dict) else {}

    def flag(self, name: str) -> bool | None:
        """A property that is true or false."""
        value = self._values.get(name)
        return value if isinstance(value, bool) else None

    def number(self, name: str, lowest: float, highest: float) -> float | None:
        """A property that is a number within these bounds."""
        value = self._values.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return float(value) if lowest <= value <= highest else None

    def text(self, name: str) -> str | None:
        """A property that is a text."""
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def object_path(self, name: str) -> str | None:
        """The path of a property that is an object's name and path; ``/`` stands for none."""
        value = self._values.get(name)
        is_pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str)
        return value[1] if is_pair else None  # type: ignore[index]

    def user_id(self) -> int | None:
        """The number of the user whose session it is."""
        value = self._values.get("User")
        is_pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], int)
        return value[0] if is_pair else None  # type: ignore[index]


def metered_by_network_manager(network_manager: TypedValues) -> bool | None:
    """Whether the network is metered; NetworkManager's guess counts."""
    return _IS_METERED.get(int(network_manager.number("Metered", 0, 4) or 0))


def saves_power(profile_services: Iterable[TypedValues]) -> bool | None:
    """Whether the profile in use is the one that saves power, of the first service that names it."""
    profile = next((name for each in profile_services if (name := each.text("ActiveProfile"))), None)
    return None if profile is None else profile == "power-saver"


def charge_of(batteries: TypedValues) -> float | None:
    """The charge of all batteries together, 0 to 1; ``None`` also without any."""
    percent = batteries.number("Percentage", 0, 100)
    return percent / 100 if percent is not None and batteries.flag("IsPresent") else None


def hinted_idle_seconds(session: TypedValues) -> float | None:
    """Seconds without input, where the desktop tells logind of them: only some do, and only after minutes.

    A desktop that has never told it is one that never will. That of a terminal would be the terminal's.
    """
    is_idle = session.flag("IdleHint")
    since = session.number("IdleSinceHintMonotonic", 1, time.monotonic() * _MICROSECONDS)
    if is_idle is None or since is None or session.text("Type") not in GRAPHICAL_SESSIONS:
        return None
    return time.monotonic() - since / _MICROSECONDS if is_idle else 0.0


def answered_idle_seconds(milliseconds: object) -> float | None:
    """What an idle monitor has answered, if that can be: nobody is idle since before the computer was started."""
    if not isinstance(milliseconds, int) or isinstance(milliseconds, bool):
        return None
    seconds = milliseconds / _MILLISECONDS
    return seconds if 0 <= seconds <= seconds_since_start() else None


def is_player(service: str) -> bool:
    """Whether a service of that name is a media player (MPRIS)."""
    return service.startswith(f"{PLAYER_PREFIX}.") and player_program(service) not in _PROXIES


def player_program(service: str) -> str:
    """The program's part of a name such as ``org.mpris.MediaPlayer2.vlc.instance7``."""
    return service.removeprefix(f"{PLAYER_PREFIX}.").partition(".")[0]


def keeps_screen_on(flags: object) -> bool:
    """Whether a program's wish to the session manager is that the screen must stay on."""
    return isinstance(flags, int) and bool(flags & _KEEPS_SCREEN_ON)


def inhibitor_name(program: object) -> str:
    """The program that has that wish, or whom else it has told."""
    return (sanitize_line(program, _LONGEST_NAME) if isinstance(program, str) else "") or "GNOME"


def games_by_count(game_mode: TypedValues, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """The games that GameMode counts, by their names where these are known; ``None`` where it does not count."""
    count = game_mode.number("ClientCount", 0, MOST_GAMES)
    if count is None:
        return None
    return (names or (GAME_MODE_NAME,)) if count else ()


def game_names(pids: Iterable[int]) -> tuple[str, ...]:
    """The names of the games' programs; a process that has ended, or is another user's, keeps its own to itself."""
    return tuple(sorted({sanitize_line(name, _LONGEST_NAME) for pid in pids if (name := program_name(pid))}))


def program_name(pid: int) -> str:
    """The name of a process's program, nothing where it cannot be known."""
    import psutil

    try:
        return psutil.Process(pid).name()
    except (psutil.Error, OverflowError, ValueError, OSError):
        return ""
