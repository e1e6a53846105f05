"""The page that makes the engine: what it asks leave for, how far it is, and what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.controllers.engine_controller import EngineController
from app.controllers.thread_bridge import Bridge
from app.pages.engine import EnginePage
from core.engine.build_selection import Choice, Suited
from core.engine.file_lists import EngineFiles
from core.engine.install.events import Installed, InstallFailed, InstallPaused, InstallProgress
from core.engine.install.index_lookup import WHEELS_VARIABLE
from core.engine.install.offer import EngineOffer, offer_for
from core.engine.pythons import this_python
from core.errors import ErrorKind
from core.files.folders import Folders
from core.hardware.unused_gpus import UnusedGpu
from tests.support.engine_wheels import small_engine
from tests.support.environment.package_index import serving_wheels


@pytest.fixture
def files(tmp_path: Path) -> EngineFiles:
    """Of a small engine."""
    return small_engine(tmp_path / "index", works=False)


@pytest.fixture
def page(qtbot: QtBot, english: None) -> EnginePage:
    """Seen by somebody."""
    page = EnginePage()
    qtbot.addWidget(page)
    page.show()
    return page


def offer(files: EngineFiles, suited: Suited) -> EngineOffer:
    """Of these, because of that."""
    return EngineOffer(Path("/home/me/engines"), Choice(suited, files), 80_000_000_000)


def test_it_says_what_is_downloaded_where_it_goes_and_why_this_build(page: EnginePage, files: EngineFiles) -> None:
    page.show_engine(offer(files, Suited("cpu", "no_gpu")), None, is_making=False)
    assert "for the CPU. No GPU with a driver was found." in page.facts.text
    assert "Download: 3.0 MB" in page.facts.text
    assert "80.0 GB free" in page.facts.text
    assert "/home/me/engines" in page.facts.text.replace("\u200b", "")
    assert page.make.isEnabled() and not page.pause.isVisible()


def test_no_empty_frame_is_drawn_before_anything_is_known(page: EnginePage, files: EngineFiles) -> None:
    assert not page.card.isVisible()
    page.show_engine(offer(files, Suited("cpu", "no_gpu")), None, is_making=False)
    assert page.card.isVisible()
    page.show_engine(None, None, is_making=True)
    assert page.card.isVisible()


def test_a_driver_that_is_too_old_for_any_build_is_said_plainly(page: EnginePage, files: EngineFiles) -> None:
    page.show_engine(offer(files, Suited("cpu", "driver_too_old", "470.1")), None, is_making=False)
    assert "The NVIDIA driver 470.1 is too old for any build: update it to 580" in page.facts.text


@pytest.mark.parametrize(
    ("suited", "said"),
    [
        (Suited("cpu", "gpu_too_old", "535.1", "3.5"), "its compute capability is 3.5, and 5.0 is the least (Maxwell:"),
        (
            Suited("cpu", "python_too_new", "580.1", "6.1"),
            f"capability 6.1 is for Python 3.11 to 3.13, and this is {this_python()}, so the CPU computes.",
        ),
        (
            Suited("xpu", "intel", unused=UnusedGpu("Intel", "Intel Arc A770", None, "no engine")),
            "for the CPU. Intel Arc A770: Workerbee has no engine for it yet, so the CPU trains. Whoever reaches",
        ),
        (
            Suited("xpu", "intel", unused=UnusedGpu("Intel", "Intel Arc A770", None, "no engine")),
            "python -m installer.package.engine_lists --engine xpu --index URL",
        ),
        (
            Suited("cpu", "unused_gpu", unused=UnusedGpu("NVIDIA", "NVIDIA GeForce RTX 3060", None, "no driver")),
            "NVIDIA GeForce RTX 3060 has no working driver",
        ),
        (Suited("rocm", "amd"), "There is an AMD GPU, but no engine for it yet, so the CPU computes. Whoever reaches"),
        (Suited("rocm", "amd"), "python -m installer.package.engine_lists --engine rocm --index URL"),
    ],
)
def test_a_gpu_that_stays_idle_is_said_plainly_and_the_cpu_is_offered(
    page: EnginePage, files: EngineFiles, suited: Suited, said: str
) -> None:
    page.show_engine(offer(files, suited), None, is_making=False)
    assert "for the CPU. " in page.facts.text and said in page.facts.text
    assert page.make.isEnabled()


def test_progress_has_speed_and_time_left_and_can_be_paused(page: EnginePage, files: EngineFiles, qtbot: QtBot) -> None:
    making = InstallProgress("downloading", 100_000_000, 300_000_000, 4_000_000.0)
    page.show_engine(offer(files, Suited("cpu", "no_gpu")), making, is_making=True)
    assert page.line.text() == "100.0 MB of 300.0 MB · 4.0 MB/s · 50 s left"
    assert page.bar.value() * 3 == pytest.approx(page.bar.maximum(), abs=3)
    assert not page.make.isVisible()
    with qtbot.waitSignal(page.pause_requested):
        page.pause.click()
    page.show_engine(offer(files, Suited("cpu", "no_gpu")), InstallPaused(), is_making=False)
    assert "kept" in page.callout.text and page.make.text() == "&Go on"


def test_a_failure_has_words_and_another_try(page: EnginePage, files: EngineFiles, qtbot: QtBot) -> None:
    failed = InstallFailed(ErrorKind.DOWNLOAD_CUT, "torch from somewhere: timed out.")
    page.show_engine(offer(files, Suited("cpu", "no_gpu")), failed, is_making=False)
    assert page.callout.title == "The download was cut off."
    assert "goes on where it stopped" in page.callout.text
    with qtbot.waitSignal(page.make_requested):
        page.make.click()


def test_nothing_can_be_made_for_a_python_without_a_list(page: EnginePage) -> None:
    nothing = EngineOffer(Path("/home/me/engines"), problem=ErrorKind.ENGINE_NOT_OFFERED, detail="This is Python 3.9.")
    page.show_engine(nothing, None, is_making=False)
    assert "no training engine for this computer's Python" in page.callout.text
    assert not page.make.isEnabled()


@pytest.fixture
def bridge(qapp: QApplication) -> Bridge:
    return Bridge()


@pytest.fixture
def controller(tmp_path: Path, bridge: Bridge) -> Iterator[EngineController]:
    """Of a person who has no engine."""
    folders = Folders.below(tmp_path / "home")
    folders.prepare()
    controller = EngineController(folders, bridge)
    yield controller
    controller.stop()


def test_a_checkout_needs_no_engine(controller: EngineController) -> None:
    controller.look_up()
    assert not controller.is_open and controller.offer is None


def test_what_was_offered_is_installed_and_its_end_is_told(
    controller: EngineController,
    bridge: Bridge,
    files: EngineFiles,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving_wheels(tmp_path / "index") as index:
        monkeypatch.setenv(WHEELS_VARIABLE, index.url)
        controller.renew()
        bridge.post_engine(offer(files, Suited("cpu", "no_gpu")))
        qtbot.waitUntil(lambda: controller.offer is not None)
        controller.install()
        assert controller.is_installing and not controller.close()
        qtbot.waitUntil(lambda: not controller.is_installing, timeout=60_000)
    assert (
        isinstance(controller.last_event, InstallFailed) and controller.last_event.problem is ErrorKind.ENGINE_MISSING
    )
    assert controller.is_open and controller.close() and not controller.is_open


def test_an_installed_engine_closes_the_page(controller: EngineController, bridge: Bridge, qtbot: QtBot) -> None:
    controller.renew()
    with qtbot.waitSignal(controller.changed):
        bridge.post_engine(Installed())
    assert not controller.is_open


def test_a_newer_engine_is_offered_once_and_not_forced(
    controller: EngineController, bridge: Bridge, files: EngineFiles, qtbot: QtBot
) -> None:
    newer = offer(files, Suited("cpu", "no_gpu"))
    newer = EngineOffer(newer.folder, newer.choice, newer.free_bytes, is_newer=True)
    with qtbot.waitSignal(controller.newer_offered):
        bridge.post_engine(newer)
    assert not controller.is_open


def test_the_offer_of_this_computer_names_a_folder_and_what_is_free(tmp_path: Path) -> None:
    found = offer_for(tmp_path)
    assert found.folder == tmp_path / "engines"
    assert found.choice is not None and found.free_bytes and not found.is_newer
    assert msgspec.json.decode(msgspec.json.encode(found.choice.files), type=EngineFiles) == found.choice.files
