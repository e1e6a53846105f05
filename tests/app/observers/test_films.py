"""Who plays (MPRIS), and who forbids the screen to be blanked (GNOME's session manager)."""

from __future__ import annotations

from PySide6.QtDBus import QDBusConnection
from pytestqt.qtbot import QtBot

from app.observers.films import FilmsObserver
from tests.app.observers.conftest import Buses
from tests.app.support.mock_service import MockService

LIMIT = 60_000
PLAYER, PLAYER_PATH = "org.mpris.MediaPlayer2.Player", "/org/mpris/MediaPlayer2"
MANAGER, MANAGER_PATH = "org.gnome.SessionManager", "/org/gnome/SessionManager"


def player(buses: Buses, name: str, status: str) -> MockService:
    service = buses.on_session(f"org.mpris.MediaPlayer2.{name}", PLAYER_PATH)
    service.add_properties(PLAYER, {"PlaybackStatus": ("s", status), "Volume": ("d", 1.0)})
    service.update(PLAYER, {"Volume": ("d", 0.5)})  # it had its name before it had properties
    return service


def test_a_player_counts_while_it_plays(qtbot: QtBot, buses: Buses) -> None:
    vlc = player(buses, "vlc.instance7", "Playing")
    films = FilmsObserver(buses.session)
    qtbot.waitUntil(lambda: films.films == ("vlc",), timeout=LIMIT)
    vlc.update(PLAYER, {"PlaybackStatus": ("s", "Paused")})
    qtbot.waitUntil(lambda: films.films == (), timeout=LIMIT)
    firefox = player(buses, "firefox.instance_1_42", "Playing")
    qtbot.waitUntil(lambda: films.films == ("firefox",), timeout=LIMIT)
    assert films.source == "MPRIS"
    firefox.end()
    qtbot.waitUntil(lambda: films.films == (), timeout=LIMIT)


def test_a_stand_in_for_other_players_does_not_count(qtbot: QtBot, buses: Buses) -> None:
    player(buses, "playerctld", "Playing")
    player(buses, "kdeconnect.mpris_000001", "Playing")
    player(buses, "mpv", "Playing")
    films = FilmsObserver(buses.session)
    qtbot.waitUntil(lambda: films.films == ("mpv",), timeout=LIMIT)


def test_a_player_that_lies_or_hangs_keeps_no_other_from_being_seen(qtbot: QtBot, buses: Buses) -> None:
    liar = player(buses, "liar", "Playing")
    hung = player(buses, "hung", "Playing")
    player(buses, "mpv", "Playing")
    liar.update(PLAYER, {"PlaybackStatus": ("i", 7)})
    hung.hang()
    films = FilmsObserver(buses.session)
    qtbot.waitUntil(lambda: films.films == ("mpv",), timeout=LIMIT)
    hung.recover()
    qtbot.waitUntil(lambda: films.films == ("hung", "mpv"), timeout=LIMIT)


def inhibit(manager: MockService, number: int, program: str, flags: int) -> None:
    """What ``Inhibit`` makes: an object for the wish, and a signal."""
    methods = [("GetFlags", "", "u", f"ret = {flags}"), ("GetAppId", "", "s", f"ret = {program!r}")]
    manager.add_object(f"{MANAGER_PATH}/Inhibitor{number}", f"{MANAGER}.Inhibitor", {}, methods)
    manager.emit(MANAGER, "InhibitorAdded", "o", ("o", f"{MANAGER_PATH}/Inhibitor{number}"))


def test_programs_that_keep_the_screen_on_are_named(qtbot: QtBot, buses: Buses) -> None:
    manager = buses.on_session(MANAGER, MANAGER_PATH)
    inhibit(manager, 1, "org.gnome.Totem", 8 | 4)
    inhibit(manager, 2, "org.gnome.Software", 4)  # only no suspend
    films = FilmsObserver(buses.session)
    qtbot.waitUntil(lambda: films.films == ("org.gnome.Totem",), timeout=LIMIT)
    assert films.source == "MPRIS, GNOME SessionManager"
    inhibit(manager, 3, "", 8)
    qtbot.waitUntil(lambda: films.films == ("GNOME", "org.gnome.Totem"), timeout=LIMIT)
    manager.call("RemoveObject", "s", f"{MANAGER_PATH}/Inhibitor1")
    manager.emit(MANAGER, "InhibitorRemoved", "o", ("o", f"{MANAGER_PATH}/Inhibitor1"))
    qtbot.waitUntil(lambda: films.films == ("GNOME",), timeout=LIMIT)
    manager.end()
    qtbot.waitUntil(lambda: films.films == (), timeout=LIMIT)


def test_without_a_bus_there_is_nothing(qtbot: QtBot, no_bus: QDBusConnection) -> None:
    films = FilmsObserver(no_bus)
    assert (films.films, films.source) == (None, None)
