"""Games that have told GameMode of themselves, players that play, and programs that keep the screen on."""

from __future__ import annotations

from core.observers.desktop_bus.connection import BusConnection, NoAnswerError
from core.observers.desktop_bus.readings import (
    GAME_MODE_NAME,
    MOST_GAMES,
    game_names,
    games_by_count,
    inhibitor_name,
    is_player,
    keeps_screen_on,
    player_program,
)
from core.observers.desktop_bus.services import (
    BUS,
    GAME_MODE,
    INHIBITOR_INTERFACE,
    PLAYER_INTERFACE,
    PLAYER_PATH,
    SESSION_MANAGER,
    Target,
)

_MOST = 20  # players and inhibitors that are asked


def games(bus: BusConnection) -> tuple[str, ...] | None:
    """The names of their programs; ``None`` where there is no GameMode.

    It is started by the first game that speaks to it, and must not be started by a question; so where it could be
    started and is not, nobody plays.
    """
    try:
        listed = bus.call(GAME_MODE, "ListGames")
    except NoAnswerError as error:
        if error.is_absent:
            return () if _is_startable(bus) else None
        return games_by_count(bus.properties(GAME_MODE), ())  # one before version 1.5
    if not isinstance(listed, list) or len(listed) > MOST_GAMES:
        return None
    pids = [each[0] for each in listed if isinstance(each, tuple) and each and isinstance(each[0], int)]
    return (game_names(pids) or (GAME_MODE_NAME,)) if listed else ()


def playing(bus: BusConnection) -> tuple[str, ...] | None:
    """The programs that play now; ``None`` where the bus does not tell who is on it."""
    names = bus.answer(BUS, "ListNames")
    if not isinstance(names, list):
        return None
    players = [name for name in names if isinstance(name, str) and is_player(name)][:_MOST]
    return tuple(sorted({player_program(name) for name in players if _plays(bus, name)}))


def inhibiting(bus: BusConnection) -> tuple[str, ...] | None:
    """The programs that keep the screen on; ``None`` where there is no session manager that knows."""
    paths = bus.answer(SESSION_MANAGER, "GetInhibitors")
    if not isinstance(paths, list):
        return None
    wishes = [Target(SESSION_MANAGER.service, path, INHIBITOR_INTERFACE) for path in paths[:_MOST] if _is_path(path)]
    screen = (wish for wish in wishes if keeps_screen_on(bus.answer(wish, "GetFlags")))
    return tuple(sorted({inhibitor_name(bus.answer(wish, "GetAppId")) for wish in screen}))


def _is_startable(bus: BusConnection) -> bool:
    names = bus.answer(BUS, "ListActivatableNames")
    return isinstance(names, list) and GAME_MODE.service in names


def _plays(bus: BusConnection, player: str) -> bool:
    target = Target(player, PLAYER_PATH, PLAYER_INTERFACE)
    return bus.properties(target).text("PlaybackStatus") == "Playing"


def _is_path(path: object) -> bool:
    return isinstance(path, str) and path.startswith("/")
