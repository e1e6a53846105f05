"""The whole window with two GPUs in one run: a worker for each, both told, paused and counted; a fake engine."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.controllers.devices.device_session import DeviceSession
from app.controllers.recording_controller import RECORD_SECONDS_HIDDEN
from app.desktop.launch_request import LaunchRequest
from core.availability.observation import GpuUse
from core.availability.rules import AvailabilityRules
from core.control.messages import ControlCommand
from core.hardware import monitor
from core.hardware.device import Device
from core.problem_report.contents import report_text
from core.protocol.client_events import Pause
from core.protocol.codec import decode_command
from core.protocol.commands import REPORT_SECONDS, AnyCommand, SetPace, Start
from core.run.address import JoinAddress
from core.run.multiaddr import Multiaddr
from tests.app.support.sample_sessions import GPU, PEER
from tests.app.test_application import ADDRESS, LIMIT_MILLISECONDS, LINK, Open, name_of_page, opened, until
from tests.app.test_run_continuation import kept
from tests.support.computer.scripted_computer import ScriptedComputer, watch_over
from tests.support.peers import fake_worker

__all__ = ["opened"]  # the fixture

SECOND_GPU = replace(GPU, index=1, uuid="GPU-5e6f7a8b-2222", memory_free_bytes=(GPU.memory_free_bytes or 0) // 2)
ELSEWHERE = Multiaddr(f"/ip4/203.0.113.9/tcp/31337/p2p/{PEER}")
GAME = "SuperTux"


class TwoGpus:
    """Stands for NVIDIA's driver of a computer with two GPUs; after a boot it takes a while."""

    delay = 0.0

    def __init__(self) -> None:
        self.gpus: dict[int, Device] = {}

    def scan(self) -> None:
        time.sleep(self.delay)
        self.gpus = {0: GPU, 1: SECOND_GPU}

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "Nvml", TwoGpus)


def with_second_gpu(application: Application, seen: ScriptedComputer | None = None) -> None:
    """What its observer sees of the second GPU is what the test says."""
    computer = seen or ScriptedComputer()
    application.device_sessions.make_watch = lambda _device: watch_over(computer)


def commands(folder: Path) -> list[AnyCommand]:
    """What workers were told, in the order in which they noted it."""
    lines = (folder / "journal").read_bytes().splitlines()
    return [decode_command(line) for line in lines if line != fake_worker.BIRTH.encode()]


def second(application: Application) -> DeviceSession:
    """The session of the second GPU."""
    (further,) = application.device_sessions.further
    return further


def until_second(qtbot: QtBot, application: Application, phase: str) -> None:
    """Wait until the second GPU is in that phase."""

    def is_so() -> bool:
        return [each.session.phase for each in application.device_sessions.further] == [phase]

    qtbot.waitUntil(is_so, timeout=LIMIT_MILLISECONDS)


def start_on_both(qtbot: QtBot, application: Application) -> None:
    """Tick the second GPU on the review page, and start."""
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    review = application.pages.review.page
    qtbot.waitUntil(lambda: review.isVisible() and bool(review.offer.further_devices.boxes), timeout=LIMIT_MILLISECONDS)
    review.offer.further_devices.boxes["cuda:1"].click()
    review.bar.start.click()
    until(qtbot, application, lambda session: session.contributed_samples > 0)


def train_on_both(qtbot: QtBot, application: Application) -> None:
    """Start, and wait until both train."""
    start_on_both(qtbot, application)
    until_second(qtbot, application, "training")


def menu(application: Application) -> list[str]:
    """The tray's menu as a person reads it."""
    tray = application.tray_controller.tray
    application.tray_controller.refresh()
    actions = [action for action in tray.menu.actions() if action.isVisible() and not action.isSeparator()]
    return [action.text().replace("&", "") for action in actions]


