"""What other programs tell over D-Bus, read without Qt: real buses, python-dbusmock's services, good and bad ones."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from core.observers.desktop_bus.connection import BusConnection
from core.observers.desktop_bus.reader import EVERYTHING, NOBODY, DesktopReader, Told
from tests.core.observers.desktop_bus.conftest import NETWORK_MANAGER, Buses

UPOWER, UPOWER_PATH = "org.freedesktop.UPower", "/org/freedesktop/UPower"
PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
GAME_MODE, GAME_MODE_PATH = "com.feralinteractive.GameMode", "/com/feralinteractive/GameMode"
VLC, VLC_PATH = "org.mpris.MediaPlayer2.vlc", "/org/mpris/MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
NAME, PATH = NETWORK_MANAGER
SHORT_SECONDS = 0.3


def test_what_network_manager_knows_and_guesses(buses: Buses) -> None:
    service, reader = buses.network_manager(4), buses.reader()
    for word, expected in ((4, False), (3, True), (2, False), (1, True), (0, None), (1, True), (77, None)):
        service.update(NAME, {"Metered": ("u", word)})
        told = reader.read(EVERYTHING)["is_metered"]
        assert told == (NOBODY if expected is None else Told(expected, "NetworkManager"))


def test_where_network_manager_does_not_know_the_portal_is_asked(buses: Buses) -> None:
    buses.network_manager(0)
    portal, reader = buses.on_session(*PORTAL), buses.reader()
    portal.add_method("GetMetered", "b", "ret = True", interface="org.freedesktop.portal.NetworkMonitor")
    assert reader.read(EVERYTHING)["is_metered"] == Told(True, "xdg-desktop-portal")


def test_a_laptop_on_its_battery(buses: Buses) -> None:
    upower, reader = buses.on_system(UPOWER, UPOWER_PATH, template="upower"), buses.reader()
    told = reader.read(EVERYTHING)
    assert (told["is_on_battery"], told["battery"]) == (Told(False, "UPower"), NOBODY)
    upower.call("SetupDisplayDevice", "iiddddxxbsi", 2, 2, 34.0, 30.0, 60.0, 8.0, 9000, 0, True, "battery", 1)
    upower.update(UPOWER, {"OnBattery": ("b", True)})
    told = reader.read(EVERYTHING)
    assert (told["is_on_battery"], told["battery"]) == (Told(True, "UPower"), Told(0.34, "UPower"))


@pytest.mark.parametrize("name", ["org.freedesktop.UPower.PowerProfiles", "net.hadess.PowerProfiles"])
def test_either_name_of_the_power_profiles_is_asked(buses: Buses, name: str) -> None:
    profiles, reader = buses.on_system(name, f"/{name.replace('.', '/')}"), buses.reader()
    profiles.add_properties(name, {"ActiveProfile": ("s", "balanced")})
    assert reader.read(EVERYTHING)["is_power_saving"] == Told(False, "power-profiles-daemon")
    profiles.update(name, {"ActiveProfile": ("s", "power-saver")})
    assert reader.read(EVERYTHING)["is_power_saving"] == Told(True, "power-profiles-daemon")


def test_a_game_is_named_by_its_process(buses: Buses) -> None:
    service, reader = buses.on_session(GAME_MODE, GAME_MODE_PATH), buses.reader()
    with subprocess.Popen(["sleep", "600"]) as game:
        try:
            for games, expected in (("[]", ()), (f"[({game.pid}, '/a')]", ("sleep",)), ("[(-1, '/a')]", ("GameMode",))):
                service.add_method("ListGames", "a(io)", f"ret = {games}")
                assert reader.read(EVERYTHING)["games"] == Told(expected, "GameMode")
        finally:
            game.kill()


def test_an_older_game_mode_counts_them(buses: Buses) -> None:
    service, reader = buses.on_session(GAME_MODE, GAME_MODE_PATH), buses.reader()
    service.add_properties(GAME_MODE, {"ClientCount": ("i", 1)})
    assert reader.read(EVERYTHING)["games"] == Told(("GameMode",), "GameMode")
    service.update(GAME_MODE, {"ClientCount": ("i", -1)})
    assert reader.read(EVERYTHING)["games"] == NOBODY


def test_a_player_that_plays_is_a_film_and_one_that_pauses_is_none(buses: Buses) -> None:
    player, reader = buses.on_session(VLC, VLC_PATH), buses.reader()
    player.add_properties(PLAYER, {"PlaybackStatus": ("s", "Playing")})
    assert reader.read(EVERYTHING)["films"] == Told(("vlc",), "MPRIS")
    player.update(PLAYER, {"PlaybackStatus": ("s", "Paused")})
    assert reader.read(EVERYTHING)["films"] == Told((), "MPRIS")


def test_who_keeps_the_screen_on_is_a_film(buses: Buses) -> None:
    name, path = "org.gnome.SessionManager", "/org/gnome/SessionManager"
    service, reader = buses.on_session(name, path), buses.reader()
    service.add_method("GetInhibitors", "ao", f"ret = ['{path}/Inhibitor1', '{path}/Inhibitor2']")
    for number, flags, program in ((1, 8, "firefox"), (2, 4, "brasero")):
        methods = [("GetFlags", "", "u", f"ret = {flags}"), ("GetAppId", "", "s", f"ret = '{program}'")]
        service.add_object(f"{path}/Inhibitor{number}", f"{name}.Inhibitor", {}, methods)
    assert reader.read(EVERYTHING)["films"] == Told(("firefox",), "MPRIS, GNOME SessionManager")


def test_what_no_rule_asks_for_is_not_asked(buses: Buses) -> None:
    rules = msgspec.structs.replace(EVERYTHING, metered=False, games=False, films=False, idle_minutes=None)
    assert buses.reader().read(rules).keys() == {"is_on_battery", "battery", "is_power_saving"}


def test_a_service_that_hangs_is_not_seen_and_not_asked_again_for_a_while(buses: Buses) -> None:
    service = buses.network_manager(1)
    buses.on_system(UPOWER, UPOWER_PATH, template="upower")
    reader = buses.reader(answer_seconds=SHORT_SECONDS, rest_seconds=600.0)
    until_told(lambda: buses.reader().read(EVERYTHING)["is_metered"], Told(True, "NetworkManager"))
    service.hang()
    began = time.monotonic()
    assert reader.read(EVERYTHING)["is_metered"] == NOBODY
    assert time.monotonic() - began >= SHORT_SECONDS
    service.recover()
    assert reader.read(EVERYTHING)["is_metered"] == NOBODY, "it rests"
    assert buses.reader().read(EVERYTHING)["is_metered"] == Told(True, "NetworkManager")


def test_a_service_that_restarts_is_asked_anew(buses: Buses) -> None:
    service, reader = buses.network_manager(1), buses.reader()
    assert reader.read(EVERYTHING)["is_metered"].value is True
    service.end()
    until_told(lambda: reader.read(EVERYTHING)["is_metered"], NOBODY)
    buses.network_manager(2)
    assert reader.read(EVERYTHING)["is_metered"].value is False


@pytest.mark.parametrize("lie", [("s", "yes"), ("b", True), ("i", -1), ("d", float("nan")), ("as", ["1"])])
def test_a_word_that_cannot_be_is_none(buses: Buses, lie: tuple[str, Any]) -> None:
    service, reader = buses.on_system(NAME, PATH), buses.reader()
    service.add_properties(NAME, {"Metered": lie})
    assert reader.read(EVERYTHING)["is_metered"] == NOBODY


def test_answers_of_another_type_are_none(buses: Buses) -> None:
    monitor = "org.gnome.Mutter.IdleMonitor"
    mutter = buses.on_session(monitor, "/org/gnome/Mutter/IdleMonitor/Core")
    games, logind = buses.on_session(GAME_MODE, GAME_MODE_PATH), buses.on_system("org.freedesktop.login1", "/o")
    mutter.add_method("GetIdletime", "s", "ret = 'long'")
    games.add_method("ListGames", "s", "ret = 'many'")
    logind.add_method("ListSeats", "as", "ret = ['seat0']")
    told = buses.reader().read(EVERYTHING)
    assert [told[name] for name in ("idle_seconds", "games", "is_locked")] == [NOBODY] * 3


def test_without_any_bus_nobody_tells_anything() -> None:
    for address in ("", "unix:path=/nonexistent", "tcp:host=localhost", "nonsense"):
        told = DesktopReader(BusConnection(address), BusConnection(address), {}).read(EVERYTHING)
        assert set(told.values()) == {NOBODY}


def test_after_the_end_of_a_bus_the_next_one_is_asked(buses: Buses) -> None:
    asked = BusConnection(buses.system_address)
    buses.network_manager(1)
    reader = DesktopReader(BusConnection(""), asked, {})
    buses.services.callback(reader.close)
    until_told(lambda: reader.read(EVERYTHING)["is_metered"], Told(True, "NetworkManager"))
    asked._connection.sock.shutdown(2)
    assert reader.read(EVERYTHING)["is_power_saving"] == NOBODY
    until_told(lambda: reader.read(EVERYTHING)["is_metered"], Told(True, "NetworkManager"))


def until_told(look: Callable[[], Told], expected: Told) -> None:
    """Ask until that is told."""
    ends = time.monotonic() + 60.0
    while look() != expected:
        assert time.monotonic() < ends, expected
