"""One look at all that other programs tell over D-Bus, or an X server, as far as rules ask for it, and who tells it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.availability.rules import AvailabilityRules
from core.observers.desktop_bus import programs
from core.observers.desktop_bus.connection import BusConnection, session_bus_address, system_bus_address
from core.observers.desktop_bus.logind import SeatState, seats_in_use
from core.observers.desktop_bus.readings import (
    GAME_MODE_NAME,
    answered_idle_seconds,
    charge_of,
    metered_by_network_manager,
    saves_power,
)
from core.observers.desktop_bus.services import (
    BATTERIES,
    KDE_SCREEN_SAVER,
    MUFFIN,
    MUTTER,
    NETWORK_MANAGER,
    NETWORK_PORTAL,
    POWER_PORTAL,
    POWER_PROFILES,
    UPOWER,
)
from core.observers.display_servers.x11_full_screen import X11FullScreen
from core.wsl import is_wsl

EVERYTHING = AvailabilityRules(films=True, idle_minutes=1)
"""Rules that ask for all that can be told."""
_LOGIND, _PORTAL = "logind", "xdg-desktop-portal"


@dataclass(frozen=True)
class Told:
    """A value of an ``Observation``, and the name of the program that tells it; neither where nobody does."""

    value: object = None
    source: str | None = None


NOBODY = Told()


class DesktopReader:
    """Asks whoever may know on both buses; for one thread, which may have to wait. Never raises.

    ``environment`` tells of the X server that shows the session, which is asked what no bus knows.
    """

    def __init__(
        self,
        session: BusConnection | None = None,
        system: BusConnection | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._session = session or BusConnection(session_bus_address())
        self._system = system or BusConnection(system_bus_address())
        self._full_screen = X11FullScreen(environment)

    def read(self, rules: AvailabilityRules) -> dict[str, Told]:
        """By field of ``Observation``, what is told of it; a field for which no rule asks is not there."""
        told: dict[str, Told] = {}
        if rules.battery:
            told |= self._power_supply()
        if rules.power_saver:
            told["is_power_saving"] = self._power_saver()
        if rules.metered:
            told["is_metered"] = self._metered()
        if rules.games:
            told["games"] = _told(programs.games(self._session), GAME_MODE_NAME)
            self._full_screen.refresh()
            told["full_screen"] = _told(self._full_screen.is_in_front, self._full_screen.name)
        if rules.films:
            told["films"] = self._films()
        if rules.needs_idle_time:
            told |= self._presence()
        return told

    def close(self) -> None:
        """Leave both of the buses, and the X server."""
        self._session.close()
        self._system.close()
        self._full_screen.close()

    def _power_supply(self) -> dict[str, Told]:
        return {
            "is_on_battery": _told(self._system.properties(UPOWER).flag("OnBattery"), "UPower"),
            "battery": _told(charge_of(self._system.properties(BATTERIES)), "UPower"),
        }

    def _power_saver(self) -> Told:
        by_profile = saves_power(self._system.properties(each) for each in POWER_PROFILES)
        if by_profile is not None:
            return Told(by_profile, "power-profiles-daemon")
        return _told(self._session.properties(POWER_PORTAL).flag("power-saver-enabled"), _PORTAL)

    def _metered(self) -> Told:
        known = metered_by_network_manager(self._system.properties(NETWORK_MANAGER))
        if known is not None:
            return Told(known, "NetworkManager")
        answer = self._session.answer(NETWORK_PORTAL, "GetMetered")
        return _told(answer if isinstance(answer, bool) else None, _PORTAL)

    def _films(self) -> Told:
        found = {"MPRIS": programs.playing(self._session), "GNOME SessionManager": programs.inhibiting(self._session)}
        known = {name: names for name, names in found.items() if names is not None}
        films = tuple(dict.fromkeys(film for names in known.values() for film in names))
        return Told(films, ", ".join(known)) if known else NOBODY

    def _presence(self) -> dict[str, Told]:
        """Whether anybody is there. In WSL nobody can tell: keyboard and screen are those of Windows."""
        seats = SeatState() if is_wsl() else seats_in_use(self._system)
        monitors = self._monitors(seats) if seats.is_locked is not True else iter(())
        idle = next((told for told in monitors if told.value is not None), NOBODY)
        return {"is_locked": _told(seats.is_locked, _LOGIND), "idle_seconds": idle}

    def _monitors(self, seats: SeatState) -> Iterator[Told]:
        """The best first; those on this user's session bus know nothing of another user's input.

        Under Wayland KDE's service does not see all input, and answers 0.
        """
        if seats.is_own is not False and seats.kind != "tty":
            for name, target in (("Mutter", MUTTER), ("Muffin", MUFFIN)):
                yield _told(answered_idle_seconds(self._session.answer(target, "GetIdletime")), name)
            if (seats.kind or os.environ.get("XDG_SESSION_TYPE")) == "x11":
                answer = self._session.answer(KDE_SCREEN_SAVER, "GetSessionIdleTime")
                yield _told(answered_idle_seconds(answer), "KDE")
        yield _told(seats.idle_seconds, _LOGIND)


def _told(value: object, source: str) -> Told:
    return NOBODY if value is None else Told(value, source)
