"""The window after the program was ended: the run goes on as its owner had it, without a click; a fake engine."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from core.client.session import Session
from core.control.messages import ControlCommand
from core.files.folders import Folders, service_unit_file
from core.files.locks import try_lock
from core.hardware.monitor import DevicesSeen
from core.protocol.client_events import Pause
from core.records.unfinished_run import UnfinishedRunFile
from tests.app.support.sample_sessions import GPU
from tests.app.test_application import LIMIT_MILLISECONDS, LINK, Open, name_of_page, opened, train, until
from tests.app.test_changed_run import AGREED, CHANGED, starts
from tests.support.computer.scripted_computer import ScriptedComputer, watch_over
from tests.support.peers import fake_worker

__all__ = ["opened"]  # the fixture

AT_LOGIN = LaunchRequest(is_minimised=True)


def is_training(session: Session) -> bool:
    """Whether samples are computed."""
    return session.phase == "training" and session.contributed_samples > 0


def kept() -> bool:
    """Whether a run is kept that goes on after the next start."""
    return UnfinishedRunFile(Folders.default().contents.unfinished_run_file).load() is not None


def has_looked(qtbot: QtBot, application: Application) -> None:
    """Wait until the program has started, and no run waits there any more for going on."""
    qtbot.waitUntil(lambda: application.updates is not None, timeout=LIMIT_MILLISECONDS)  # the last of the start
    qtbot.waitUntil(lambda: application.continuation._run is None, timeout=LIMIT_MILLISECONDS)
    application.bridge.deliver()  # by which it would have gone on


def log_out(application: Application) -> None:
    """The desktop's session ends, and the program with it."""
    application.shutdown.wait()
    application.close()


