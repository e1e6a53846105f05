"""A session that is locked, switched away from, or idle, as logind tells."""

from __future__ import annotations

import time

from pytestqt.qtbot import QtBot

from app.observers.session import SessionObserver
from tests.app.observers.conftest import Buses, wait_for_value
from tests.app.support.mock_service import MockService

LIMIT = 60_000
SESSION, OWN_PATH = "org.freedesktop.login1.Session", "/org/freedesktop/login1/session/_32"
AUTO = "/org/freedesktop/login1/session/auto"


def logind(buses: Buses) -> MockService:
    """It has the session under two paths, as the real one, and signals come from its own."""
    service = buses.on_system("org.freedesktop.login1", "/org/freedesktop/login1", template="logind")
    properties = {
        "Type": ("s", "wayland"),
        "Active": ("b", True),
        "LockedHint": ("b", False),
        "IdleHint": ("b", False),
        "IdleSinceHintMonotonic": ("t", 0),
    }
    for path in (AUTO, OWN_PATH):
        service.add_object(path, SESSION, properties, [])
    return service


def test_a_session_is_locked_or_switched_away_from_and_the_two_are_told_apart(qtbot: QtBot, buses: Buses) -> None:
    service = logind(buses)
    session = SessionObserver(buses.system)
    qtbot.waitUntil(lambda: session.is_locked is False, timeout=LIMIT)
    assert session.sources() == {"is_locked": "logind", "is_switched": "logind"}
    for properties, expected in (
        ({"LockedHint": ("b", True)}, (True, False)),
        ({"Active": ("b", False)}, (True, True)),
        ({"LockedHint": ("b", False)}, (False, True)),
        ({"Active": ("b", True)}, (False, False)),
    ):
        service.update(SESSION, properties, path=AUTO)
        wait_for_value(qtbot, lambda: (session.is_locked, session.is_switched), expected)
    service.end()
    qtbot.waitUntil(lambda: session.is_locked is None, timeout=LIMIT)
    assert session.sources() == {"is_locked": None, "is_switched": None}


def test_a_signal_from_the_session_s_own_path_is_heard(qtbot: QtBot, buses: Buses) -> None:
    service = logind(buses)
    session = SessionObserver(buses.system)
    qtbot.waitUntil(lambda: session.is_locked is False, timeout=LIMIT)
    changed = "self.props['org.freedesktop.login1.Session']['LockedHint'] = True"
    service.call("AddMethod", "sssss", SESSION, "LockQuietly", "", "", changed, path=AUTO)
    service.call("LockQuietly", path=AUTO, interface=SESSION)
    service.update(SESSION, {"LockedHint": ("b", True)}, path=OWN_PATH)
    qtbot.waitUntil(lambda: session.is_locked is True, timeout=LIMIT)


def test_idleness_is_known_only_where_the_desktop_has_ever_told_of_it(qtbot: QtBot, buses: Buses) -> None:
    service = logind(buses)
    session = SessionObserver(buses.system)
    qtbot.waitUntil(lambda: session.is_locked is False, timeout=LIMIT)
    assert session.idle_seconds is None
    since = int((time.monotonic() - 1.0) * 1e6)
    service.update(SESSION, {"IdleHint": ("b", True), "IdleSinceHintMonotonic": ("t", since)}, path=AUTO)
    qtbot.waitUntil(lambda: session.idle_seconds is not None and session.idle_seconds >= 1.0, timeout=LIMIT)
    service.update(SESSION, {"IdleHint": ("b", False)}, path=AUTO)
    qtbot.waitUntil(lambda: session.idle_seconds == 0.0, timeout=LIMIT)
    service.update(SESSION, {"IdleSinceHintMonotonic": ("t", 2**62)}, path=AUTO)
    qtbot.waitUntil(lambda: session.idle_seconds is None, timeout=LIMIT)
    service.update(SESSION, {"IdleSinceHintMonotonic": ("t", since), "Type": ("s", "tty")}, path=AUTO)
    with qtbot.waitSignal(session.changed, timeout=LIMIT):
        pass
    assert session.idle_seconds is None
