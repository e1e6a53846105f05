"""The pictures of README and documents, taken anew of a real run with two peers on a real desktop.

python -m tests.support.take_screenshots [FOLDER]
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage

from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.protocol.events import Progress, RoundFinished
from core.protocol.peers import PeersSeen
from core.records.settings import Settings, save_settings
from core.run.run_file import parse_run_file, template
from tests.support.checkout import ROOT
from tests.support.computer import gpu_worker
from tests.support.computer.named_program import running_program
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.environment.x11_desktop import Desktop, Launched, wait_for
from tests.support.real_peers import LIMIT_SECONDS, Peer, averaged, peer_group

_COLOURS = 256
_MARGIN = 12
_CURVES = ("my_rate", "swarm_rate", "loss", "run_loss", "step", "epoch")
_EPOCHS = 9  # so many make curves
_PROGRAM = "blender"  # for which the rules make room
_OTHER_PROGRAM = "darktable"  # which they do not name
_GPUS = (
    "gpu GPU-aaaa 8192 7168 64 NVIDIA GeForce RTX 3070",
    "busy 0 96 198000",
    "gpu GPU-bbbb 8192 6144 47 NVIDIA GeForce RTX 3070",
    "busy 1 92 187000",
)


class Photographer:
    """Sits at the desktop, with the window before them, and keeps pictures in a folder."""

    def __init__(
        self, desktop: Desktop, organiser: Peer, folder: Path, home: Path, *worker: str, **environment: str
    ) -> None:
        """``worker`` is the command of the window's workers, if it is not the usual one."""
        self._desktop, self._organiser, self._folder = desktop, organiser, folder
        settings = Settings(
            language="en",
            theme="light",
            graph_period="5min",
            graph_curves=_CURVES,
            is_tray_explained=True,
            availability=AvailabilityRules(programs=(_PROGRAM,)),
        )
        file = Folders.below(home).settings_file
        file.parent.mkdir(parents=True)
        save_settings(file, settings)
        command = [sys.executable, "-m", "tests.support.peers.scripted_window", *worker]
        self.app: Launched = desktop.launch(command, "window", WORKERBEE_HOME=str(home), **environment)
        self.window = desktop.window(self.app)

    def take(self, name: str) -> None:
        """The window, without its frame."""
        self._keep(name, self._desktop.picture(self._file(name), self.window))

    def join(self) -> None:
        """Paste, look, start; until curves have grown."""
        desktop = self._desktop
        desktop.copy(self._organiser.posted)
        desktop.type(self.window, "ctrl+v")
        self.choose()
        self.take("join")
        desktop.type(self.window, "Return")
        desktop.window(self.app, "Ready to start", LIMIT_SECONDS)
        self.take("review")
        for key in ("alt+w", "Escape"):  # its peers are watched from now on; an Escape too early would leave the review
            desktop.type(self.window, key)
            self.choose()
        self._start(1, _EPOCHS)

    def join_with_two_gpus(self) -> None:
        """Paste, tick the second GPU, start; until curves have grown."""
        desktop = self._desktop
        desktop.copy(self._organiser.posted)
        desktop.type(self.window, "ctrl+v")
        desktop.type(self.window, "Return")
        desktop.window(self.app, "Ready to start", LIMIT_SECONDS)
        self.choose(further_gpu="cuda:1")
        self._start(2, _EPOCHS // 3)

    def _start(self, devices: int, epochs: int) -> None:
        desktop, organiser = self._desktop, self._organiser
        self.choose(has_memory=True)  # other programs of this computer shall not pause it
        here = len(organiser.said)
        desktop.until(lambda: desktop.type(self.window, "Return"), self._has_left_review, "a start")
        organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 1 + devices, since=here)
        organiser.wait_for(RoundFinished, averaged, since=here)
        for _ in range(epochs):
            organiser.reaches(organiser.epoch + 1)

    def take_training(self, name: str, **settings: object) -> None:
        """The third page in the middle of an epoch."""
        self.choose(**settings)
        organiser = self._organiser
        organiser.wait_for(Progress, _is_in_the_middle, since=len(organiser.said))
        self.take(name)

    def choose(self, **settings: object) -> None:
        """Have the window look otherwise."""
        before = self.app.words.count("obeyed")
        self.app.tell(json.dumps(settings))
        wait_for(lambda: self.app.words.count("obeyed") > before, f"a window that obeys {settings}")

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

    def take_beside(self, name: str, key: str, **orders: object) -> None:
        """A page beside the others, which that key opens."""
        self._desktop.type(self.window, key)
        self.choose(**orders)
        self.take(name)
        self._desktop.type(self.window, "Escape")

    def take_paused(self, home: Path) -> None:
        """Paused by a rule; and the rules, with what each sees then."""
        with running_program(home, _PROGRAM):
            self._desktop.window(self.app, "Paused", LIMIT_SECONDS)
            self.take_training_at_rest("paused")
            self.take_beside("rules", "ctrl+comma", scroll_to="rules")
            self.take_beside("hours", "ctrl+comma", scroll_to="hours", at_night=True)

    def take_training_at_rest(self, name: str) -> None:
        """The third page, while this computer does not train."""
        self.choose()
        self.take(name)

    def take_two_gpus(self, name: str, driver: FakeNvml, home: Path) -> None:
        """One trains, and the other is paused since another program computes on it."""
        samples = itertools.count(1000)
        with running_program(home, _OTHER_PROGRAM) as pid:

            def is_paused() -> bool:
                driver.says(*_GPUS, f"use 1 {pid} 92 {next(samples)}")
                return "Paused (GPU 1)" in self._desktop.window(self.app).title

            wait_for(is_paused, "a pause of the second GPU alone", LIMIT_SECONDS)
            self.take_training(name)

    def quit(self) -> None:
        """Say goodbye."""
        self._desktop.type(self.window, "ctrl+q")
        assert self.app.ended() == 0, self.app.words

    def _has_left_review(self) -> bool:
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
            take_one_device(desktop, organiser, folder, Path(home))
            take_two_devices(desktop, organiser, folder, Path(home))
    return 0


def take_one_device(desktop: Desktop, organiser: Peer, folder: Path, home: Path) -> None:
    """Those of a computer without a GPU."""
    photographer = Photographer(desktop, organiser, folder, home / "volunteer")
    photographer.join()
    photographer.take_training("training-light")
    photographer.take_menu("tray-menu")
    photographer.take_training("training-dark", theme="dark")
    photographer.choose(theme="light")
    photographer.take_beside("settings", "ctrl+comma")
    photographer.take_beside("organise", "ctrl+o")
    photographer.take_beside("contributions", "ctrl+b")
    photographer.take_training("training-german", language="de")
    photographer.choose(language="en")
    photographer.take_paused(home)
    photographer.quit()


def take_two_devices(desktop: Desktop, organiser: Peer, folder: Path, home: Path) -> None:
    """Those of a computer with two GPUs, for which a stand-in for NVIDIA's library speaks, and which the CPU is."""
    driver = FakeNvml(home / "nvml")
    driver.says(*_GPUS)
    place = {name: driver.environment[name] for name in ("LD_LIBRARY_PATH", "FAKE_NVML_STATE")}
    photographer = Photographer(desktop, organiser, folder, home / "two", *gpu_worker.WORKER, **place)
    photographer.join_with_two_gpus()
    photographer.take_two_gpus("two-gpus", driver, home)
    photographer.quit()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
