"""The whole window and the owner's rules: what they pause, what it says, and who has the last word; a fake engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from app.observers.desktop_observer import DesktopObserver
from core.availability.decision import Reason
from core.availability.observation import GpuId, GpuUse
from core.availability.rules import AvailabilityRules
from core.control.messages import ControlCommand
from core.hardware import monitor
from core.observers import computer
from core.protocol.client_events import Pause
from core.texts.settings.pause_history import line_of
from tests.app.test_application import ADDRESS, LIMIT_MILLISECONDS, Open, name_of_page, opened, train, until
from tests.app.test_changed_run import starts
from tests.app.test_several_devices import TwoGpus
from tests.support.computer.scripted_computer import ScriptedComputer, watch_over

__all__ = ["opened"]  # the fixture

GAME = "SuperTux"


class UsedGpu(ScriptedComputer):
    """The observer of this computer; on the GPU ``used`` a game computes, which it sees if it looks at that one."""

    used = 0

    def __init__(self, _data_folder: Path, gpus: frozenset[GpuId]) -> None:
        super().__init__(gpu_uses=(GpuUse(1, GAME, 0.9),) if UsedGpu.used in gpus else ())


def held(qtbot: QtBot, application: Application) -> None:
    """Wait until the rules have paused the run, and its worker is gone."""
    until(qtbot, application, lambda session: session.is_held and session.phase == "paused")


def training_again(qtbot: QtBot, application: Application) -> None:
    """Wait for the training."""
    until(qtbot, application, lambda session: session.phase == "training")


def told(application: Application) -> str:
    """What `workerbee status` is answered."""
    return application.remote_control.answer(ControlCommand(action="status")).sentence


def test_a_game_pauses_and_its_end_resumes_and_all_say_one_reason(qtbot: QtBot, opened: Open) -> None:
    computer = ScriptedComputer()
    application = opened("good", watch=watch_over(computer))
    train(qtbot, application)
    computer.fields = {"games": (GAME,)}
    held(qtbot, application)
    page, tray = application.pages.training.page, application.tray_controller.tray
    qtbot.waitUntil(lambda: GAME in page.header.sentence)
    assert page.header.button.main.text() == "Resume now"
    assert told(application) == page.status
    assert GAME in tray.menu.actions()[0].text()
    assert any(GAME in line for line in page.events.toPlainText().splitlines())
    computer.fields = {"games": ()}
    training_again(qtbot, application)
    assert GAME not in told(application)


def test_the_list_of_pauses_has_the_person_s_own_and_a_sleep_at_once(qtbot: QtBot, opened: Open) -> None:
    application = opened("good", watch=watch_over(ScriptedComputer()))
    train(qtbot, application)

    def last() -> str:
        return line_of(application.availability.last_pauses(1)[-1]).partition(" · ")[2]

    application.session_controller.pause()
    until(qtbot, application, lambda session: session.phase == "paused")
    qtbot.waitUntil(lambda: last() == "paused by you")
    application.session_controller.resume()
    training_again(qtbot, application)
    qtbot.waitUntil(lambda: last() == "free for training")
    application.session_controller.prepare_suspend()
    until(qtbot, application, lambda session: session.phase == "paused")
    qtbot.waitUntil(lambda: last() == "asleep")


def test_whoever_starts_while_a_rule_asks_waits_and_nothing_is_computed(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    computer = ScriptedComputer(games=(GAME,))
    application = opened("good", watch=watch_over(computer))
    page = application.pages.join.page
    page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished and not session.availability.is_free)
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    held(qtbot, application)
    assert name_of_page(application) == "training"
    assert GAME in told(application)
    assert starts(tmp_path) == []
    computer.fields = {}
    training_again(qtbot, application)
    assert len(starts(tmp_path)) == 1


def test_nothing_is_measured_while_a_rule_asks_for_a_pause(qtbot: QtBot, opened: Open) -> None:
    computer = ScriptedComputer()
    application = opened("good", rehearsal="measure_for_ever", watch=watch_over(computer))
    dry_runs = application.session_controller.dry_runs
    application.pages.join.page.join_requested.emit(ADDRESS)
    qtbot.waitUntil(lambda: dry_runs.session.phase == "starting", timeout=LIMIT_MILLISECONDS)
    computer.fields = {"games": (GAME,)}
    qtbot.waitUntil(lambda: dry_runs.session.phase != "starting", timeout=LIMIT_MILLISECONDS)
    until(qtbot, application, lambda session: not session.availability.is_free)
    computer.fields = {}
    qtbot.waitUntil(lambda: dry_runs.session.phase == "starting", timeout=LIMIT_MILLISECONDS)


def test_resume_now_overrules_and_says_what_is_ignored(qtbot: QtBot, opened: Open) -> None:
    computer = ScriptedComputer(is_on_battery=True)
    application = opened("good", watch=watch_over(computer))
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished and not session.availability.is_free)
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    held(qtbot, application)
    application.pages.training.page.header.button.main.click()
    training_again(qtbot, application)
    assert application.session_controller.session.availability.ignored == ("battery",)
    assert "ignored" in told(application)
    computer.fields = {"is_on_battery": True, "games": (GAME,)}
    held(qtbot, application)
    assert GAME in told(application), "another rule pauses as ever"


def test_a_person_who_has_paused_is_not_overruled(qtbot: QtBot, opened: Open) -> None:
    computer = ScriptedComputer(games=(GAME,))
    application = opened("good", watch=watch_over(computer))
    controller = application.session_controller
    application.settings_store.replace(availability=AvailabilityRules(games=False))
    train(qtbot, application)
    controller.pause()
    until(qtbot, application, lambda session: session.phase == "paused")
    application.settings_store.replace(availability=AvailabilityRules())
    until(qtbot, application, lambda session: not session.availability.is_free)
    application.settings_store.replace(availability=AvailabilityRules(games=False))
    until(qtbot, application, lambda session: session.availability.is_free)
    assert (controller.session.phase, controller.session.pause) == ("paused", Pause())


def test_a_rule_that_is_switched_off_in_the_settings_lets_go_at_once(qtbot: QtBot, opened: Open) -> None:
    computer = ScriptedComputer(games=(GAME,))
    application = opened("good", watch=watch_over(computer, speed=1.0))
    application.settings_store.replace(availability=AvailabilityRules(games=False))
    train(qtbot, application)
    application.settings_store.replace(availability=AvailabilityRules())
    held(qtbot, application)
    rule = application.session_controller.session.availability.reason
    assert rule is not None and rule == Reason("game", GAME, not_before=rule.not_before)
    assert application.session_controller.session.pause == Pause("rule", rule=rule)
    application.navigator.open_settings()
    settings = application.pages.settings.page
    qtbot.waitUntil(lambda: GAME in settings.availability.now.text(), timeout=10_000)
    settings.availability.rows["game"].switch.click()
    training_again(qtbot, application)


def test_after_a_suspend_the_rules_are_heeded(qtbot: QtBot, opened: Open) -> None:
    computer = ScriptedComputer()
    application = opened("good", watch=watch_over(computer))
    train(qtbot, application)
    application.session_controller.prepare_suspend()
    until(qtbot, application, lambda session: session.phase == "paused")
    computer.fields = {"is_on_battery": True}
    until(qtbot, application, lambda session: not session.availability.is_free)
    application.session_controller.resume_after_suspend()
    held(qtbot, application)
    assert application.session_controller.session.availability.ignored == ()


def test_the_idle_time_is_asked_for_where_a_rule_or_a_person_wants_it(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(DesktopObserver, "watch_idle", lambda _, is_wanted: asked.append(is_wanted))
    application = opened("good", watch=watch_over(ScriptedComputer(idle_seconds=3600.0)))
    train(qtbot, application)
    qtbot.waitUntil(lambda: asked[-1:] == [False], timeout=LIMIT_MILLISECONDS)
    application.settings_store.replace(availability=AvailabilityRules(idle_minutes=5))
    assert asked[-1]
    application.settings_store.replace(availability=AvailabilityRules(attended_upload_rate=10**6))
    assert asked[-1]
    application.settings_store.replace(availability=AvailabilityRules())
    assert not asked[-1]
    application.navigator.open_settings()
    qtbot.waitUntil(lambda: asked[-1], timeout=LIMIT_MILLISECONDS)


def test_the_rules_look_at_the_gpu_that_the_review_page_was_told(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "Nvml", TwoGpus)
    monkeypatch.setattr(computer, "ComputerObserver", UsedGpu)
    monkeypatch.setattr(UsedGpu, "used", 1)
    application = opened("good", is_computer_scripted=False)
    application.settings_store.replace(availability=AvailabilityRules(gpu_share=0.2))
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    qtbot.waitUntil(application.availability.has_decided, timeout=LIMIT_MILLISECONDS)
    assert application.session_controller.session.availability.is_free, "the GPU with more memory is used by nobody"
    application.settings_store.replace(device="cuda:1")
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    until(qtbot, application, lambda session: session.is_held and session.phase == "paused")
    assert GAME in told(application)
    application.settings_store.replace(device="cuda:0")  # for the next run
    application.availability._timer.timeout.emit()  # and the rules look again
    assert application.availability.gpus == {1}, "the run goes on as it was agreed to"


def test_after_the_next_login_the_rules_look_at_the_gpu_that_goes_on(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "Nvml", TwoGpus)
    first = opened("good")
    first.settings_store.replace(availability=AvailabilityRules(gpu_share=0.2))
    train(qtbot, first)
    first.shutdown.wait()
    first.close()
    monkeypatch.setattr(computer, "ComputerObserver", UsedGpu)
    monkeypatch.setattr(TwoGpus, "delay", 0.7)
    again = opened("good", request=LaunchRequest(is_minimised=True), is_computer_scripted=False)
    until(qtbot, again, lambda session: session.is_held and session.phase == "paused")
    assert again.availability.gpus == {0}