def test_both_train_and_the_tray_tells_of_each_and_pauses_both(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    with_second_gpu(application)
    train_on_both(qtbot, application)
    starts = [command.device for command in commands(tmp_path) if isinstance(command, Start)]
    assert starts == ["cuda:0", "cuda:1"]
    assert [line.split(":")[0] for line in menu(application)[:2]] == ["GPU 0", "GPU 1"]
    qtbot.waitUntil(
        lambda: application.window.windowTitle() == "Training (GPU 0, GPU 1) · Sums — Workerbee",
        timeout=LIMIT_MILLISECONDS,
    )
    page = application.pages.training.page
    qtbot.waitUntil(
        lambda: set(page.devices.lines) == {"cuda:0", "cuda:1"} and page.devices.isVisible(), timeout=LIMIT_MILLISECONDS
    )
    application.tray_controller.tray.pause_requested.emit(None)
    until(qtbot, application, lambda session: session.phase == "paused")
    until_second(qtbot, application, "paused")
    assert "Resume" in menu(application) and "Pause" not in menu(application)
    told = application.remote_control.answer(ControlCommand(action="resume"))
    assert told.is_done and "GPU 0: " in told.sentence and "GPU 1: " in told.sentence
    until(qtbot, application, lambda session: session.phase == "training")
    until_second(qtbot, application, "training")


def test_what_happens_on_both_is_kept_for_a_report_of_a_problem(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    with_second_gpu(application)
    train_on_both(qtbot, application)
    text = report_text(application.folders, (), (GPU, SECOND_GPU))
    events = text.partition("== The last events ==\n")[2].partition("\n\n")[0].splitlines()
    begun = [each.split(" ", 2)[2] for each in events if "Training starts on" in each]
    assert len(begun) == 2 and sum(each.startswith("cuda:1 ") for each in begun) == 1
    assert PEER not in text and "cuda:1: NVIDIA" in text and "GPU-5e6f" not in text


def test_what_both_give_is_counted_and_epochs_once(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    with_second_gpu(application)
    train_on_both(qtbot, application)
    first, other = application.session_controller, second(application)
    both = 2 * fake_worker.SAMPLES_A_LIFE
    qtbot.waitUntil(
        lambda: first.session.contributed_samples + other.session.contributed_samples == both,
        timeout=LIMIT_MILLISECONDS,
    )
    qtbot.waitUntil(lambda: application.recording.contributions()[0].samples == both, timeout=LIMIT_MILLISECONDS)


def test_a_gpu_that_another_program_uses_pauses_alone_and_the_page_resumes_it(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    application, gpu = opened("good"), ScriptedComputer()
    application.settings_store.replace(availability=AvailabilityRules(gpu_share=0.2))
    with_second_gpu(application, gpu)
    train_on_both(qtbot, application)
    gpu.fields = {"gpu_uses": (GpuUse(1, GAME, 0.9),)}
    until_second(qtbot, application, "paused")
    assert application.session_controller.session.phase == "training"
    assert GAME in menu(application)[1] and GAME not in menu(application)[0]
    assert {"Pause", "Resume"} <= set(menu(application)), "one can be paused, the other goes on"
    assert application.window.windowTitle() == "Training (GPU 0) · Paused (GPU 1) · Sums — Workerbee"
    page = application.pages.training.page
    page.devices.lines["cuda:1"].click()
    assert GAME in page.header.sentence and page.header.button.main.text() == "Resume now"
    application.navigator.open_settings()
    listed = application.pages.settings.page.availability.history
    qtbot.waitUntil(lambda: "GPU 1: since " in listed.text(), timeout=LIMIT_MILLISECONDS)
    paused = [line for line in listed.text().splitlines() if GAME in line]
    assert len(paused) == 1 and paused[0].startswith("GPU 1: since "), "the first GPU was free all the time"
    application.navigator.go_back()
    page.header.button.main.click()
    until_second(qtbot, application, "training")
    assert second(application).session.availability.ignored == ("gpu",)


def test_one_that_has_failed_is_tried_again_alone(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good", "fail_with_a_damaged_key", "good")
    with_second_gpu(application)
    start_on_both(qtbot, application)
    until_second(qtbot, application, "ended")
    page = application.pages.training.page
    qtbot.waitUntil(lambda: "cuda:1" in page.devices.lines, timeout=LIMIT_MILLISECONDS)
    page.devices.lines["cuda:1"].click()
    qtbot.waitUntil(page.warning.isVisible, timeout=LIMIT_MILLISECONDS)
    assert page.warning.action.text() == "Try again"
    page.warning.action.click()
    until_second(qtbot, application, "training")
    assert application.session_controller.session.phase == "training"
    starts = [command.device for command in commands(tmp_path) if isinstance(command, Start)]
    assert starts == ["cuda:0", "cuda:1"], "the first GPU is not troubled"


def test_a_link_does_not_disturb_the_second_where_the_first_has_failed(qtbot: QtBot, opened: Open) -> None:
    application = opened("fail_in_training", "good")
    with_second_gpu(application)
    start_on_both(qtbot, application)
    until(qtbot, application, lambda session: session.phase == "ended")
    until_second(qtbot, application, "training")
    application.intake.open(LaunchRequest(link=LINK))
    assert not application.window.notice.isHidden() and name_of_page(application) == "training"
    assert second(application).session.phase == "training"


def test_which_gpu_is_shown_is_chosen_with_the_arrow_keys(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    with_second_gpu(application)
    train_on_both(qtbot, application)
    devices = application.pages.training.page.devices
    qtbot.waitUntil(
        lambda: set(devices.lines) == {"cuda:0", "cuda:1"} and devices.isVisible(), timeout=LIMIT_MILLISECONDS
    )
    first, other = devices.lines.values()
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Down)
    assert other.isChecked() and other.hasFocus() and not first.isChecked()
    assert other.accessibleName() == "" and other.text().startswith("GPU 1: ")


def test_what_holds_for_the_whole_computer_pauses_both(qtbot: QtBot, opened: Open) -> None:
    computer = ScriptedComputer()
    application = opened("good", watch=watch_over(computer))
    with_second_gpu(application)
    train_on_both(qtbot, application)
    computer.fields = {"games": (GAME,)}
    until(qtbot, application, lambda session: session.is_held and session.phase == "paused")
    until_second(qtbot, application, "paused")
    assert all(GAME in line for line in menu(application)[:2])


def test_the_limits_of_the_line_are_for_both_together(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    limited = AvailabilityRules(upload_rate=10**6, attended_upload_rate=10**6)
    application.settings_store.replace(availability=limited)
    with_second_gpu(application)
    train_on_both(qtbot, application)

    def rates() -> list[int | None]:
        return [each.upload_bytes_a_second for each in commands(tmp_path) if isinstance(each, SetPace)]

    qtbot.waitUntil(lambda: rates().count(500_000) >= 2, timeout=LIMIT_MILLISECONDS)
    second(application).pause()
    qtbot.waitUntil(lambda: rates()[-1] == 10**6, timeout=LIMIT_MILLISECONDS)


def test_both_report_seldom_while_nobody_sees_the_window(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    with_second_gpu(application)
    train_on_both(qtbot, application)

    def told() -> list[float]:
        return [each.report_seconds for each in commands(tmp_path) if isinstance(each, SetPace)]

    application.window.hide()
    qtbot.waitUntil(lambda: told() == [RECORD_SECONDS_HIDDEN] * 2, timeout=LIMIT_MILLISECONDS)
    application.window.show()
    qtbot.waitUntil(lambda: told()[2:] == [REPORT_SECONDS] * 2, timeout=LIMIT_MILLISECONDS)


def test_after_the_next_login_both_go_on_and_the_one_that_its_owner_has_paused_waits(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    first = opened("good")
    with_second_gpu(first)
    train_on_both(qtbot, first)
    page = first.pages.training.page
    qtbot.waitUntil(lambda: "cuda:1" in page.devices.lines, timeout=LIMIT_MILLISECONDS)
    page.devices.lines["cuda:1"].click()
    page.header.button.pause_requested.emit(None)
    until_second(qtbot, first, "paused")
    assert first.session_controller.session.phase == "training"
    first.shutdown.wait()
    first.close()
    again = opened("good", request=LaunchRequest(is_minimised=True))
    with_second_gpu(again)
    until(qtbot, again, lambda session: session.phase == "training")
    until_second(qtbot, again, "paused")
    assert second(again).session.pause == Pause()
    again.tray_controller.tray.resume_requested.emit()
    until_second(qtbot, again, "training")


def test_leaving_leaves_with_both_and_another_run_begins_with_one(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    with_second_gpu(application)
    train_on_both(qtbot, application)
    application.pages.training.page.leave_requested.emit()
    qtbot.waitUntil(lambda: application.device_sessions.is_over, timeout=LIMIT_MILLISECONDS)
    assert not kept(), "it does not go on after the next start"
    assert name_of_page(application) == "join"
    application.pages.join.page.join_requested.emit(JoinAddress(peers=(ELSEWHERE,)))
    until(qtbot, application, lambda session: session.is_search_finished)
    assert application.device_sessions.chosen == ()
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    until(qtbot, application, lambda session: session.contributed_samples > 0)
    assert len(application.device_sessions.all) == 1


def test_with_one_gpu_nothing_of_this_is_seen(qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TwoGpus, "scan", lambda self: setattr(self, "gpus", {0: GPU}))
    application = opened("good")
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    review = application.pages.review.page
    qtbot.waitUntil(lambda: review.bar.start.isEnabled(), timeout=LIMIT_MILLISECONDS)
    assert review.offer.further_devices.isHidden()
    review.bar.start.click()
    until(qtbot, application, lambda session: session.contributed_samples > 0)
    page = application.pages.training.page
    qtbot.waitUntil(lambda: page.header.sentence != "", timeout=LIMIT_MILLISECONDS)
    assert page.devices.isHidden()
    assert "GPU 0" not in menu(application)[0]
