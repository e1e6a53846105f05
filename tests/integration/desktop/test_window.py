"""The window as a person has it: a real desktop, a real run on loopback, a mouse and a keyboard.

Every step leaves a picture in the folder that WORKERBEE_PICTURES names, or else in the test's own.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from app.appearance.theme import LIGHT
from core.protocol.events import Progress
from core.protocol.peers import PeersSeen
from tests.support.environment.x11_desktop import PROGRAMS, Desktop, Launched, Seen, wait_for
from tests.support.peers import slow_computer
from tests.support.real_peers import GHOST_SECONDS, LIMIT_SECONDS, Peer, peer_group, tiny

MISSING = [program for program in PROGRAMS if shutil.which(program) is None]

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]

RUN = tiny().run.name
TRAINING = f"Training · {RUN}"
PAUSED = f"Paused · {RUN}"


@dataclass
class Stage:
    """A desktop with a run beside it, and what the person at it can do."""

    desktop: Desktop
    organiser: Peer
    folder: Path
    pictures: Path
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def start(self, home: str, *words: str) -> Launched:
        """The window of a slow computer, as a process of its own; a home of the same name is the same one."""
        folder = str(self.folder / home)
        return self.desktop.launch([*slow_computer.WINDOW, *words], home, WORKERBEE_HOME=folder)

    def picture(self, name: str) -> QImage:
        """What the whole screen looks like now."""
        return self.desktop.picture(self.pictures / f"{next(self._numbers):02}-{name}.png")

    def glance(self, window: Seen) -> QImage:
        """What the window looks like now, which nobody keeps."""
        return self.desktop.picture(self.folder / "glance.png", window)

    def train(self, app: Launched) -> Seen:
        """Paste the address, look at the run, start, and train; the window."""
        window = self.desktop.window(app)
        self.desktop.copy(self.organiser.posted)
        self.picture("join")
        self.desktop.type(window, "ctrl+v")
        self.picture("pasted")
        self.desktop.type(window, "Return")
        self.desktop.window(app, "Ready to start", LIMIT_SECONDS)
        self.picture("review")
        here = len(self.organiser.said)
        self.desktop.until(lambda: self.desktop.type(window, "Return"), lambda: self.has_begun(app), "a start")
        self.picture("starting")
        self.two_train(here)
        self.desktop.window(app, TRAINING, LIMIT_SECONDS)
        self.picture("training")
        return window

    def has_begun(self, app: Launched) -> bool:
        """Whether the window says that it has left the page on which people decide."""
        return RUN in self.desktop.window(app).title

    def two_train(self, here: int) -> None:
        """Wait until the organiser sees that somebody computes beside it."""
        self.organiser.wait_for(Progress, lambda event: event.peers == 2, since=here)
        self.organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2, since=here)

    def choose(self, app: Launched, letter: str) -> None:
        """Choose in the tray's menu with the keyboard."""
        self.desktop.choose(app, self.desktop.open_tray_menu(app), letter)

    def close(self, app: Launched, window: Seen) -> None:
        """Press the window's cross, and wait until it has gone; also what explains why it has."""
        self.desktop.close(window)
        wait_for(lambda: all(seen.is_icon for seen in self.desktop.windows(app)), "a window that has gone")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A run and a desktop; at the end nothing of either is left."""
    folder = tmp_path_factory.mktemp("window")
    pictures = Path(os.environ.get("WORKERBEE_PICTURES") or folder / "pictures").absolute()
    with peer_group(folder) as everybody, Desktop(folder / "desktop") as desktop:
        yield Stage(desktop, everybody.organiser(), folder, pictures)


def test_a_run_is_pasted_reviewed_trained_paused_in_the_tray_resumed_and_quit(stage: Stage) -> None:
    desktop, organiser = stage.desktop, stage.organiser
    app = stage.start("home")
    window = stage.train(app)

    drawn = wait_for(lambda: _curves(stage.glance(window)), "a curve")
    wait_for(lambda: _curves(stage.glance(window)) != drawn, "a curve that grows")
    stage.picture("curves")

    here = len(organiser.said)
    desktop.open_tray_menu(app)
    snoozes = desktop.open_submenu(app, "p")
    stage.picture("tray-menu")
    desktop.choose(app, snoozes, "Up", "Return")  # the last of them: until I resume
    desktop.window(app, PAUSED)
    stage.picture("paused")
    wait_for(app.is_alone, "the end of the worker and of its family")
    _alone_at_once(organiser, here)
    here = len(organiser.said)
    organiser.reaches(organiser.epoch + 1)

    stage.choose(app, "r")
    stage.two_train(here)
    desktop.window(app, TRAINING, LIMIT_SECONDS)
    stage.picture("training-again")

    here = len(organiser.said)
    stage.choose(app, "q")
    stage.picture("goodbye")
    assert app.ended() == 0
    wait_for(app.is_alone, "the end of the worker and of its family")
    assert app.words == ""
    _alone_at_once(organiser, here)
    stage.picture("nothing-left")


def _curves(picture: QImage) -> frozenset[tuple[int, int]]:
    """Where the lower half of the window has the colour of the swarm's curves, counted from the topmost."""
    half = picture.copy(0, picture.height() // 2, picture.width(), picture.height() // 2)
    half.convertTo(QImage.Format.Format_RGB32)
    pixels = memoryview(half.constBits()).cast("B").cast("I")
    swarm = LIGHT.curves[1].rgb()
    places = [divmod(index, half.width()) for index, pixel in enumerate(pixels) if pixel == swarm]
    return frozenset((row - places[0][0], column) for row, column in places)


def _alone_at_once(organiser: Peer, here: int) -> None:
    """Nobody waits for a peer that has said goodbye."""
    seconds = GHOST_SECONDS / 2
    organiser.wait_for(Progress, lambda event: event.peers == 1, since=here, seconds=seconds)
    organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 1, since=here, seconds=seconds)


