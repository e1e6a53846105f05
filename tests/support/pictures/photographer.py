"""Somebody who sits at a desktop with the window before them, and keeps pictures of it in folders."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.records.settings import Settings, save_settings
from tests.support.environment.x11_desktop import Desktop, Launched, Seen, wait_for

PROGRAM = "blender"  # for which the rules make room
_COLOURS = 256
_CURVES = ("my_rate", "swarm_rate", "loss", "run_loss", "step", "epoch")
USUAL: dict[str, Any] = {"theme": "light", "language": "en", "size": (980, 720)}
LOOKS: dict[str, dict[str, Any]] = {
    "dark": {"theme": "dark"},
    "german": {"language": "de"},
    "small": {"size": (800, 600)},
    "german-small": {"language": "de", "size": (800, 600)},
}


@dataclass(frozen=True)
class Places:
    """Where pictures are kept: ``shown`` are those of the documents, ``looked_at`` each page in each of its looks."""

    shown: Path
    looked_at: Path


class Photographer:
    """The window of a person with that ``home``; ``worker`` is the command of its workers, if not the usual one."""

    def __init__(self, desktop: Desktop, places: Places, home: Path, *worker: str, **environment: str) -> None:
        self.desktop, self._places = desktop, places
        settings = Settings(
            language="en",
            theme="light",
            graph_period="5min",
            graph_curves=_CURVES,
            is_tray_explained=True,
            availability=AvailabilityRules(programs=(PROGRAM,)),
        )
        file = Folders.below(home).settings_file
        file.parent.mkdir(parents=True, exist_ok=True)
        save_settings(file, settings)
        command = [sys.executable, "-m", "tests.support.peers.scripted_window", *worker]
        self.app: Launched = desktop.launch(command, "window", WORKERBEE_HOME=str(home), **environment)
        self.window: Seen = desktop.window(self.app)

    def take(self, name: str, of: Seen | None = None) -> None:
        """The window without its frame, or another one of the program, for the documents."""
        file = self._places.shown / f"{name}.png"
        keep(file, self.desktop.picture(file, of or self.window))

    def look(self, name: str, **orders: Any) -> None:
        """The window in every look; the orders show the same part of it each time."""
        for look, changes in LOOKS.items():
            self.choose(**{**USUAL, **changes})
            self.choose(**orders)
            file = self._places.looked_at / f"{name}-{look}.png"
            keep(file, self.desktop.picture(file, self.window))
        self.choose(**USUAL)

    def choose(self, **orders: Any) -> None:
        """Have the window look otherwise, or do what `scripted_window` does."""
        before = self.app.words.count("obeyed")
        self.app.tell(json.dumps(orders))
        wait_for(lambda: self.app.words.count("obeyed") > before, f"a window that obeys {orders}")

    def take_beside(self, name: str, key: str, **orders: Any) -> None:
        """A page beside the others, which that key opens, for the documents and in every look."""
        self.desktop.type(self.window, key)
        self.choose(**orders)
        self.take(name)
        self.look(name, **orders)
        self.desktop.type(self.window, "Escape")

    def take_dialog(self, name: str, button: str, title: str, look: str = "") -> None:
        """The dialog with that ``title``, for the documents or in a look of its own."""
        self.choose(click=button)
        dialog = self.desktop.window(self.app, title)
        self.desktop.type(dialog, "Next")
        self.choose()
        if look:
            file = self._places.looked_at / f"{name}-{look}.png"
            keep(file, self.desktop.picture(file, dialog))
        else:
            self.take(name, dialog)
        self.desktop.type(dialog, "Escape")

    def quit(self) -> None:
        """Say goodbye."""
        self.desktop.type(self.window, "ctrl+q")
        assert self.app.ended() == 0, self.app.words


def keep(path: Path, picture: QImage) -> None:
    """Save a picture as a small file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    assert fewer_colours(picture).save(str(path), quality=0)
    print(f"{path} {picture.width()} x {picture.height()}, {path.stat().st_size / 1000:.0f} KB")


def fewer_colours(picture: QImage) -> QImage:
    """With a palette of those that occur most, which makes a small file of a picture of widgets."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = memoryview(plain.constBits()).cast("B").cast("I")
    palette = [colour for colour, _ in Counter(pixels).most_common(_COLOURS)]
    flags = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    return plain.convertToFormat(QImage.Format.Format_Indexed8, palette, flags)
