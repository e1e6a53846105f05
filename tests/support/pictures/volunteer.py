"""A volunteer's pictures: the three pages, the tray, the rules, what two GPUs do."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect

from core.protocol.events import Progress, RoundFinished
from core.protocol.peers import PeersSeen
from tests.support.computer import gpu_worker
from tests.support.computer.named_program import running_program
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.environment.x11_desktop import Desktop, wait_for
from tests.support.pictures.organiser import OTHERS
from tests.support.pictures.photographer import PROGRAM, Photographer, Places, keep
from tests.support.real_peers import LIMIT_SECONDS, Peer, averaged

_MARGIN = 12
_EPOCHS = 9  # so many make curves
_OTHER_PROGRAM = "darktable"  # which the rules do not name
_GPUS = (
    "gpu GPU-aaaa 8192 7168 64 NVIDIA GeForce RTX 3070",
    "busy 0 96 198000",
    "gpu GPU-bbbb 8192 6144 47 NVIDIA GeForce RTX 3070",
    "busy 1 92 187000",
)


class Volunteer(Photographer):
    """Joins the run of that organiser, in which there are others already."""

    def __init__(
        self, desktop: Desktop, organiser: Peer, places: Places, home: Path, *worker: str, **environment: str
    ) -> None:
        super().__init__(desktop, places, home, *worker, **environment)
        self._organiser = organiser

    def join(self) -> None:
        """Paste, look, start; until curves have grown."""
        desktop = self.desktop
        desktop.copy(self._organiser.posted)
        desktop.type(self.window, "ctrl+v")
        self.choose()
        self.take("join")
        self.look("join")
        desktop.type(self.window, "Return")
        desktop.window(self.app, "Ready to start", LIMIT_SECONDS)
        self.take("review")
        self.look("review")
        self._start(1, _EPOCHS)

    def join_with_two_gpus(self) -> None:
        """Paste, tick the second GPU, start; until curves have grown."""
        desktop = self.desktop
        desktop.copy(self._organiser.posted)
        desktop.type(self.window, "ctrl+v")
        desktop.type(self.window, "Return")
        desktop.window(self.app, "Ready to start", LIMIT_SECONDS)
        self.choose(further_gpu="cuda:1")
        self._start(2, _EPOCHS // 3)

    def _start(self, devices: int, epochs: int) -> None:
        desktop, organiser = self.desktop, self._organiser
        self.choose(has_memory=True)  # other programs of this computer shall not pause it
        here = len(organiser.said)
        desktop.until(lambda: desktop.type(self.window, "Return"), self._has_left_review, "a start")
        organiser.wait_for(PeersSeen, lambda event: len(event.peers) == OTHERS + devices, since=here)
        organiser.wait_for(RoundFinished, averaged, since=here)
        for _ in range(epochs):
            organiser.reaches(organiser.epoch + 1)

    def take_training(self, name: str, **settings: Any) -> None:
        """The third page in the middle of an epoch."""
        self.choose(**settings)
        organiser = self._organiser
        organiser.wait_for(Progress, _is_in_the_middle, since=len(organiser.said))
        self.take(name)

    def take_menu(self, name: str) -> None:
        """The menu in the tray, and the one beside it, with no window behind them."""
        desktop = self.desktop
        desktop.close(self.window)
        wait_for(lambda: all(seen.is_icon for seen in desktop.windows(self.app)), "a window that has gone")
        menu = desktop.open_tray_menu(self.app)
        snoozes = desktop.open_submenu(self.app, "p")
        file = self._places.shown / f"{name}.png"
        screen = desktop.picture(file)
        left, top = min(menu.x, snoozes.x) - _MARGIN, min(menu.y, snoozes.y) - _MARGIN
        keep(file, screen.copy(QRect(left, top, screen.width() - left, screen.height() - top)))
        desktop.choose(self.app, snoozes, "Escape")
        desktop.choose(self.app, menu, "o")
        self.window = desktop.window(self.app)

    def take_paused(self, home: Path) -> None:
        """Paused by a rule; and the rules, with what each sees then."""
        with running_program(home, PROGRAM):
            self.desktop.window(self.app, "Paused", LIMIT_SECONDS)
            self.choose()
            self.take("paused")
            self.look("paused")
            self.take_beside("rules", "ctrl+comma", scroll_to="rules")
            self.take_beside("hours", "ctrl+comma", scroll_to="hours", at_night=True)

    def take_two_gpus(self, name: str, driver: FakeNvml, home: Path) -> None:
        """One trains, and the other is paused since another program computes on it."""
        samples = itertools.count(1000)
        with running_program(home, _OTHER_PROGRAM) as pid:

            def is_paused() -> bool:
                driver.says(*_GPUS, f"use 1 {pid} 92 {next(samples)}")
                return "Paused (GPU 1)" in self.desktop.window(self.app).title

            wait_for(is_paused, "a pause of the second GPU alone", LIMIT_SECONDS)
            self.take_training(name)

    def _has_left_review(self) -> bool:
        return "Ready" not in self.desktop.window(self.app).title


def _is_in_the_middle(event: Progress) -> bool:
    return 0.35 < event.samples / event.target < 0.75


def take_one_device(desktop: Desktop, organiser: Peer, places: Places, home: Path) -> Volunteer:
    """Those of a computer without a GPU, which trains on."""
    volunteer = Volunteer(desktop, organiser, places, home / "volunteer")
    volunteer.join()
    volunteer.take_training("training-light")
    volunteer.take_menu("tray-menu")
    volunteer.take_training("training-dark", theme="dark")
    volunteer.choose(theme="light")
    volunteer.take_training("training-german", language="de")
    volunteer.choose(language="en")
    volunteer.look("training")
    volunteer.take_beside("settings", "ctrl+comma", scroll_to="settings")
    return volunteer


def take_two_devices(desktop: Desktop, organiser: Peer, places: Places, home: Path) -> None:
    """Those of a computer with two GPUs, for which a stand-in for NVIDIA's library speaks, and which the CPU is."""
    driver = FakeNvml(home / "nvml")
    driver.says(*_GPUS)
    place = {name: driver.environment[name] for name in ("LD_LIBRARY_PATH", "FAKE_NVML_STATE")}
    volunteer = Volunteer(desktop, organiser, places, home / "two", *gpu_worker.WORKER, **place)
    volunteer.join_with_two_gpus()
    volunteer.take_two_gpus("two-gpus", driver, home)
    volunteer.quit()
