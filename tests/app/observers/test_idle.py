"""The idle time, from the first that knows it: desktops' services that answer, lie, hang and vanish."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.observers.idle import IdleObserver, idle_sources
from app.observers.session import SessionObserver
from tests.app.observers.conftest import Buses
from tests.app.support.mock_service import MockService

LIMIT = 60_000
POLL_SECONDS = 0.1
MUTTER, MUTTER_PATH = "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core"
MUFFIN, MUFFIN_PATH = "org.cinnamon.Muffin.IdleMonitor", "/org/cinnamon/Muffin/IdleMonitor/Core"
KDE, KDE_PATH, KDE_INTERFACE = "org.kde.screensaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"
NO_SCREEN = {"XDG_SESSION_TYPE": "x11"}


def monitor(buses: Buses, name: str, path: str, milliseconds: str = "5000") -> MockService:
    service = buses.on_session(name, path)
    service.add_method("GetIdletime", "t", f"ret = {milliseconds}")
    return service


def observer(buses: Buses, parent: QObject) -> IdleObserver:
    sources = idle_sources(buses.session, SessionObserver(buses.system, parent), NO_SCREEN, parent)
    return IdleObserver(sources, parent, poll_seconds=POLL_SECONDS)


@pytest.mark.parametrize(
    ("name", "path", "expected"), [(MUTTER, MUTTER_PATH, "Mutter"), (MUFFIN, MUFFIN_PATH, "Muffin")]
)
def test_gnome_and_cinnamon_are_asked_again_and_again(
    qtbot: QtBot, buses: Buses, parent: QObject, name: str, path: str, expected: str
) -> None:
    service = monitor(buses, name, path)
    idle = observer(buses, parent)
    qtbot.waitUntil(lambda: idle.idle_seconds == 5.0, timeout=LIMIT)
    assert idle.source == expected
    service.add_method("GetIdletime", "t", "ret = 0")
    qtbot.waitUntil(lambda: idle.idle_seconds == 0.0, timeout=LIMIT)


def test_kde_under_x11_is_asked_in_milliseconds(qtbot: QtBot, buses: Buses, parent: QObject) -> None:
    service = buses.on_session(KDE, KDE_PATH)
    service.add_method("GetSessionIdleTime", "u", "ret = 7000", interface=KDE_INTERFACE)
    idle = observer(buses, parent)
    qtbot.waitUntil(lambda: idle.idle_seconds == 7.0, timeout=LIMIT)
    assert idle.source == "KDE"


def test_kde_under_wayland_is_not_believed(qtbot: QtBot, buses: Buses, parent: QObject) -> None:
    names = [
        each.name
        for each in idle_sources(buses.session, SessionObserver(buses.system, parent), {"WAYLAND_DISPLAY": "x"}, parent)
    ]
    assert names == ["Mutter", "Muffin", "Wayland", "logind"]


@pytest.mark.parametrize(
    ("answer", "code"), [("t", "2**63"), ("i", "-5"), ("s", "'long'"), ("b", "True"), ("d", "1.0")]
)
def test_a_service_that_lies_is_passed_over(
    qtbot: QtBot, buses: Buses, parent: QObject, answer: str, code: str
) -> None:
    liar = monitor(buses, MUTTER, MUTTER_PATH, "1000")
    monitor(buses, MUFFIN, MUFFIN_PATH)
    idle = observer(buses, parent)
    qtbot.waitUntil(lambda: idle.idle_seconds == 1.0, timeout=LIMIT)
    liar.add_method("GetIdletime", answer, f"ret = {code}")
    qtbot.waitUntil(lambda: (idle.idle_seconds, idle.source) == (5.0, "Muffin"), timeout=LIMIT)
    liar.add_method("GetIdletime", "t", "ret = 2000")
    qtbot.waitUntil(lambda: (idle.idle_seconds, idle.source) == (2.0, "Mutter"), timeout=LIMIT)


def test_a_service_that_hangs_is_passed_over_and_one_that_restarts_is_asked_again(
    qtbot: QtBot, buses: Buses, parent: QObject
) -> None:
    hung = monitor(buses, MUTTER, MUTTER_PATH, "1000")
    other = monitor(buses, MUFFIN, MUFFIN_PATH)
    idle = observer(buses, parent)
    qtbot.waitUntil(lambda: idle.source == "Mutter", timeout=LIMIT)
    hung.hang()
    qtbot.waitUntil(lambda: (idle.idle_seconds, idle.source) == (5.0, "Muffin"), timeout=LIMIT)
    other.end()
    qtbot.waitUntil(lambda: idle.idle_seconds is None, timeout=LIMIT)
    other = monitor(buses, MUFFIN, MUFFIN_PATH, "3000")
    qtbot.waitUntil(lambda: idle.idle_seconds == 3.0, timeout=LIMIT)


def test_whoever_does_not_want_to_know_asks_nobody(qtbot: QtBot, buses: Buses, parent: QObject) -> None:
    service = buses.on_session(MUTTER, MUTTER_PATH)
    service.add_method("GetIdletime", "t", "self.n = getattr(self, 'n', 0) + 1000; ret = self.n")
    idle = observer(buses, parent)
    qtbot.waitUntil(lambda: (idle.idle_seconds or 0) >= 3, timeout=LIMIT)
    idle.watch(False)
    assert (idle.idle_seconds, idle.source) == (None, None)
    idle.watch(True)
    qtbot.waitUntil(lambda: (idle.idle_seconds or 0) >= 5, timeout=LIMIT)
