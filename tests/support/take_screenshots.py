"""The pictures of README and documents, taken anew of a real run with two peers on a real desktop.

python -m tests.support.take_screenshots [FOLDER]
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage

from core.files.folders import Folders
from core.protocol.events import PeersSeen, Progress, RoundFinished
from core.records.settings import Settings, save_settings
from core.run.run_file import parse_run_file, template
from tests.support.checkout import ROOT
from tests.support.environment.x11_desktop import Desktop, Launched, wait_for
from tests.support.real_peers import LIMIT_SECONDS, Peer, averaged, peer_group

_COLOURS = 256
_MARGIN = 12
_CURVES = ("my_rate", "swarm_rate", "loss", "run_loss", "step", "epoch")
_EPOCHS = 9  # so many make curves


class Photographer:
    """Sits at the desktop, with the window before them, and keeps pictures in a folder."""

    def __init__(self, desktop: Desktop, organiser: Peer, folder: Path, home: Path) -> None:
        self._desktop, self._organiser, self._folder = desktop, organiser, folder
        settings = Settings(
            language="en", theme="light", graph_period="5min", graph_curves=_CURVES, is_tray_explained=True
        )
        file = Folders.below(home).settings_file
        file.parent.mkdir(parents=True)
        save_settings(file, settings)
        command = [sys.executable, "-m", "tests.support.peers.scripted_window"]
        self.app: Launched = desktop.launch(command, "window", WORKERBEE_HOME=str(home))
        self.window = desktop.window(self.app)

    def take(self, name: str) -> None:
        """The window, without its frame."""
        self._keep(name, self._desktop.picture(self._file(name), self.window))

    def join(self) -> None:
        """Paste, look, start; until curves have grown."""
        desktop, organiser = self._desktop, self._organiser
        desktop.copy(organiser.posted)
        desktop.type(self.window, "ctrl+v")
        self.take("join")
        desktop.type(self.window, "Return")
        desktop.window(self.app, "Ready to start", LIMIT_SECONDS)
        self.take("review")
        desktop.type(self.window, "alt+w")  # its peers are watched from now on
        desktop.type(self.window, "Escape")
        here = len(organiser.said)
        desktop.until(lambda: desktop.type(self.window, "Return"), self._has_begun, "a start")
        organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2, since=here)
        organiser.wait_for(RoundFinished, averaged, since=here)
        organiser.reaches(organiser.epoch + _EPOCHS)

    def take_training(self, name: str, **settings: str) -> None:
        """The third page in the middle of an epoch."""
        self.choose(**settings)
        organiser = self._organiser
        organiser.wait_for(Progress, _is_in_the_middle, since=len(organiser.said))
        self.take(name)

    def choose(self, **settings: str) -> None:
        """Have the window look otherwise."""
        before = self.app.words.count("obeyed")
        self.app.tell(json.dumps(settings))
        wait_for(lambda: self.app.words.count("obeyed") > before, "a window that obeys")

    def take_menu(self, name: str) -> None:
        """The menu in the tray, and the one beside it, with no window behind them."""
        desktop = self._desktop
        desktop.close(self.window)
        wait_for(lambda: all(seen.is_icon for seen in desktop.windows(self.app)), "a window that has gone")
        menu = desktop.open_tray_menu(self.app)
        snoozes = desktop.open_submenu(self.app, "p")
        screen = self._desktop.picture(self._file(name))
        left, top = min(menu.x, snoozes.x) - _MARGIN, min(menu.y, snoozes.y) - _MARGIN
        corner = QRect(left, top, screen.width() - left, screen.height() - top)
        self._keep(name, screen.copy(corner))
        desktop.choose(self.app, snoozes, "Escape")
        desktop.choose(self.app, menu, "o")
        self.window = desktop.window(self.app)

    def take_settings(self, name: str) -> None:
        """The page beside the others."""
        self._desktop.type(self.window, "ctrl+comma")
        self.choose()
        self.take(name)
        self._desktop.type(self.window, "Escape")

    def take_organise(self, name: str) -> None:
        """The peers of the run, which have been watched since it was looked at."""
        self._desktop.type(self.window, "ctrl+o")
        self.choose()
        self.take(name)
        self._desktop.type(self.window, "Escape")

    def quit(self) -> None:
        """Say goodbye."""
        self._desktop.type(self.window, "ctrl+q")
        assert self.app.ended() == 0, self.app.words

    def _has_begun(self) -> bool:
        return "Ready" not in self._desktop.window(self.app).title

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.png"

    def _keep(self, name: str, picture: QImage) -> None:
        path = self._file(name)
        assert fewer_colours(picture).save(str(path), quality=0)
        print(f"{path} {picture.width()} x {picture.height()}, {path.stat().st_size / 1000:.0f} KB")


def _is_in_the_middle(event: Progress) -> bool:
    return 0.35 < event.samples / event.target < 0.75


def fewer_colours(picture: QImage) -> QImage:
    """With a palette of those that occur most, which makes a small file of a picture of widgets."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = memoryview(plain.constBits()).cast("B").cast("I")
    palette = [colour for colour, _ in Counter(pixels).most_common(_COLOURS)]
    flags = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    return plain.convertToFormat(QImage.Format.Format_Indexed8, palette, flags)


def main(words: Sequence[str]) -> int:
    """Take all of them."""
    folder = Path(words[0] if words else ROOT / "resources" / "pictures").absolute()
    with tempfile.TemporaryDirectory(prefix="pictures-") as home, peer_group(Path(home)) as everybody:
        organiser = everybody.organiser(manifest=parse_run_file(template()))
        with Desktop(Path(home) / "desktop") as desktop:
            photographer = Photographer(desktop, organiser, folder, Path(home) / "volunteer")
            photographer.join()
            photographer.take_training("training-light")
            photographer.take_menu("tray-menu")
            photographer.take_training("training-dark", theme="dark")
            photographer.choose(theme="light")
            photographer.take_settings("settings")
            photographer.take_organise("organise")
            photographer.take_training("training-german", language="de")
            photographer.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
