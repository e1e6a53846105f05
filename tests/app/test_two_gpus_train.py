"""The window trains on two GPUs in a real run: two real workers, a real organiser, and rules that see each GPU.

Its driver is the real pynvml on a C stand-in for NVIDIA's library (`tests/support/environment/fake_nvml.c`), which
tells of two GPUs and of what others compute on each. Its workers compute on the CPU under the GPUs' names
(`tests/support/computer/gpu_worker.py`).
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psutil
import pynvml
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.appearance.language import Language
from app.appearance.theme import Theme
from app.application import Application
from app.controllers.devices.device_sessions import AnySession
from app.controllers.settings_store import SettingsStore
from app.desktop.launch_request import LaunchRequest
from app.shell.first_window import InitialWindow
from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.protocol.events import Progress, RoundFinished
from core.protocol.peers import PeersSeen
from core.run.address import JoinAddress
from core.run.multiaddr import Multiaddr
from tests.support.client_harness import children, no_new_children
from tests.support.computer import gpu_worker
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.peers import fake_worker
from tests.support.real_peers import GHOST_SECONDS, LIMIT_SECONDS, Peer, PeerGroup

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.faults, pytest.mark.timeout(900)]

GPUS = (
    f"gpu GPU-aaaa 8192 8000 51 NVIDIA {gpu_worker.MODEL}",
    f"gpu GPU-bbbb 8192 8000 47 NVIDIA {gpu_worker.MODEL}",
)


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNvml:
    """NVIDIA's library of a computer with two GPUs, in this process for as long as the test lasts."""
    made = FakeNvml(tmp_path / "nvml")
    made.says(*GPUS)
    for name in ("LD_LIBRARY_PATH", "FAKE_NVML_STATE"):
        monkeypatch.setenv(name, made.environment[name])
    monkeypatch.setattr(pynvml, "nvmlLib", ctypes.CDLL(str(tmp_path / "nvml" / "libnvidia-ml.so.1")))
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    return made


@pytest.fixture
def window(driver: FakeNvml, qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    """The window, whose owner minds nothing but other programs on the GPU; of its workers nothing is left."""
    settings_store = SettingsStore(Folders.default().settings_file)
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), gpu_share=0.2)
    settings_store.replace(is_tray_explained=True, availability=rules)
    initial_window = InitialWindow(Folders.default(), settings_store, Theme(qapp), Language(qapp))
    initial_window.open(LaunchRequest())
    application = Application(
        initial_window,
        worker_command=gpu_worker.WORKER,
        dry_run_command=[sys.executable, fake_worker.__file__, str(tmp_path / "rehearsals"), "good"],
    )
    with no_new_children():
        application.open(LaunchRequest())
        yield application
        application.close()


class Gpus:
    """What the driver samples on both GPUs: our own workers always, another program where the test says so."""

    def __init__(self, driver: FakeNvml) -> None:
        self._driver, self._samples = driver, itertools.count(1000)

    def sample(self, *, other: int | None = None) -> None:
        """The next sample; ``other`` is the process, not one of our own, that takes most of the second GPU."""
        at = next(self._samples)
        uses = [f"use {index} {child.pid} 95 {at}" for index, child in enumerate(children()[:2])]
        self._driver.says(*GPUS, *uses, *([f"use 1 {other} 90 {at}"] if other is not None else []))


class Watcher:
    """Whoever sits at the window, and waits until something is so."""

    def __init__(self, qtbot: QtBot, gpus: Gpus) -> None:
        self._qtbot, self._gpus = qtbot, gpus
        self.other: int | None = None

    def until(self, is_so: Callable[[], bool], seconds: float = LIMIT_SECONDS) -> None:
        """Wait, while the driver goes on to sample."""

        def look() -> bool:
            self._gpus.sample(other=self.other)
            return is_so()

        self._qtbot.waitUntil(look, timeout=int(seconds * 1000))

    def hears(self, organiser: Peer, peers: int, since: int, seconds: float = LIMIT_SECONDS) -> None:
        """Wait until the organiser sees so many peers, and reckons with them."""
        self.until(lambda: any(len(seen.peers) == peers for seen in organiser.all(PeersSeen, since)), seconds)
        self.until(lambda: any(seen.peers == peers for seen in organiser.all(Progress, since)), seconds)

    def goes_on(self, each: AnySession) -> None:
        """Wait until that one has computed more than it has now."""
        given = each.session.contributed_samples
        self.until(lambda: each.session.phase == "training" and each.session.contributed_samples > given)


def gpus_of(organiser: Peer) -> int:
    """How many of the peers that the organiser has seen last tell that a GPU computes."""
    return sum(each.device == gpu_worker.MODEL for each in organiser.all(PeersSeen)[-1].peers)


def test_two_real_workers_train_side_by_side_and_each_is_paused_alone(
    qtbot: QtBot, window: Application, driver: FakeNvml, group: PeerGroup
) -> None:
    organiser, watcher = group.organiser(), Watcher(qtbot, Gpus(driver))
    begun = len(organiser.said)
    watcher.until(lambda: [each.label for each in window.device_poller.devices] == ["cuda:0", "cuda:1", "cpu"])
    join, review = window.pages.join.page, window.pages.review.page
    join.join_requested.emit(JoinAddress(peers=(Multiaddr(organiser.posted),)))
    searching = window.session_controller
    watcher.until(lambda: searching.session.is_search_finished and "cuda:1" in review.offer.further_devices.boxes)
    review.offer.further_devices.boxes["cuda:1"].click()
    review.bar.start.click()

    watcher.until(lambda: len(window.device_sessions.all) == 2)
    first, second = window.device_sessions.all
    watcher.goes_on(first)
    watcher.goes_on(second)
    watcher.hears(organiser, peers=3, since=begun)
    watcher.until(lambda: any(one.ok and one.peers == 3 for one in organiser.all(RoundFinished, begun)))
    watcher.until(lambda: gpus_of(organiser) == 2)

    here = len(organiser.said)
    watcher.other = os.getppid()
    watcher.until(lambda: second.session.is_held and second.session.phase == "paused")
    pause, program = second.session.pause, psutil.Process(os.getppid()).name()
    assert pause is not None and pause.rule is not None
    assert (pause.rule.rule, pause.rule.subject) == ("gpu", program)
    assert not second.session.is_worker_running
    watcher.hears(organiser, peers=2, since=here, seconds=GHOST_SECONDS / 2)
    watcher.goes_on(first)
    watcher.other = None
    assert first.session.availability.is_free, "what others do on the second GPU is no affair of the first"

    here = len(organiser.said)
    window.pages.training.page.devices.lines["cuda:1"].click()
    window.pages.training.page.header.button.main.click()
    watcher.goes_on(second)
    watcher.hears(organiser, peers=3, since=here)

    here = len(organiser.said)
    window.pages.training.page.devices.lines["cuda:0"].click()
    window.pages.training.page.pause_requested.emit(None)
    watcher.until(lambda: first.session.phase == "paused")
    watcher.hears(organiser, peers=2, since=here, seconds=GHOST_SECONDS / 2)
    watcher.goes_on(second)

    here = len(organiser.said)
    window.close()
    assert [each.session.phase for each in (first, second)] == ["ended", "ended"]
    watcher.hears(organiser, peers=1, since=here, seconds=GHOST_SECONDS / 2)