def test_a_run_goes_on_after_the_next_login_without_a_click(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    first = opened("good")
    train(qtbot, first)
    log_out(first)
    again = opened("good", request=AT_LOGIN)
    until(qtbot, again, is_training)
    assert starts(tmp_path) == [AGREED, AGREED]
    assert name_of_page(again) == "training"
    assert not again.window.is_seen


def test_after_an_upgrade_the_new_version_goes_on_with_the_run(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    first = opened("good")
    train(qtbot, first)
    events = first.system_events
    assert events is not None and events.may_restart()
    with qtbot.waitSignal(first.shutdown.finished, timeout=LIMIT_MILLISECONDS):
        events.upgrade.restart_due.emit()
    assert events.is_restarting and kept()
    first.close()
    again = opened("good", request=AT_LOGIN)
    until(qtbot, again, is_training)
    assert starts(tmp_path) == [AGREED, AGREED]


def test_an_upgrade_waits_while_a_person_looks_at_a_run_that_is_not_kept(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    qtbot.waitUntil(lambda: application.system_events is not None, timeout=LIMIT_MILLISECONDS)
    assert application.system_events is not None and application.window.is_seen
    assert not application.system_events.may_restart()
    application.window.hide()
    assert application.system_events.may_restart()


def test_so_it_does_after_a_power_cut(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    train(qtbot, opened("good"))  # of which nothing is ended properly
    again = opened("good", request=AT_LOGIN)
    until(qtbot, again, is_training)
    assert starts(tmp_path) == [AGREED, AGREED]


def test_a_network_that_is_not_up_yet_at_login_is_waited_for(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    first = opened("good")
    train(qtbot, first)
    log_out(first)
    again = opened("good", "fail_for_good", "good", request=AT_LOGIN)  # nobody answers at first
    until(qtbot, again, is_training)
    assert starts(tmp_path) == [AGREED, AGREED]


def test_a_gpu_that_is_not_there_any_more_is_named_and_waited_for(qtbot: QtBot, opened: Open) -> None:
    first = opened("good")
    train(qtbot, first)
    file = UnfinishedRunFile(Folders.default().contents.unfinished_run_file)
    run = file.load()
    assert run is not None
    log_out(first)
    file.keep(msgspec.structs.replace(run, device="cuda:0"))
    again = opened("good", request=AT_LOGIN)
    qtbot.waitUntil(lambda: "cuda:0" in again.window.notice.callout.text, timeout=LIMIT_MILLISECONDS)
    assert again.session_controller.session.phase == "idle"
    again.bridge.post_devices(DevicesSeen((GPU,), is_driver_answering=True, at=time.time()))
    until(qtbot, again, is_training)


def test_a_pause_that_the_disk_refuses_is_kept_once_it_takes_it(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("app.run_continuation", "core.records.unfinished_run"):
        monkeypatch.setattr(f"{module}.RETRY_SECONDS", 0.3)
    application, path = opened("good"), Folders.default().contents.unfinished_run_file
    train(qtbot, application)
    path.unlink()
    (path / "in the way").mkdir(parents=True)
    application.session_controller.pause()
    until(qtbot, application, lambda session: session.pause is not None and not session.is_worker_running)
    shutil.rmtree(path)
    qtbot.waitUntil(path.is_file, timeout=LIMIT_MILLISECONDS)
    run = UnfinishedRunFile(path).load()
    assert run is not None and run.pause == "person"


@pytest.mark.parametrize("how", ["leave", "quit", "quit from a terminal"])
def test_a_run_that_its_owner_has_left_or_quit_does_not_go_on(qtbot: QtBot, opened: Open, how: str) -> None:
    first = opened("good")
    train(qtbot, first)
    assert kept()
    match how:
        case "leave":
            first.pages.training.page.leave_requested.emit()
            until(qtbot, first, lambda session: session.phase == "ended")
        case "quit":
            with qtbot.waitSignal(first.shutdown.finished, timeout=LIMIT_MILLISECONDS):
                first.tray_controller.quit_requested.emit()
        case _:
            with qtbot.waitSignal(first.shutdown.finished, timeout=LIMIT_MILLISECONDS):
                first.remote_control.answer(ControlCommand(action="quit"))
    first.close()
    assert not kept()
    again = opened("good", request=AT_LOGIN)
    has_looked(qtbot, again)
    assert again.session_controller.session.phase == "idle"


def test_what_the_owner_has_paused_stays_paused_until_they_say_so(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    first = opened("good")
    train(qtbot, first)
    first.tray_controller.tray.pause_requested.emit(None)
    until(qtbot, first, lambda session: session.phase == "paused")
    log_out(first)
    again = opened("good", request=AT_LOGIN)
    until(qtbot, again, lambda session: session.pause == Pause())
    assert starts(tmp_path) == [AGREED]
    assert not again.session_controller.session.is_worker_running
    again.tray_controller.tray.resume_requested.emit()
    until(qtbot, again, is_training)


def test_a_pause_until_some_time_ends_at_that_time_though_the_computer_was_off(qtbot: QtBot, opened: Open) -> None:
    first = opened("good")
    train(qtbot, first)
    first.session_controller.pause(1.0)
    ends_at = time.time() + 1.0
    until(qtbot, first, lambda session: session.phase == "paused" or session.pause is None)
    log_out(first)
    qtbot.waitUntil(lambda: time.time() > ends_at, timeout=LIMIT_MILLISECONDS)
    until(qtbot, opened("good", request=AT_LOGIN), is_training)


def test_a_run_that_has_changed_meanwhile_is_shown_and_not_trained_before_the_owner_agrees(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    first = opened("good")
    train(qtbot, first)
    log_out(first)
    again = opened("good", "be_widened", request=AT_LOGIN)
    qtbot.waitUntil(lambda: again.window.is_seen, timeout=LIMIT_MILLISECONDS)
    assert name_of_page(again) == "review"
    assert "recipe.width: 128 → 256" in again.pages.review.page.offer.changes.text
    assert starts(tmp_path) == [AGREED]
    log_out(again)
    third = opened("good", "be_widened", "be_widened", request=AT_LOGIN)
    qtbot.waitUntil(lambda: third.window.is_seen, timeout=LIMIT_MILLISECONDS)
    assert name_of_page(third) == "review", "who was away is asked again after another reboot"
    assert starts(tmp_path) == [AGREED]
    third.pages.review.page.bar.start.click()
    until(qtbot, third, is_training)
    assert starts(tmp_path) == [AGREED, CHANGED]


def test_nothing_is_started_that_a_rule_would_then_pause(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    first = opened("good")
    train(qtbot, first)
    log_out(first)
    computer = ScriptedComputer(is_on_battery=True)
    again = opened("good", request=AT_LOGIN, watch=watch_over(computer))
    until(qtbot, again, lambda session: session.is_held and session.phase == "paused")
    assert (tmp_path / "journal").read_bytes().count(fake_worker.BIRTH.encode()) == 1, "no second worker"
    computer.fields = {}
    until(qtbot, again, is_training)


def test_a_start_with_a_link_means_another_run(qtbot: QtBot, opened: Open) -> None:
    first = opened("good")
    train(qtbot, first)
    log_out(first)
    again = opened("good", request=LaunchRequest(link=LINK))
    has_looked(qtbot, again)
    assert again.session_controller.session.phase == "idle"


@pytest.mark.parametrize("is_installed", [True, False])
def test_where_there_is_a_service_the_window_leaves_it_to_that(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_installed: bool
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    first = opened("good")
    train(qtbot, first)
    log_out(first)
    with contextlib.ExitStack() as ends:
        if is_installed:
            service_unit_file().parent.mkdir(parents=True)
            service_unit_file().touch()
        else:
            ends.enter_context(try_lock(Folders.default().contents.service_lock) or pytest.fail("it is locked"))
        again = opened("good", request=AT_LOGIN)
        has_looked(qtbot, again)
        assert again.session_controller.session.phase == "idle"
