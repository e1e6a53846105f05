"""The whole window, with a worker that plays its part: a real process that speaks the real protocol."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.appearance.language import Language
from app.appearance.theme import Theme
from app.application import Application
from app.controllers.navigator import PageName, page_for
from app.controllers.run_recorder import RunRecorder
from app.controllers.settings_store import SettingsStore
from app.desktop.launch_request import LaunchRequest
from app.pages.join.forget_key_dialog import ForgetKeyDialog
from app.shell.first_window import InitialWindow
from app.widgets.inline_inputs import Choice
from core.availability.presets import NIGHT
from core.client.computer_watch import ComputerWatch
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.hardware import monitor
from core.hardware.device import Device
from core.records import contributions
from core.records.settings import Settings, load_settings, save_settings
from core.run.address import JoinAddress
from core.run.run_file import template
from core.security.known_organisers import KnownOrganisers
from tests.app.support.sample_sessions import GPU
from tests.support.client_harness import children
from tests.support.computer.scripted_computer import ScriptedComputer, watch_over
from tests.support.peers import fake_worker
from tests.support.peers.sample_addresses import NOWHERE

ADDRESS = JoinAddress(peers=(NOWHERE,))
LINK = "workerbee://join?peer=%2Fip4%2F203.0.113.5%2Ftcp%2F31337&run=sums"
NO_REQUEST = LaunchRequest()
LIMIT_MILLISECONDS = 60_000

Open = Callable[..., Application]


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Open]:
    """Opens the window with a worker that plays the given parts; nothing of it is left afterwards.

    Its computer is one that nobody needs, whatever runs beside the tests.
    """
    applications: list[Application] = []

    def open_one(*parts: str, **wishes: Any) -> Application:
        applications.append(open_application(qapp, tmp_path, *parts, **wishes))
        await_devices(qtbot, applications[-1])
        return applications[-1]

    yield open_one
    for application in reversed(applications):  # the newest has the signals of the operating system
        application.close()


def open_application(
    qt: QApplication,
    folder: Path,
    *parts: str,
    request: LaunchRequest = NO_REQUEST,
    rehearsal: str = "good",
    is_tray_explained: bool = True,
    watch: ComputerWatch | None = None,
    is_computer_scripted: bool = True,
) -> Application:
    """A window whose worker keeps its journal in that folder; ``watch`` is for what a test says of the computer."""
    settings_store = SettingsStore(Folders.default().settings_file)
    settings_store.replace(is_tray_explained=is_tray_explained or settings_store.settings.is_tray_explained)
    initial_window = InitialWindow(Folders.default(), settings_store, Theme(qt), Language(qt))
    initial_window.open(request)
    fake = [sys.executable, fake_worker.__file__]
    application = Application(
        initial_window,
        worker_command=[*fake, str(folder / "journal"), *parts],
        dry_run_command=[*fake, str(folder / "rehearsals"), rehearsal],
        watch=watch or (watch_over(ScriptedComputer()) if is_computer_scripted else None),
    )
    application.open(request)
    return application


def await_devices(qtbot: QtBot, application: Application) -> None:
    """Wait until the window knows with what it can train."""
    qtbot.waitUntil(lambda: bool(application.device_poller.devices), timeout=LIMIT_MILLISECONDS)


def until(qtbot: QtBot, application: Application, is_so: Callable[[Session], bool]) -> None:
    """Wait for a picture."""
    qtbot.waitUntil(lambda: is_so(application.session_controller.session), timeout=LIMIT_MILLISECONDS)


def name_of_page(application: Application) -> PageName:
    """Which one the window shows."""
    name = application.navigator.page_name
    assert application.window.page is application.pages[name].page
    return name


def train(qtbot: QtBot, application: Application) -> None:
    """Take the main path up to the first progress."""
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    assert name_of_page(application) == "review"
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    until(qtbot, application, lambda session: session.contributed_samples > 0)
    assert name_of_page(application) == "training"


def test_a_run_is_joined_reviewed_trained_paused_resumed_and_left(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    assert name_of_page(application) == "join"
    train(qtbot, application)
    application.tray_controller.tray.pause_requested.emit(None)
    until(qtbot, application, lambda session: session.phase == "paused")
    assert not application.session_controller.session.is_worker_running
    assert name_of_page(application) == "training"
    assert application.window.windowTitle() == "Paused · Sums — Workerbee"
    application.pages.training.page.pause_requested.emit(3600.0)
    pause = application.session_controller.session.pause
    assert application.session_controller.session.phase == "paused"
    assert pause is not None and pause.until is not None and pause.until > time.time() + 3000
    application.pages.training.page.resume_requested.emit()
    until(qtbot, application, lambda session: session.phase == "training")
    with qtbot.waitSignal(application.shutdown.finished, timeout=LIMIT_MILLISECONDS):
        application.quit()
    assert application.session_controller.session.left is not None
    assert not application.session_controller.session.is_worker_running


def test_a_search_on_a_full_disk_says_so_and_goes_on(qtbot: QtBot, opened: Open) -> None:
    application = opened("fail_with_a_full_disk", "good")
    page = application.pages.join.page
    page.join_requested.emit(ADDRESS)
    full = "The disk is full (/data: No space left on device); it is started again…"
    qtbot.waitUntil(lambda: page.search_status.text == full, timeout=LIMIT_MILLISECONDS)
    until(qtbot, application, lambda session: session.is_search_finished)
    assert name_of_page(application) == "review"


def test_a_desktop_without_a_tray_is_explained_once(qtbot: QtBot, opened: Open) -> None:
    application = opened("good", is_tray_explained=False)
    notice = application.window.notice
    qtbot.waitUntil(lambda: "no tray" in notice.callout.text, timeout=LIMIT_MILLISECONDS)
    assert "workerbee pause" in notice.callout.text
    application.close()
    again = opened("good", is_tray_explained=False)
    again.tray_controller.await_tray("window")  # Qt's offscreen platform has none, and it is known at once
    assert again.window.notice.isHidden()


def test_whether_others_reach_this_computer_is_found_out_again_by_a_click(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    card = application.pages.training.page.network
    qtbot.waitUntil(lambda: "asked for" in card.text, timeout=LIMIT_MILLISECONDS)
    card.test.click()
    qtbot.waitUntil(lambda: "asked again" in card.text, timeout=LIMIT_MILLISECONDS)
    assert "Only outgoing connections." in card.text and card.test.isEnabled()


def test_a_changed_key_is_forgotten_after_a_warning(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    known = KnownOrganisers(application.folders.contents.known_organisers_file)
    known.remember("sums", "anna", 7)
    page = application.pages.join.page
    page.forget_key_requested.emit("sums")
    (dialog,) = page.findChildren(ForgetKeyDialog)
    assert known.organisers() == {"sums": "anna"}, "nothing is forgotten before the person agrees"
    dialog.forget_button.click()
    assert known.organisers() == {}


def test_what_was_done_is_remembered(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    recording = application.recording
    assert [run.run_id for run in recording.recent_runs] == [fake_worker.RUN_ID]
    qtbot.waitUntil(lambda: recording.contributions()[0].samples > 0, timeout=5000)
    qtbot.wait(50)
    left_at = time.time()
    application.pages.training.page.leave_requested.emit()
    until(qtbot, application, lambda session: session.phase == "ended")
    assert recording.recent_runs[0].at >= left_at, "the list says when a run was left"


def test_who_has_helped_no_run_yet_is_asked_when_this_computer_helps(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    questions = application.pages.join.page.questions
    assert questions is not None and questions.isVisible()
    assert questions.preset.currentText() == "when nobody needs it", "what is so already"
    choose(questions.preset, "at night")
    choose(questions.login, "starts in the tray")
    questions.sent.setValue(3)
    kept, _ = load_settings(application.folders.settings_file)
    assert kept.availability.hours == NIGHT and kept.availability.sent_bytes_a_day == 3 * 10**9
    assert kept.start_at_login
    choose(questions.preset, "when nobody needs it")
    train(qtbot, application)
    with qtbot.waitSignal(application.shutdown.finished, timeout=LIMIT_MILLISECONDS):
        application.quit()
    application.close()
    assert opened("good").pages.join.page.questions is None, "whoever has a run knows the settings"


def choose(choice: Choice, word: str) -> None:
    """As a click on that word does."""
    choice.setCurrentText(word)
    choice.activated.emit(choice.currentIndex())


def test_what_the_worker_says_to_the_last_is_remembered_too(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    application.close()  # before a second is over: the worker's goodbye tells of all its samples
    recorder = RunRecorder(application.folders)
    assert recorder.contributions(application.session_controller.session)[0].samples == fake_worker.SAMPLES_A_LIFE
    recorder.close()


def test_a_run_is_noted_before_another_takes_its_place(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    application.session_controller.join(ADDRESS)
    until(qtbot, application, lambda session: page_for(session) == "review")
    assert application.recording.contributions()[1].samples == fake_worker.SAMPLES_A_LIFE


class RemovableGpu:
    """NVIDIA's driver, with a GPU that can be pulled out; ``scans`` counts how often it was asked."""

    is_there, scans = True, 0

    def __init__(self) -> None:
        self.gpus: dict[int, Device] = {}

    def scan(self) -> None:
        RemovableGpu.scans += 1
        self.gpus = {0: GPU} if RemovableGpu.is_there else {}

    def close(self) -> None:
        pass


