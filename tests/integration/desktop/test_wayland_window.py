"""The window on a Wayland desktop without a tray and without an X server: a real run, a keyboard, a terminal.

Every step leaves a picture in the folder that WORKERBEE_PICTURES names, or else in the test's own.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.appearance.theme import LIGHT
from core.files.folders import Folders
from core.protocol.events import RoundFinished
from core.records.recent_runs import RecentRuns
from tests.support.environment.wayland_desktop import PROGRAMS, Toplevel, WaylandDesktop
from tests.support.environment.x11_desktop import Launched, wait_for
from tests.support.peers import slow_computer
from tests.support.real_peers import LIMIT_SECONDS, Peer, averaged, peer_group, tiny

MISSING = [program for program in PROGRAMS if shutil.which(program) is None]

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]

RUN = tiny().run.name
TRAINING = f"Training · {RUN}"
PAUSED = f"Paused · {RUN}"
PASTE = ("-M", "ctrl", "-k", "a", "-k", "v", "-m", "ctrl")  # in place of what is there
RETURN = ("-k", "Return")
KEY_SECONDS = 6.0


def words_of(app: Launched) -> list[str]:
    """What it has said, but for Qt's remarks about a keyboard that comes and goes with every word typed."""
    return [line for line in app.words.splitlines() if line and not line.startswith("qt.qpa.wayland")]


@dataclass
class Stage:
    """A desktop with a run beside it."""

    desktop: WaylandDesktop
    organiser: Peer
    folder: Path
    pictures: Path

    def start(self, *words: str) -> Launched:
        """The window of a slow computer, as a process of its own."""
        return self.desktop.launch([*slow_computer.WINDOW, *words], "app", WORKERBEE_HOME=str(self.folder / "home"))

    def command(self, *words: str) -> dict[str, Any]:
        """What a command in a terminal prints as JSON."""
        program = self.start(*words, "--json")
        program.ended()
        answer: dict[str, Any] = json.loads(next(line for line in program.words.splitlines() if line.startswith("{")))
        return answer

    def picture(self, name: str) -> None:
        """What the screen looks like now."""
        assert not self.desktop.picture(self.pictures / f"wayland-{name}.png").isNull()

    def until(self, window: Toplevel, app: Launched, keys: tuple[str, ...], *titles: str) -> None:
        """Type until the title has some of those words: a busy window may hear nothing, or later all at once.

        What is typed while it looks for a run, which begins with the start of a worker, changes nothing.
        """

        def is_there() -> bool:
            return any(words in each.title for each in self.desktop.windows(app) for words in titles)

        deadline = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < deadline:
            if is_there():
                return
            self.desktop.type(window, *keys)
            with contextlib.suppress(AssertionError):
                wait_for(is_there, f"a title with one of {titles}", KEY_SECONDS)
        raise AssertionError(f"no title with one of {titles} among {self.desktop.windows(app)}")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A run and a desktop; at the end nothing of either is left."""
    pictures = Path(os.environ.get("WORKERBEE_PICTURES") or tmp_path / "pictures").absolute()
    with peer_group(tmp_path) as everybody, WaylandDesktop(tmp_path / "desktop") as desktop:
        yield Stage(desktop, everybody.organiser(), tmp_path, pictures)


def test_a_run_is_pasted_trained_paused_resumed_and_quit_without_a_tray(stage: Stage) -> None:
    desktop = stage.desktop
    app = stage.start()
    window = desktop.window(app)
    assert window.app_id == "workerbee", "the name of the .desktop file, by which desktops find icon and menu entry"
    stage.picture("join")

    desktop.copy(stage.organiser.posted)
    stage.until(window, app, (*PASTE, *RETURN), "Ready to start", RUN)
    stage.picture("review")
    stage.until(window, app, RETURN, RUN)
    desktop.window(app, TRAINING, LIMIT_SECONDS)
    stage.organiser.wait_for(RoundFinished, averaged)
    stage.picture("training")

    assert stage.command("pause", "--for", "1h")["done"]
    desktop.window(app, PAUSED)
    wait_for(app.is_alone, "the end of the worker and of its family")
    stage.picture("paused")
    assert stage.command("resume")["done"]
    desktop.window(app, TRAINING, LIMIT_SECONDS)

    second = stage.start(f"workerbee://join?peer={stage.organiser.posted}")
    assert second.ended() == 0, second.words
    desktop.close(desktop.window(app))  # no tray: it stays, and goes on
    desktop.window(app, TRAINING)
    stage.picture("closed")
    assert stage.command("status")["phase"] == "training"
    assert stage.command("quit")["done"]
    assert app.ended() == 0
    wait_for(app.is_alone, "the end of the worker and of its family")
    assert words_of(app) == []


def test_a_compositor_that_dies_leaves_no_worker_and_the_next_start_knows_the_run(stage: Stage) -> None:
    app = stage.start(f"workerbee://join?peer={stage.organiser.posted}")
    window = stage.desktop.window(app)
    stage.until(window, app, RETURN, RUN)
    stage.desktop.window(app, TRAINING, LIMIT_SECONDS)
    stage.desktop.crash()
    assert app.ended() != 0
    wait_for(app.is_alone, "the end of the worker and of its family")
    with WaylandDesktop(stage.folder / "next") as desktop:
        home = str(stage.folder / "home")
        again = desktop.launch([sys.executable, "-m", "app"], "app", WORKERBEE_HOME=home)
        desktop.window(again)
        (recent,) = RecentRuns(Folders.below(Path(home)).contents.recent_runs_file).all()
        assert recent.name == RUN


@pytest.mark.parametrize("scale", [1.25, 1.5, 2.0])
def test_the_window_fills_a_screen_of_another_scale(tmp_path: Path, scale: float) -> None:
    """Of a scale that changes meanwhile Qt 6.11 draws twice too large on sway 1.7, any program's window."""
    pictures = Path(os.environ.get("WORKERBEE_PICTURES") or tmp_path / "pictures").absolute()
    with WaylandDesktop(tmp_path / "desktop", size=(1770, 1230), scale=scale) as desktop:
        command = [sys.executable, "-m", "app"]
        app = desktop.launch(command, "app", WORKERBEE_HOME=str(tmp_path / "home"))
        window = desktop.window(app)
        assert (window.width, window.height) == (round(1770 / scale), round(1230 / scale))

        def is_drawn() -> bool:
            seen = desktop.picture(pictures / f"wayland-scale-{scale}.png")
            top, bottom = seen.pixelColor(5, 5), seen.pixelColor(5, seen.height() - 5)
            return top == LIGHT.surface and bottom == LIGHT.window

        wait_for(is_drawn, "the head of the window at the top of the screen, and its ground at the bottom")
        assert words_of(app) == []
