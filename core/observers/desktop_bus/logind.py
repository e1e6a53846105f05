"""Whether anybody sits at this computer: logind's seats, and the session that each shows (org.freedesktop.login1(5)).

A service belongs to no session, so what counts is who can be seen on the screen, whoever of the computer's users it is.
Sessions without a seat (SSH) are not looked at: nobody touches this computer in them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from core.observers.desktop_bus.connection import BusConnection
from core.observers.desktop_bus.readings import Properties, hinted_idle_seconds
from core.observers.desktop_bus.services import LOGIND, SEAT_INTERFACE, SESSION_INTERFACE, Target

_MOST_SEATS = 16
_NO_OBJECT = "/"


class SeatState(NamedTuple):
    """What a seat shows, or all of them together; ``None`` is what cannot be told.

    ``is_locked`` is true also where nobody has logged in, or only the login screen is shown. ``is_own`` is whether the
    session that is shown belongs to the user of this program, and ``kind`` is ``x11``, ``wayland`` or ``tty``.
    """

    is_locked: bool | None = None
    idle_seconds: float | None = None
    is_own: bool | None = None
    kind: str = ""


def seats_in_use(bus: BusConnection) -> SeatState:
    """What all seats with a screen show: locked where each is, and idle for as long as the one touched last."""
    seats = list(_seats(bus))
    used = [seat for seat in seats if seat.is_locked is not True]
    if not used:
        return SeatState(is_locked=True) if seats else SeatState()
    idle = [seat.idle_seconds for seat in used]
    known = [seconds for seconds in idle if seconds is not None]
    is_locked = False if all(seat.is_locked is False for seat in used) else None
    only = used[0] if len(used) == 1 else SeatState(is_own=all(seat.is_own for seat in used))
    return SeatState(is_locked, min(known) if len(known) == len(idle) else None, only.is_own, only.kind)


def _seats(bus: BusConnection) -> Iterator[SeatState]:
    listed = bus.answer(LOGIND, "ListSeats")
    for each in listed[:_MOST_SEATS] if isinstance(listed, list) else ():
        path = each[1] if isinstance(each, tuple) and len(each) == 2 else None
        if isinstance(path, str) and path.startswith("/"):
            seat = bus.properties(Target(LOGIND.service, path, SEAT_INTERFACE))
            session = seat.object_path("ActiveSession")
            if seat.flag("CanGraphical") or session not in (None, _NO_OBJECT):
                yield SeatState() if session is None else _shown(bus, session)


def _shown(bus: BusConnection, path: str) -> SeatState:
    if path == _NO_OBJECT:
        return SeatState(is_locked=True)
    session = bus.properties(Target(LOGIND.service, path, SESSION_INTERFACE))
    owner, kind = session.text("Class"), session.text("Type") or ""
    if owner is None:
        return SeatState()
    if not owner.startswith("user"):  # the login screen, or the one that has locked the session
        return SeatState(is_locked=True)
    return SeatState(session.flag("LockedHint"), hinted_idle_seconds(session), _is_own(session), kind)


def _is_own(session: Properties) -> bool | None:
    user = session.user_id()
    return None if user is None else user == os.getuid()