@pytest.mark.slow
@pytest.mark.quiet
def test_a_device_that_vanishes_is_noticed_within_ten_seconds_even_while_hidden(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "Nvml", RemovableGpu)
    application = opened("good")
    assert GPU in application.device_poller.devices
    application.window.hide()
    scans = RemovableGpu.scans
    qtbot.waitUntil(lambda: RemovableGpu.scans > scans, timeout=10_000)
    monkeypatch.setattr(RemovableGpu, "is_there", False)  # just after a scan: the next one is farthest away
    qtbot.waitUntil(lambda: GPU not in application.device_poller.devices, timeout=10_000)


def test_keys_go_back_pause_and_open_the_settings(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    window = application.window
    qtbot.waitExposed(window)
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert name_of_page(application) == "settings"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert name_of_page(application) == "join"
    train(qtbot, application)
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    until(qtbot, application, lambda session: session.phase == "paused")


def test_what_was_given_is_shown_beside_the_run_and_the_price_is_asked_for_in_the_settings(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contributions, "SAVE_EVERY_SECONDS", 0.0)
    application = opened("good")
    window = application.window
    qtbot.waitExposed(window)
    window.activateWindow()
    train(qtbot, application)
    QTest.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert name_of_page(application) == "contributions" and not window.header.contributions.isVisible()
    page = application.pages.contributions.page
    qtbot.waitUntil(lambda: page.report.total.given.samples > 0, timeout=30_000)
    QTest.mouseClick(page.price, Qt.MouseButton.LeftButton)
    assert name_of_page(application) == "settings"
    application.settings_store.replace(price_per_kwh=0.4)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert name_of_page(application) == "contributions"
    qtbot.waitUntil(lambda: "EUR" in page.summary.text, timeout=10_000)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert name_of_page(application) == "training" and window.header.contributions.isVisible()


def test_the_peers_of_a_run_that_is_looked_at_are_watched_beside_it_and_go_on_being_watched(
    qtbot: QtBot, opened: Open
) -> None:
    application = opened("good")
    window = application.window
    qtbot.waitExposed(window)
    window.activateWindow()
    assert not window.header.organise.isVisible()
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    application.pages.review.page.watch.click()
    assert name_of_page(application) == "organise" and not window.header.organise.isVisible()
    watcher = application.fleet_watcher
    qtbot.waitUntil(lambda: watcher.session.is_search_finished, timeout=LIMIT_MILLISECONDS)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert name_of_page(application) == "review" and window.header.organise.isVisible()
    QTest.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    assert name_of_page(application) == "organise" and watcher.is_watching
    application.pages.organise.page.stop.click()
    assert not watcher.is_watching
    qtbot.waitUntil(lambda: watcher.session.phase == "ended", timeout=LIMIT_MILLISECONDS)


def test_going_back_from_a_run_that_was_only_looked_at_leaves_it(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    application.window.back_requested.emit()
    until(qtbot, application, lambda session: session.phase == "ended")
    assert name_of_page(application) == "join"


def test_another_run_is_joined_once_the_first_is_left(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    application.session_controller.join(ADDRESS)
    until(qtbot, application, lambda session: page_for(session) == "review")
    assert name_of_page(application) == "review"


def test_a_problem_stays_until_it_is_put_away(qtbot: QtBot, opened: Open) -> None:
    application = opened("crash_before_training_is_over")  # no such part: the worker dies at once
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.problem is ErrorKind.ENGINE_MISSING)
    assert name_of_page(application) == "join"


def test_a_handed_over_link_waits_in_the_field(qtbot: QtBot, opened: Open) -> None:
    application = opened("good", request=LaunchRequest(link=LINK))
    field = application.pages.join.page.form.field
    qtbot.waitUntil(lambda: field.toPlainText() == LINK)
    assert application.session_controller.session.phase == "idle"


def test_a_link_that_comes_while_training_does_not_disturb(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    application.intake.open(LaunchRequest(link=LINK))
    assert name_of_page(application) == "training"
    assert not application.window.notice.isHidden()


@pytest.mark.parametrize("part", ["good", "search_for_ever"])
def test_a_link_that_comes_while_a_run_is_looked_for_or_looked_at_takes_its_place(
    qtbot: QtBot, opened: Open, part: str
) -> None:
    application = opened(part)
    application.pages.join.page.join_requested.emit(ADDRESS)
    phase = "found" if part == "good" else "connecting"
    until(qtbot, application, lambda session: session.phase == phase and session.is_search_finished == (part == "good"))
    application.intake.open(LaunchRequest(link=LINK))
    assert name_of_page(application) == "join" and application.pages.join.page.form.field.toPlainText() == LINK
    until(qtbot, application, lambda session: session.phase == "ended")
    assert name_of_page(application) == "join" and not application.pages.join.page.form.field.isReadOnly()


def test_a_run_file_that_comes_while_training_is_not_opened_and_says_so(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    application = opened("good")
    train(qtbot, application)
    (tmp_path / "run.toml").write_text(template())
    application.window.run_file_dropped.emit(tmp_path / "run.toml")
    assert name_of_page(application) == "training"
    assert "run file" in application.window.notice.callout.text and not application.window.notice.isHidden()
    assert application.session_controller.run_file is None


def test_a_run_file_that_comes_while_a_run_is_looked_at_takes_its_place(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    application = opened("good")
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    (tmp_path / "run.toml").write_text(template())
    application.window.run_file_dropped.emit(tmp_path / "run.toml")
    assert name_of_page(application) == "join"
    assert "run.toml" in application.pages.join.page.form.run_file.text()


def test_a_run_file_that_is_wrong_is_answered_on_the_first_page(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    application.intake.open(LaunchRequest(run_file=str(tmp_path / "missing.toml")))
    assert name_of_page(application) == "join"
    assert application.session_controller.run_file is None


def test_without_a_tray_the_cross_minimises_and_says_so(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    application.window.close()
    assert application.window.isMinimized()
    assert "no tray" in application.window.notice.callout.text


def test_the_cross_quits_where_the_person_wants_it_so(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    application.settings_store.replace(close_to_tray=False)
    with qtbot.waitSignal(application.shutdown.finished):
        application.window.close()


def test_a_start_in_the_tray_shows_the_window_minimised_where_there_is_no_tray(qtbot: QtBot, opened: Open) -> None:
    application = opened("good", request=LaunchRequest(is_minimised=True))
    qtbot.waitUntil(application.window.isMinimized)


def test_a_start_by_hand_in_the_tray_shows_the_window_where_there_is_no_tray(qtbot: QtBot, opened: Open) -> None:
    save_settings(Folders.default().settings_file, Settings(start_minimised=True))
    application = opened("good")
    qtbot.waitUntil(application.window.isVisible)
    assert not application.window.isMinimized()


def test_settings_are_kept_and_obeyed(qtbot: QtBot, opened: Open, qapp: QApplication) -> None:
    application = opened("good")
    application.navigator.open_settings()
    application.settings_store.replace(theme="dark", start_at_login=True)
    kept, aside = load_settings(application.folders.settings_file)
    assert (kept.theme, kept.start_at_login, aside) == ("dark", True, None)
    assert qapp.palette().window().color().lightness() < 128


def test_what_electricity_costs_is_asked_for_where_it_is_entered(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    application.navigator.open_contributions()
    application.pages.contributions.page.settings_requested.emit()
    price = application.pages.settings.page.electricity.price
    qtbot.waitUntil(lambda: not price.visibleRegion().isEmpty(), timeout=LIMIT_MILLISECONDS)
    assert application.window.focusWidget() is price


def test_a_damaged_settings_file_is_named(qtbot: QtBot, opened: Open) -> None:
    folders = Folders.default()
    folders.prepare()
    folders.settings_file.write_text("theme = ")
    application = opened("good")
    assert "settings.toml.broken-1" in application.window.notice.callout.text.replace("\u200b", "")


def test_a_sleep_is_survived(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    assert application.session_controller.prepare_suspend()
    until(qtbot, application, lambda session: session.phase == "paused")
    assert application.session_controller.may_suspend
    application.session_controller.resume_after_suspend()
    until(qtbot, application, lambda session: session.phase == "training")


def test_a_sleep_that_nobody_foretold_is_survived(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    application.session_controller.resume_after_suspend()
    assert application.session_controller.session.phase == "leaving"
    until(qtbot, application, lambda session: session.phase == "training")


@pytest.mark.quiet
def test_a_goodbye_that_hangs_does_not_freeze_the_window(qtbot: QtBot, opened: Open) -> None:
    application = opened("train_and_ignore_leave")
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    application.session_controller.start(application.session_controller.session.runs[0])
    until(qtbot, application, lambda session: session.phase == "training")
    began = time.monotonic()
    application.quit()
    assert time.monotonic() - began < 0.2
    qtbot.waitUntil(lambda: application.shutdown.window is not None)
    assert application.shutdown.window is not None
    with qtbot.waitSignal(application.shutdown.finished):
        application.shutdown.window.close()


# The dry run


def dry_runs(tmp_path: Path) -> list[str]:
    """What the workers of dry runs were told, and their births."""
    journal = tmp_path / "rehearsals"
    return journal.read_text().splitlines() if journal.exists() else []


def test_what_a_dry_run_finds_is_shown_and_trained_with(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    needs = application.pages.review.page.offer.needs
    qtbot.waitUntil(lambda: "Fits with micro-batch 4" in needs.text, timeout=2 * LIMIT_MILLISECONDS)
    application.navigator.open_settings()
    application.navigator.go_back()
    qtbot.waitUntil(lambda: "Fits with micro-batch 4" in needs.text, timeout=2 * LIMIT_MILLISECONDS)
    assert dry_runs(tmp_path).count(fake_worker.BIRTH) == 1  # once is enough
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    until(qtbot, application, lambda session: session.contributed_samples > 0)
    consent = application.session_controller.session.consent
    assert consent is not None and consent.micro_batch == 4


def test_who_starts_does_not_wait_for_a_dry_run(qtbot: QtBot, opened: Open) -> None:
    application = opened("good", rehearsal="measure_for_ever")
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    needs = application.pages.review.page.offer.needs
    qtbot.waitUntil(lambda: "Measuring" in needs.text, timeout=2 * LIMIT_MILLISECONDS)
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    until(qtbot, application, lambda session: session.contributed_samples > 0)
    consent = application.session_controller.session.consent
    assert consent is not None and consent.micro_batch is None
    qtbot.waitUntil(lambda: len(children()) == 1, timeout=2 * LIMIT_MILLISECONDS)  # the one that trains


@pytest.mark.slow
def test_another_limit_is_measured_anew(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    application.pages.join.page.join_requested.emit(ADDRESS)
    until(qtbot, application, lambda session: session.is_search_finished)
    needs = application.pages.review.page.offer.needs
    qtbot.waitUntil(lambda: "Fits with" in needs.text, timeout=2 * LIMIT_MILLISECONDS)
    application.settings_store.replace(memory_limit_bytes=2_000_000_000)
    told = '"memory_limit_bytes":2000000000'
    qtbot.waitUntil(lambda: any(told in line for line in dry_runs(tmp_path)), timeout=2 * LIMIT_MILLISECONDS)


@pytest.mark.slow
def test_nothing_is_tried_out_beside_training(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    with qtbot.assertNotEmitted(application.session_controller.dry_runs.changed):
        application.settings_store.replace(memory_limit_bytes=2_000_000_000)
    assert application.session_controller.dry_runs.session == Session()


def test_help_is_read_beside_whatever_goes_on(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    train(qtbot, application)
    application.window.header.help.click()
    assert name_of_page(application) == "help" and application.pages.help.page.topic == "index"
    assert not application.window.header.help.isVisible()
    application.pages.help.page.view.link_followed.emit("security.md")
    application.window.back_requested.emit()
    assert name_of_page(application) == "help" and application.pages.help.page.topic == "index"
    application.window.back_requested.emit()
    assert name_of_page(application) == "training"
    assert application.session_controller.session.phase == "training"


def test_an_error_leads_to_its_paragraph_and_back(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    application.notices.show_error(UserError(ErrorKind.DISK_FULL))
    application.window.notice.callout.help.click()
    assert name_of_page(application) == "help"
    view = application.pages.help.page.view
    assert view.hasFocus()
    assert view.textCursor().block().text() == ErrorKind.DISK_FULL.title
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert name_of_page(application) == "join"


def test_settings_are_opened_from_the_help(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    application.window.help_requested.emit(None)
    application.window.header.settings.click()
    assert name_of_page(application) == "settings"
    application.window.back_requested.emit()
    assert name_of_page(application) == "join"
