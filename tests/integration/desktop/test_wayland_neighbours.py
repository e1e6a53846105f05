"""What other programs on a Wayland desktop do with Workerbee: drop something on its window, open a link, start it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path

import pytest

from app.desktop.launch_request import MINIMISED
from tests.support.environment.virtual_pointer import LEFT, RIGHT, VirtualPointer
from tests.support.environment.wayland_desktop import PROGRAMS, WaylandDesktop
from tests.support.environment.x11_desktop import Launched, wait_for
from tests.support.real_peers import LIMIT_SECONDS, peer_group, tiny

MISSING = [program for program in PROGRAMS if shutil.which(program) is None]

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]

SCREEN = 1800, 820  # on which two windows stand side by side
RUN = tiny().run.name
KEYS, KEY_SECONDS = 10, 6.0


class Neighbours:
    """Workerbee, another program beside it, and a mouse."""

    def __init__(self, desktop: WaylandDesktop, folder: Path, address: str, link: str) -> None:
        self.desktop, self.folder = desktop, folder
        opener = folder / "bin" / "xdg-open"
        opener.parent.mkdir()
        opener.write_text(
            f'#!/bin/sh\necho "$XDG_ACTIVATION_TOKEN" > {self.token_file}\nexec {sys.executable} -m app "$1"\n'
        )
        opener.chmod(0o755)
        home = str(folder / "home")
        desktop.launch(
            ["wtype", "-s", "600000"], "keyboard"
        )  # without one, no program of Qt knows that it has the focus
        self.app = desktop.launch([sys.executable, "-m", "app"], "app", WORKERBEE_HOME=home, WAYLAND_DEBUG="client")
        desktop.window(self.app)
        command = [sys.executable, "-m", "tests.support.environment.other_program", address, link]
        path = f"{opener.parent}{os.pathsep}{os.environ['PATH']}"
        self.other = desktop.launch(command, "other", WORKERBEE_HOME=home, PATH=path)
        desktop.window(self.other)

    @property
    def token_file(self) -> Path:
        """What the desktop has given to whoever was started by the link."""
        return self.folder / "token"

    def drag(self, mouse: VirtualPointer) -> None:
        """With the left button, from the other program to Workerbee."""
        self.reach(mouse, self.other, "mouse")
        mouse.press(LEFT)
        wait_for(lambda: "dragging" in self.other.words, "the begin of the drag")
        self.reach(mouse, self.app, "over: CopyAction")
        mouse.release(LEFT)
        wait_for(lambda: "dropped: CopyAction" in self.other.words, "the end of the drag")

    def reach(self, mouse: VirtualPointer, program: Launched, words: str) -> None:
        """Move the mouse over a program until the other one says that it has seen it."""
        x, y = self.desktop.window(program).middle

        def moved() -> bool:
            mouse.move(x, y + 5)
            mouse.move(x, y)
            return words in self.other.words

        wait_for(moved, words)

    def press_return(self) -> None:
        """In Workerbee, until it looks for the run: a busy window may hear nothing."""
        for _ in range(KEYS):
            self.desktop.type(self.desktop.window(self.app), "-k", "Return")
            with contextlib.suppress(AssertionError):
                wait_for(self._is_looking, "a search", KEY_SECONDS)
                return

    def _is_looking(self) -> bool:
        title = self.desktop.window(self.app).title
        return any(words in title for words in ("Searching", "Ready to start"))

    def open_link(self, mouse: VirtualPointer) -> None:
        """With the right button, in the other program."""
        said = len(self.other.words)
        mouse.move(*self.desktop.window(self.other).middle)  # which may be enough to give it the focus
        mouse.press(RIGHT)
        wait_for(lambda: "active" in self.other.words[said:], "the other program in front")
        mouse.release(RIGHT)


def test_an_address_is_dropped_on_the_window_and_a_link_raises_it(tmp_path: Path) -> None:
    with peer_group(tmp_path) as everybody, WaylandDesktop(tmp_path / "desktop", size=SCREEN) as desktop:
        address = everybody.organiser().posted
        beside = Neighbours(desktop, tmp_path, address, f"workerbee://join?peer={address}")
        with desktop.mouse() as mouse:
            beside.drag(mouse)
            beside.press_return()
            desktop.window(beside.app, "Ready to start", LIMIT_SECONDS)

            beside.open_link(mouse)
            wait_for(lambda: desktop.window(beside.app).is_focused, "Workerbee in front")
        token = beside.token_file.read_text().strip()
        assert f'.activate("{token}", wl_surface' in beside.app.words


def test_a_start_at_login_shows_itself_where_there_is_no_tray(tmp_path: Path) -> None:
    with WaylandDesktop(tmp_path / "desktop") as desktop:
        app = desktop.launch([sys.executable, "-m", "app", MINIMISED], "app", WORKERBEE_HOME=str(tmp_path / "home"))
        desktop.window(app, "Workerbee")
