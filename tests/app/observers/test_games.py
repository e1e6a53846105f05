"""Games that tell GameMode of themselves: with the real daemon, and with one that behaves badly."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
from PySide6.QtDBus import QDBusConnection
from pytestqt.qtbot import QtBot

from app.observers.games import GamesObserver
from core.observers.desktop_bus.readings import program_name
from tests.app.observers.conftest import Buses

LIMIT = 60_000
NAME, PATH = "com.feralinteractive.GameMode", "/com/feralinteractive/GameMode"


@pytest.fixture
def game() -> Iterator[subprocess.Popen[bytes]]:
    """A program that plays for as long as it lives."""
    program = subprocess.Popen(["sleep", "600"])
    yield program
    program.kill()
    program.wait()


@pytest.fixture
def game_mode(buses: Buses) -> Iterator[subprocess.Popen[bytes]]:
    """The real daemon; what it would do to this computer for a game fails quietly without its privileges."""
    daemon = shutil.which("gamemoded")
    if daemon is None:
        pytest.skip("there is no GameMode")
    environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": buses.session_address}
    process = subprocess.Popen([daemon], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield process
    process.kill()
    process.wait()


def register(buses: Buses, pid: int) -> None:
    """What libgamemode does in a game."""
    with open_dbus_connection(buses.session_address) as connection:
        call = new_method_call(DBusAddress(PATH, NAME, NAME), "RegisterGame", "i", (pid,))
        answer = connection.send_and_get_reply(call, timeout=60)
        assert answer.body == (0,)


def test_a_game_is_seen_from_its_registration_to_its_end(
    qtbot: QtBot, buses: Buses, game_mode: subprocess.Popen[bytes], game: subprocess.Popen[bytes]
) -> None:
    games = GamesObserver(buses.session)
    qtbot.waitUntil(lambda: games.source == "GameMode" and is_running(games), timeout=LIMIT)
    register(buses, game.pid)
    qtbot.waitUntil(lambda: games.games == ("sleep",), timeout=LIMIT)
    game.kill()
    game.wait()
    qtbot.waitUntil(lambda: games.games == (), timeout=LIMIT)


def test_a_game_that_was_there_before_is_seen(
    qtbot: QtBot, buses: Buses, game_mode: subprocess.Popen[bytes], game: subprocess.Popen[bytes]
) -> None:
    first = GamesObserver(buses.session)
    qtbot.waitUntil(lambda: is_running(first), timeout=LIMIT)
    register(buses, game.pid)
    games = GamesObserver(buses.session)
    qtbot.waitUntil(lambda: games.games == ("sleep",), timeout=LIMIT)
    game_mode.kill()
    qtbot.waitUntil(lambda: games.games != ("sleep",), timeout=LIMIT)
    assert not games.games


def is_running(games: GamesObserver) -> bool:
    """Whether the daemon itself has answered, rather than the bus that could start it."""
    return games._game_mode.value is not None


def test_without_game_mode_nobody_can_tell(qtbot: QtBot, buses: Buses) -> None:
    games = GamesObserver(buses.session)
    qtbot.waitUntil(lambda: games._game_mode.is_absent, timeout=LIMIT)
    is_installed = shutil.which("gamemoded") is not None
    if is_installed:  # the bus could start it, and was not told to
        qtbot.waitUntil(lambda: games.games == (), timeout=LIMIT)
    else:
        assert games.games is None


def test_a_game_whose_process_cannot_be_seen_is_one_all_the_same(qtbot: QtBot, buses: Buses) -> None:
    service = buses.on_session(NAME, PATH)
    service.add_properties(NAME, {"ClientCount": ("i", 1)})
    games = GamesObserver(buses.session)
    qtbot.waitUntil(lambda: games.games == ("GameMode",), timeout=LIMIT)
    service.add_object(f"{PATH}/Games/99999999999999999999", f"{NAME}.Game", {}, [])
    service.update(NAME, {"ClientCount": ("i", 2)})
    qtbot.waitUntil(lambda: games._processes.names != [], timeout=LIMIT)
    assert games.games == ("GameMode",)


@pytest.mark.parametrize("count", [("i", -1), ("s", "many"), ("b", True), ("d", float("nan"))])
def test_a_number_of_games_that_cannot_be_is_none(qtbot: QtBot, buses: Buses, count: tuple[str, object]) -> None:
    service = buses.on_session(NAME, PATH)
    service.add_properties(NAME, {"ClientCount": ("i", 0)})
    games = GamesObserver(buses.session)
    qtbot.waitUntil(lambda: games.games == () and is_running(games), timeout=LIMIT)
    service.update(NAME, {"ClientCount": count})
    qtbot.waitUntil(lambda: games.games is None, timeout=LIMIT)


def test_names_of_processes() -> None:
    assert program_name(os.getpid()) != ""
    assert (program_name(2**22 + 1), program_name(2**80)) == ("", "")


def test_without_a_bus_there_is_nothing(qtbot: QtBot, no_bus: QDBusConnection) -> None:
    assert GamesObserver(no_bus).games is None
