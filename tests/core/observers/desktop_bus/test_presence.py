"""Whether anybody is at the computer: logind's seats, and the idle monitors of this user's session."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from core.observers.desktop_bus import reader as reader_module
from core.observers.desktop_bus.reader import EVERYTHING, NOBODY, Told
from tests.core.observers.desktop_bus.conftest import SEAT, SEAT_PATH, SESSION, SESSION_PATH, Buses

MUTTER, MUTTER_PATH = "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core"
KDE, KDE_PATH = "org.kde.screensaver", "/org/freedesktop/ScreenSaver"
LEFT, THERE = Told(True, "logind"), Told(False, "logind")


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, THERE),
        ({"LockedHint": ("b", True)}, LEFT),
        ({"Class": ("s", "greeter")}, LEFT),
        ({"Class": ("s", "lock-screen")}, LEFT),
        ({"Type": ("s", "tty")}, THERE),
        ({"LockedHint": ("s", "yes")}, NOBODY),
        ({"Class": ("b", True)}, NOBODY),
    ],
)
def test_what_the_seat_shows(buses: Buses, properties: dict[str, tuple[str, Any]], expected: Told) -> None:
    logind, reader = buses.desktop(), buses.reader()
    if properties:
        logind.update(SESSION, properties, path=SESSION_PATH)
    assert reader.read(EVERYTHING)["is_locked"] == expected


def test_where_nobody_is_logged_in_nobody_is_there(buses: Buses) -> None:
    logind, reader = buses.seat(), buses.reader()
    assert reader.read(EVERYTHING)["is_locked"] == LEFT
    logind.update(SEAT, {"CanGraphical": ("b", False)}, path=SEAT_PATH)
    assert reader.read(EVERYTHING)["is_locked"] == NOBODY, "a computer without a screen is used from elsewhere"


def test_of_two_seats_one_that_is_used_is_enough(buses: Buses) -> None:
    logind, reader = buses.desktop(), buses.reader()
    logind.call("AddSession", "ssusb", "c2", "seat1", 4242, "other", True)
    logind.update(SESSION, {"LockedHint": ("b", True)}, path=SESSION_PATH)
    assert reader.read(EVERYTHING)["is_locked"] == THERE
    logind.update(SESSION, {"LockedHint": ("b", True)}, path="/org/freedesktop/login1/session/c2")
    assert reader.read(EVERYTHING)["is_locked"] == LEFT


def test_in_wsl_nobody_can_tell(buses: Buses, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its logind has a seat that nobody sits at; that this is WSL is said by a stand-in."""
    buses.seat()
    reader = buses.reader()
    assert reader.read(EVERYTHING)["is_locked"] == LEFT
    monkeypatch.setattr(reader_module, "is_wsl", lambda: True)
    assert reader.read(EVERYTHING)["is_locked"] == NOBODY


def test_gnome_s_monitor_tells_the_idle_time(buses: Buses) -> None:
    buses.desktop()
    monitor, reader = buses.on_session(MUTTER, MUTTER_PATH), buses.reader()
    for milliseconds, expected in ((90_000, Told(90.0, "Mutter")), (2**62, NOBODY)):
        monitor.add_method("GetIdletime", "t", f"ret = {milliseconds}")
        assert reader.read(EVERYTHING)["idle_seconds"] == expected


@pytest.mark.parametrize(("user", "kind"), [(os.getuid() + 1, "wayland"), (None, "tty")])
def test_it_knows_nothing_of_another_user_s_input_or_of_a_terminal_s(buses: Buses, user: int | None, kind: str) -> None:
    buses.desktop(user=user, kind=kind)
    buses.on_session(MUTTER, MUTTER_PATH).add_method("GetIdletime", "t", "ret = 90000")
    assert buses.reader().read(EVERYTHING)["idle_seconds"] == NOBODY


@pytest.mark.parametrize(("kind", "expected"), [("x11", Told(90.0, "KDE")), ("wayland", NOBODY)])
def test_kde_s_service_is_asked_on_x11_only(buses: Buses, kind: str, expected: Told) -> None:
    buses.desktop(kind=kind)
    buses.on_session(KDE, KDE_PATH).add_method(
        "GetSessionIdleTime", "u", "ret = 90000", interface="org.freedesktop.ScreenSaver"
    )
    assert buses.reader().read(EVERYTHING)["idle_seconds"] == expected


def test_logind_s_hint_counts_where_the_desktop_has_ever_given_one(buses: Buses) -> None:
    logind, reader = buses.desktop(user=os.getuid() + 1), buses.reader()
    assert reader.read(EVERYTHING)["idle_seconds"] == NOBODY
    since = int((time.monotonic() - 1.0) * 1e6)
    logind.update(SESSION, {"IdleHint": ("b", True), "IdleSinceHintMonotonic": ("t", since)}, path=SESSION_PATH)
    told = reader.read(EVERYTHING)["idle_seconds"]
    assert told.source == "logind" and isinstance(told.value, float) and told.value >= 1.0
    logind.update(SESSION, {"IdleHint": ("b", False)}, path=SESSION_PATH)
    assert reader.read(EVERYTHING)["idle_seconds"] == Told(0.0, "logind")
