"""Whether the network is metered: NetworkManager's five words for it, and the portal's where it has none."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.observers.metered import MeteredObserver
from tests.app.observers.conftest import Buses, wait_for_value
from tests.app.support.mock_service import MockService

LIMIT = 60_000
NAME, PATH = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager"
PORTAL = "org.freedesktop.portal.NetworkMonitor"


def network_manager(buses: Buses, metered: int) -> MockService:
    service = buses.on_system(NAME, PATH)
    service.add_properties(NAME, {"Metered": ("u", metered)})
    return service


def test_what_network_manager_knows_and_guesses(qtbot: QtBot, buses: Buses) -> None:
    service = network_manager(buses, 4)
    metered = MeteredObserver(buses.session, buses.system)
    for word, expected in ((4, False), (3, True), (2, False), (1, True), (0, None), (1, True), (77, None)):
        service.update(NAME, {"Metered": ("u", word)})
        wait_for_value(qtbot, lambda: metered.is_metered, expected)
        assert metered.source == (None if expected is None else "NetworkManager")


def test_where_network_manager_does_not_know_the_portal_is_asked(qtbot: QtBot, buses: Buses) -> None:
    network_manager(buses, 0)
    portal = buses.on_session("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
    portal.add_method("GetMetered", "b", "ret = True", interface=PORTAL)
    metered = MeteredObserver(buses.session, buses.system)
    qtbot.waitUntil(lambda: metered.is_metered is True, timeout=LIMIT)
    assert metered.source == "xdg-desktop-portal"
    portal.add_method("GetMetered", "b", "ret = False", interface=PORTAL)
    portal.emit(PORTAL, "changed", "")
    qtbot.waitUntil(lambda: metered.is_metered is False, timeout=LIMIT)
