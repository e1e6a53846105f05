"""The window is dark where the desktop's portal prefers that, and changes with it; one that hangs holds up nothing."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jeepney import DBusAddress, new_method_return, new_signal
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.appearance.theme import Theme
from app.desktop.color_scheme import PortalColorScheme
from tests.support.environment.portal import NAME, PATH, Portal
from tests.support.environment.session_bus import session_bus

SETTINGS = DBusAddress(PATH, NAME, "org.freedesktop.portal.Settings")
APPEARANCE = ("org.freedesktop.appearance", "color-scheme")
DARK, LIGHT, NO_PREFERENCE = 1, 2, 0

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="there is no dbus-daemon")


class SettingsPortal(Portal):
    """Answers ``Read`` as xdg-desktop-portal does, and says when the setting changes; ``None`` never answers."""

    def __init__(self, address: str, setting: int | None) -> None:
        self._setting = setting
        self.asked = threading.Event()
        super().__init__(address, self._read)

    def change(self, setting: int) -> None:
        """Say that it is another one from now on."""
        body = (*APPEARANCE, ("u", setting))
        self.send(new_signal(SETTINGS, "SettingChanged", "ssv", body))

    def _read(self, message: Any) -> Iterator[Any]:
        assert message.body == APPEARANCE
        self.asked.set()
        if self._setting is not None:
            yield new_method_return(message, "v", (("v", ("u", self._setting)),))


Portals = Callable[[int | None], SettingsPortal]


@pytest.fixture
def address(qapp: QApplication) -> Iterator[str]:
    """A session bus of our own."""
    with session_bus() as its_address:
        yield its_address
        QDBusConnection.disconnectFromBus("portal")


@pytest.fixture
def portals(address: str) -> Iterator[Portals]:
    """Puts a portal on that bus, which has that setting."""
    with contextlib.ExitStack() as ends:
        yield lambda setting: ends.enter_context(contextlib.closing(SettingsPortal(address, setting)))


def follow(address: str) -> PortalColorScheme:
    """What the window knows of the portal on that bus."""
    return PortalColorScheme(QDBusConnection.connectToBus(address, "portal"))


@pytest.mark.parametrize(("setting", "is_dark"), [(DARK, True), (LIGHT, False)])
def test_the_theme_follows_the_portal_from_the_start_and_when_it_changes(
    qtbot: QtBot, qapp: QApplication, address: str, portals: Portals, setting: int, is_dark: bool
) -> None:
    portal = portals(setting)
    seen, theme = follow(address), Theme(qapp)
    theme.choose("system")
    theme.follow(seen)
    qtbot.waitUntil(lambda: seen.is_dark is is_dark)
    assert (qapp.palette().window().color().lightness() < 128) is is_dark
    portal.change(LIGHT if is_dark else DARK)
    qtbot.waitUntil(lambda: seen.is_dark is (not is_dark))
    assert (qapp.palette().window().color().lightness() < 128) is not is_dark
    portal.change(NO_PREFERENCE)
    qtbot.waitUntil(lambda: seen.is_dark is None)
    theme.choose("light")


def test_a_portal_that_hangs_or_is_missing_is_not_waited_for(qtbot: QtBot, address: str, portals: Portals) -> None:
    portal = portals(None)
    hung = follow(address)  # returns, though nobody answers
    qtbot.waitUntil(portal.asked.is_set)
    assert hung.is_dark is None
    assert PortalColorScheme(QDBusConnection.connectToBus("unix:path=/nonexistent", "nowhere")).is_dark is None