def test_a_closed_window_stays_in_the_tray_and_a_second_start_raises_it_with_its_link(stage: Stage) -> None:
    desktop = stage.desktop
    app = stage.start("closed")
    window = desktop.window(app)
    desktop.tray_icon(app)
    stage.close(app, window)
    stage.picture("closed")
    assert app.process.poll() is None

    second = stage.start("closed", f"workerbee://join?peer={stage.organiser.posted}")
    assert second.ended() == 0
    desktop.window(app)
    stage.picture("raised")

    stage.close(app, window)
    desktop.click(desktop.tray_icon(app))
    desktop.window(app)
    stage.choose(app, "q")
    assert app.ended() == 0
    assert app.words == ""


@pytest.mark.faults
def test_a_window_is_paused_resumed_and_quit_from_a_terminal(stage: Stage) -> None:
    def told(*words: str) -> tuple[int, dict[str, Any]]:
        command = stage.start("terminal", *words, "--json")
        code = command.ended()
        return code, json.loads(next(line for line in command.words.splitlines() if line.startswith("{")))

    assert told("status")[1]["problem"] == "not_running"
    app = stage.start("terminal")
    stage.desktop.window(app)
    wait_for(lambda: told("status")[0] == 0, "a window that listens, which it does after its first picture")
    code, reply = told("pause")
    assert (code, reply["done"], reply["phase"]) == (1, False, "idle")
    stage.train(app)
    code, reply = told("pause", "--for", "1h")
    assert (code, reply["done"]) == (0, True)
    stage.desktop.window(app, PAUSED)
    wait_for(app.is_alone, "the end of the worker and of its family")
    code, reply = told("status")
    assert (code, reply["phase"]) == (0, "paused")
    assert "Paused" in reply["status"]
    assert told("resume")[0] == 0
    stage.desktop.window(app, TRAINING, LIMIT_SECONDS)
    command = stage.start("terminal", "quit")
    assert command.ended() == 0 and "leaves the run" in command.words
    assert app.ended() == 0
    assert app.offspring == []


def test_a_killed_window_leaves_no_worker(stage: Stage) -> None:
    app = stage.start("killed")
    stage.train(app)
    assert not app.is_alone()
    here = len(stage.organiser.said)
    os.kill(app.pid, signal.SIGKILL)
    assert app.ended() == -signal.SIGKILL
    wait_for(app.is_alone, "the end of the worker and of its family")
    _alone_at_once(stage.organiser, here)
