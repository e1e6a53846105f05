"""Full-screen windows on a real X server, with a real window manager, and with words that no window manager says."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.availability.rules import AvailabilityRules
from core.observers.desktop_bus.connection import BusConnection
from core.observers.desktop_bus.reader import NOBODY, DesktopReader, Told
from core.observers.display_servers.x11_full_screen import LEAST_SECONDS, REST_SECONDS, X11FullScreen
from core.observers.display_servers.x11_properties import ATOM, CARDINAL, STRING, WINDOW, X11Properties
from tests.support.computer.full_screen_window import full_screen_window
from tests.support.environment.x11_desktop import Desktop, Launched, wait_for

MISSING = [program for program in ("Xvfb", "openbox", "xdotool") if shutil.which(program) is None]
ACTIVE, STATE, KIND = "_NET_ACTIVE_WINDOW", "_NET_WM_STATE", "_NET_WM_WINDOW_TYPE"
MOST_SECONDS_A_LOOK = 0.003 * LEAST_SECONDS / 10
"""A tenth of the share of a core that all rules together may take."""
NOWHERE = BusConnection("unix:path=/nonexistent")

pytestmark = [pytest.mark.timeout(180), pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")]


class Clock:
    """A clock that a test sets, so that nothing has to be waited for."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Screen:
    """A desktop, a program whose window fills it, what is observed of it, and what a program might tell instead."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop, self.clock = desktop, Clock()
        self.environment = {"DISPLAY": desktop.environment["DISPLAY"]}
        self.observer = X11FullScreen(self.environment, clock=self.clock)
        self.server = X11Properties(self.environment["DISPLAY"])

    def sees(self) -> bool | None:
        """What is in front at this moment."""
        self.clock.seconds += LEAST_SECONDS
        self.observer.refresh()
        return self.observer.is_in_front

    def launch(self, name: str = "game", state: str = "full") -> Launched:
        """A program of that name, whose window is in front."""
        program = full_screen_window(self.desktop, name, state)
        number = int(self.desktop.window(program, name).number)
        wait_for(lambda: self.server.numbers(self.server.root, ACTIVE, WINDOW) == (number,), "the window in front")
        full = self.server.atom("_NET_WM_STATE_FULLSCREEN")
        wait_for(lambda: (full in (self.server.numbers(number, STATE, ATOM) or ())) is (state == "full"), state)
        return program

    @property
    def window(self) -> int:
        """The one in front."""
        [number] = self.server.numbers(self.server.root, ACTIVE, WINDOW) or ()
        return number

    def write(self, window: int, name: str, kind: int, value: bytes, bits: int = 32, mode: int = 0) -> None:
        """Give a property that value, or with mode 2 have that follow the value it has."""
        xcb, connection, place = self.server._xcb, self.server._connection, ctypes.c_uint32(window)
        length, atom = len(value) * 8 // bits, ctypes.c_uint32(self.server.atom(name))
        xcb.xcb_change_property(
            connection, ctypes.c_uint8(mode), place, atom, ctypes.c_uint32(kind), ctypes.c_uint8(bits),
            ctypes.c_uint32(length), value,
        )  # fmt: skip
        self.server.numbers(window, name, kind)  # the answer is that it was carried out

    def delete(self, window: int, name: str) -> None:
        """Take a property away."""
        atom = ctypes.c_uint32(self.server.atom(name))
        self.server._xcb.xcb_delete_property(self.server._connection, ctypes.c_uint32(window), atom)
        self.server.numbers(window, name, WINDOW)


def words(*numbers: int) -> bytes:
    """Numbers as a property has them."""
    return b"".join(number.to_bytes(4, sys.byteorder) for number in numbers)


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    with Desktop(tmp_path / "desktop", has_panel=False) as desktop:
        screen = Screen(desktop)
        yield screen
        screen.observer.close()
        screen.server.close()


def test_a_full_screen_program_is_seen_while_it_is_in_front(screen: Screen) -> None:
    wait_for(lambda: screen.sees() is False, "a window manager without windows")
    game = screen.launch("game")
    assert screen.sees() is True
    editor = screen.launch("editor", "normal")
    assert screen.sees() is False, "another window is in front"
    game.tell("front")
    wait_for(screen.sees, "the game in front again")
    game.tell("normal")
    wait_for(lambda: screen.sees() is False, "the game in a window")
    game.tell("full")
    wait_for(screen.sees, "the game in full screen")
    game.tell("quit")
    wait_for(lambda: screen.sees() is False, "the end of the game")
    editor.tell("quit")
    wait_for(lambda: editor.process.poll() is not None, "the end of the editor")
    assert screen.sees() is False, "though openbox names the last window that was in front"


def test_the_desktop_itself_is_none(screen: Screen) -> None:
    """It stands for the window on which a file manager shows the icons of the desktop, which may have the focus."""
    screen.launch("files")
    assert screen.sees() is True
    screen.write(screen.window, KIND, ATOM, words(screen.server.atom("_NET_WM_WINDOW_TYPE_DESKTOP")))
    assert screen.sees() is False


def test_our_own_window_in_full_screen_is_none_whichever_process_looks(screen: Screen) -> None:
    screen.launch("workerbee")
    assert screen.sees() is False


@pytest.mark.parametrize("pid", [os.getpid, os.getppid])
def test_neither_this_process_nor_the_terminal_it_was_started_from_is_one(screen: Screen, pid: object) -> None:
    screen.launch("terminal")
    assert screen.sees() is True
    screen.write(screen.window, "_NET_WM_PID", CARDINAL, words(pid()))  # type: ignore[operator]
    assert screen.sees() is False


@pytest.mark.parametrize(
    ("kind", "value", "bits"),
    [
        pytest.param(ATOM, words(5), 32, id="another type"),
        pytest.param(STRING, b"window", 8, id="a text"),
        pytest.param(WINDOW, b"\1\2", 16, id="numbers of 16 bits"),
        pytest.param(WINDOW, words(1, 2), 32, id="two windows"),
        pytest.param(WINDOW, words(*[7] * 60_000), 32, id="huge"),
    ],
)
def test_a_window_in_front_that_cannot_be_is_not_seen(screen: Screen, kind: int, value: bytes, bits: int) -> None:
    screen.launch()
    number = screen.window
    screen.write(screen.server.root, ACTIVE, kind, value, bits)
    assert screen.sees() is None
    screen.write(screen.server.root, ACTIVE, WINDOW, words(number))
    assert screen.sees() is True, "it is asked again all the same"


@pytest.mark.parametrize("name", [STATE, KIND])
@pytest.mark.parametrize(
    ("kind", "value", "bits"),
    [
        pytest.param(WINDOW, words(5), 32, id="another type"),
        pytest.param(ATOM, b"full", 8, id="bytes"),
        pytest.param(ATOM, words(*[7] * 60_000), 32, id="huge"),
    ],
)
def test_a_window_that_tells_of_itself_what_cannot_be_is_not_seen(
    screen: Screen, name: str, kind: int, value: bytes, bits: int
) -> None:
    screen.launch()
    screen.write(screen.window, name, kind, value, bits)
    assert screen.sees() is None


def test_a_hostile_name_or_process_id_hides_nothing(screen: Screen) -> None:
    screen.launch()
    screen.write(screen.window, "_NET_WM_PID", CARDINAL, words(*[os.getpid()] * 60_000))
    screen.write(screen.window, "WM_CLASS", STRING, b"workerbee\0" * 30_000, 8)
    assert screen.sees() is True


def test_without_a_window_manager_that_tells_it_nothing_is_seen(screen: Screen) -> None:
    screen.launch()
    screen.delete(screen.server.root, ACTIVE)
    assert screen.sees() is False, "as before the first window"
    screen.delete(screen.server.root, "_NET_SUPPORTED")
    assert screen.sees() is None


def test_a_server_that_vanishes_is_survived_and_looked_for_again_after_a_rest(screen: Screen, tmp_path: Path) -> None:
    """In the same process: Xlib would have ended it."""
    screen.launch()
    assert screen.sees() is True
    screen.desktop.crash()
    wait_for(lambda: screen.sees() is None, "no answer any more")
    with Desktop(tmp_path / "next", has_panel=False) as desktop:
        screen.observer._display = desktop.environment["DISPLAY"]
        assert screen.sees() is None, "it rests"
        screen.clock.seconds += REST_SECONDS
        wait_for(lambda: screen.sees() is False, "the next server")
        screen.observer.close()


@pytest.mark.parametrize(
    "changes",
    [
        {"WAYLAND_DISPLAY": "wayland-0"},
        {"XDG_SESSION_TYPE": "wayland"},
        {"DISPLAY": ""},
        {"DISPLAY": ":7654"},
        {"DISPLAY": "localhost:10.0"},
        {"DISPLAY": ":\udcff"},
    ],
    ids=str,
)
def test_under_wayland_without_a_server_and_over_ssh_nothing_is_seen(screen: Screen, changes: dict[str, str]) -> None:
    screen.launch()
    told = DesktopReader(NOWHERE, NOWHERE, screen.environment | changes).read(AvailabilityRules())
    assert told["full_screen"] == NOBODY


def test_the_command_line_is_told_where_the_rule_asks(screen: Screen) -> None:
    screen.launch()
    reader = DesktopReader(NOWHERE, NOWHERE, screen.environment)
    assert "full_screen" not in reader.read(AvailabilityRules(games=False))
    assert reader.read(AvailabilityRules())["full_screen"] == Told(True, "X11")
    reader.close()


def test_a_look_costs_next_to_nothing_and_is_not_repeated_at_once(screen: Screen) -> None:
    screen.launch()
    assert screen.sees() is True
    began = time.process_time()
    for _ in range(200):
        screen.sees()
    assert (time.process_time() - began) / 200 < MOST_SECONDS_A_LOOK
    screen.delete(screen.server.root, ACTIVE)
    screen.observer.refresh()
    assert screen.observer.is_in_front is True, "asked just now"
    assert screen.sees() is False


def test_a_system_without_the_library_sees_nothing(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: object) -> None:
        raise OSError("libxcb.so.1: cannot open shared object file")

    screen.launch()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert screen.sees() is None
