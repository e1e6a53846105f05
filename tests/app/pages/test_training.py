"""The page one lives with: everything it shows comes from values, everything it wants is a signal."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from app.charts.chart import Chart
from app.pages.training.page import TrainingPage
from core.errors import ErrorKind
from core.localizable import LocalizedText
from core.protocol.client_events import Pause
from core.protocol.events import ContributionStatus, Hello, Restarting, RunFound, StateLoading, Warned
from core.records.contributions import Contribution
from core.run.steering.control_value import Order
from tests.app.support.training_sample import (
    FOUND,
    GPU,
    NOW,
    SEEN,
    SampleCurves,
    finished,
    peer,
    progress,
    show,
    training,
)


@pytest.fixture
def page(qtbot: QtBot) -> TrainingPage:
    QLocale.setDefault(QLocale("en_GB"))
    page = TrainingPage(SampleCurves())
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show()
    qtbot.waitExposed(page)
    return page


def words(page: TrainingPage) -> str:
    """All that can be read on it."""
    texts = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    return "\n".join(texts).replace("\u00a0", " ")


def test_it_says_what_is_going_on_in_the_order_in_which_people_look(page: TrainingPage) -> None:
    show(page, training(), NOW)
    show(page, training(), NOW)
    page.show_devices(SEEN, "auto")
    page.show_contributions(
        Contribution(12_416, 42, 7500.0, 1_100_000.0), Contribution(1_204_332, 412, 756_000.0, None)
    )
    text = words(page)
    expected = (
        "Sums up to 99",
        "Training · epoch 42 · averaged with 6 peers",
        "512",
        "NVIDIA GeForce RTX 3060 · 94 % busy · 5.1 GB of 12.9 GB · 64 °C · 168 W",
        "81 %",
        "812 of 1,000 samples, 164 of them mine",
        "7 peers, 2 of them outgoing only · 3,012/s together",
    )
    assert [each for each in expected if each not in text] == []
    contribution_status = page.contribution_status.text
    assert "14 of the last 15 rounds" in contribution_status
    assert (
        "12,416 samples given" in contribution_status
        and "306 Wh" in contribution_status
        and "16 % of the last step" in contribution_status
    )
    assert "1,204,332 samples" in contribution_status


def test_what_is_not_known_is_said_and_never_zero(page: TrainingPage) -> None:
    unknown = progress(samples_per_second=None, swarm_samples_per_second=None)
    show(page, training(progress=unknown, last_share=None), NOW)
    page.show_contributions(Contribution(), Contribution())
    assert page.speed.number.text == "not known yet"
    assert "together" not in words(page)
    assert "not measured energy used" in page.contribution_status.text
    assert "not known yet of the last step" in page.contribution_status.text


def test_while_the_organiser_has_paused_the_run_this_computer_is_at_rest(page: TrainingPage) -> None:
    now = training()
    assert now.chosen is not None
    paused = msgspec.structs.replace(now.chosen, order=Order(state="paused", since=1e9, reason="The data moves house."))
    show(page, training(chosen=paused), NOW)
    assert page.header.sentence.startswith("The organiser paused the run") and page.speed.number.text == "at rest"


def test_the_large_button_pauses_and_resumes(page: TrainingPage, qtbot: QtBot) -> None:
    show(page, training(), NOW)
    button = page.header.button
    with qtbot.waitSignal(page.pause_requested) as asked:
        QTest.mouseClick(button.main, Qt.MouseButton.LeftButton)
    assert asked.args == [None]
    show(page, training(phase="leaving", pause=Pause()), NOW)
    assert button.main.text() == "Pausing…" and not button.main.isEnabled()
    show(page, training(phase="paused", pause=Pause(), progress=None), NOW)
    assert page.header.sentence == "Paused by you until you resume"
    assert page.speed.number.text == "at rest"
    with qtbot.waitSignal(page.resume_requested):
        QTest.mouseClick(button.main, Qt.MouseButton.LeftButton)


def test_who_pressed_the_large_button_finds_it_again(page: TrainingPage) -> None:
    button = page.header.button
    show(page, training(), NOW)
    button.main.setFocus()
    show(page, training(phase="leaving", pause=Pause()), NOW)
    assert not button.main.hasFocus()
    show(page, training(phase="paused", pause=Pause(), progress=None), NOW)
    assert button.main.hasFocus()


def test_a_shorter_sentence_moves_nothing(page: TrainingPage) -> None:
    show(page, training(), NOW)
    page.header.show_status("Training · something that takes more than one line of this page, at any rate" * 2)
    QApplication.processEvents()
    top = page.speed.y()
    page.header.show_status("Training")
    QApplication.processEvents()
    assert page.speed.y() == top


def test_without_a_gpu_its_graphs_are_not_among_the_usual_ones(page: TrainingPage) -> None:
    shown = {chart.graph.key for chart in page.graphs.charts}
    page.show_devices(replace(SEEN, devices=SEEN.devices[1:]), "auto")
    assert shown - {chart.graph.key for chart in page.graphs.charts} == {"gpu_utilisation"}
    page.show_devices(SEEN, "auto")
    assert {chart.graph.key for chart in page.graphs.charts} == shown
    page.show_devices(replace(SEEN, devices=SEEN.devices[1:]), "auto")  # it is lost
    assert {chart.graph.key for chart in page.graphs.charts} == shown
    page.choose_graphs("30min", ("gpu_power",))
    assert {chart.graph.key for chart in page.graphs.charts} == {"gpu_power"}


def test_its_menu_knows_how_long_and_how_else(page: TrainingPage, qtbot: QtBot) -> None:
    show(page, training(), NOW)
    actions = {action.text(): action for action in page.header.button.menu.actions()}
    lengths: list[object] = []
    page.pause_requested.connect(lengths.append)
    for text in ("for 30 minutes", "for 1 hour", "for 3 hours", "until I resume"):
        actions[f"Pause {text}"].trigger()
    assert lengths == [1800.0, 3600.0, 10800.0, None]
    with qtbot.waitSignal(page.leave_requested):
        actions["Leave the run"].trigger()
    finish = actions["Finish this epoch, then stop"]
    with qtbot.waitSignal(page.finish_requested):
        finish.trigger()
    assert not finish.isChecked()
    show(page, training(finish_at_epoch=43), NOW)
    assert finish.isChecked()
    assert page.header.sentence.startswith("Finishing this epoch, then stopping")


def test_a_pause_can_be_given_another_end(page: TrainingPage, qtbot: QtBot) -> None:
    show(page, training(phase="paused", pause=Pause(until=NOW + 600)), NOW)
    menu = page.header.button.menu
    actions = {action.text(): action for action in menu.actions() if action.isVisible() and action.text()}
    assert list(actions) == [
        "Pause for 30 minutes from now",
        "Pause for 1 hour from now",
        "Pause for 3 hours from now",
        "Pause until I resume",
        "Leave the run",
    ]
    with qtbot.waitSignal(page.pause_requested) as asked:
        actions["Pause for 1 hour from now"].trigger()
    assert asked.args == [3600.0]


def test_a_warning_exists_only_when_something_is_wrong(page: TrainingPage, qtbot: QtBot) -> None:
    show(page, training(), NOW)
    assert not page.warning.isVisible()
    warned = training(warnings=(Warned(problem=ErrorKind.DISK_FULL.key, detail="2 MB left."),))
    show(page, warned, NOW)
    assert page.warning.isVisible()
    assert "2 MB left." in page.warning.text
    with qtbot.waitSignal(page.advice_requested) as asked:
        QTest.mouseClick(page.warning.findChildren(QAbstractButton)[0], Qt.MouseButton.LeftButton)
    assert asked.args == [ErrorKind.DISK_FULL.key]
    assert not page.warning.isVisible()
    show(page, warned, NOW + 1)
    assert not page.warning.isVisible()


def test_what_has_ended_the_training_stays(page: TrainingPage, qtbot: QtBot) -> None:
    failed = training(phase="ended", problem=ErrorKind.OUT_OF_MEMORY, problem_detail="2 GB\x1b[0m", progress=None)
    show(page, failed, NOW)
    assert page.warning.severity == "bad"
    assert "\x1b" not in page.warning.text
    QTest.mouseClick(page.warning.findChildren(QAbstractButton)[0], Qt.MouseButton.LeftButton)
    assert page.warning.isVisible()
    with qtbot.waitSignal(page.leave_requested):
        QTest.mouseClick(page.header.button.main, Qt.MouseButton.LeftButton)


def test_rounds_that_fail_among_others_and_a_silent_driver_are_troubles(page: TrainingPage) -> None:
    failing = training(
        contribution_status=ContributionStatus(state="alone", reason=LocalizedText("It was averaged with nobody.")),
        rounds=(finished(ok=False, reason="late"),) * 3,
    )
    show(page, failing, NOW)
    assert "averaged with nobody" in page.warning.text
    show(page, replace(failing, progress=progress(peers=1)), NOW)
    assert not page.warning.isVisible()
    page.show_devices(replace(SEEN, is_driver_answering=False), "auto")
    assert "driver" in page.warning.text
    page.show_devices(SEEN, "auto")
    assert not page.warning.isVisible()


def test_a_crash_is_survived_in_words(page: TrainingPage) -> None:
    restarting = Restarting(attempt=1, seconds=2.0, last_attempt=5)
    show(page, training(phase="connecting", progress=None, restarting=restarting), NOW)
    assert "attempt 1 of 5 starts in 2 s" in page.header.sentence
    assert "by itself" in page.warning.text
    show(page, training(phase="starting", loading=StateLoading(received_bytes=5, total_bytes=10)), NOW)
    assert page.header.sentence.startswith("Downloading")
    assert not page.warning.isVisible()


def test_the_organisers_words_are_plain_and_bounded(page: TrainingPage) -> None:
    run = saying(name="<b>bold</b>\x07 " + "x" * 90, notice="<img src=x>\nBye")
    show(page, training(chosen=run), NOW)
    labels = [label for label in page.findChildren(QLabel) if label.isVisible()]
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert "<b>bold</b>" in words(page) and "The organiser says: <img src=x> Bye" in words(page)
    assert "\x07" not in words(page)
    show(page, training(chosen=saying(state="paused")), NOW)
    assert "The organiser has paused this run" in words(page)


def saying(**changes: str) -> RunFound:
    """The run, described in other words."""
    info = msgspec.structs.replace(FOUND.manifest.run, **changes)
    return msgspec.structs.replace(FOUND, manifest=msgspec.structs.replace(FOUND.manifest, run=info))


def test_events_are_kept_behind_a_tab_even_while_it_is_hidden(page: TrainingPage) -> None:
    page.hide()
    for _ in range(3000):
        page.show_event(Hello(protocol=1, version="0.1.0"), NOW)
    assert len(page.events.lines) == 500
    assert "version 0.1.0" in page.events.lines[-1]


def test_that_this_computer_helps_is_logged_once_and_not_at_each_round(page: TrainingPage) -> None:
    helping = [ContributionStatus(state="helping", reason=LocalizedText(f"{count} of 3")) for count in range(3)]
    for event in (*helping[:2], ContributionStatus(state="alone"), helping[2]):
        page.show_event(event, NOW)
    page.show_event(ContributionStatus(state="helping"), NOW, "cuda:1")
    told = [line.partition("  ")[2] for line in page.events.lines]
    words = "Your computer is helping."
    assert told[:3] == [words, "Connected, but alone.", words] and len(told) == 4 and told[3].endswith(words)


def test_while_hidden_it_only_remembers(page: TrainingPage) -> None:
    page.hide()
    show(page, training(), NOW)
    assert page.header.sentence != page.status
    page.show()
    assert page.header.sentence == page.status


def test_graphs_are_chosen_and_remembered_through_a_signal(page: TrainingPage, qtbot: QtBot) -> None:
    page.choose_graphs("6h", ("my_rate", "gpu_power"))
    assert [chart.graph.key for chart in page.graphs.charts] == ["throughput", "gpu_power"]
    day = next(each for each in page.graphs.periods.findChildren(QAbstractButton) if each.text() == "24 h")
    with qtbot.waitSignal(page.graphs_chosen) as chosen:
        QTest.mouseClick(day, Qt.MouseButton.LeftButton)
    assert chosen.args == ["24h", ("my_rate", "gpu_power")]
    loss = next(each for each in page.graphs.curves.menu().actions() if each.text().startswith("Loss: mine"))
    with qtbot.waitSignal(page.graphs_chosen) as chosen:
        loss.trigger()
    assert chosen.args == ["24h", ("my_rate", "loss", "gpu_power")]


def test_only_graphs_on_the_screen_ask_for_their_curves(qtbot: QtBot) -> None:
    source = SampleCurves()
    page = TrainingPage(source)
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.choose_graphs("24h", ())
    page.show()
    qtbot.waitExposed(page)
    QApplication.processEvents()
    source.asked.clear()
    seen = [chart for chart in page.graphs.charts if not chart.visibleRegion().isEmpty()]
    page.refresh_graphs()
    wanted = sum(len(chart.graph.series) + (chart.graph.along is not None) for chart in seen)
    qtbot.waitUntil(lambda: len(source.asked) >= wanted)
    assert "my_rate" in source.asked and "epoch" not in source.asked
    page.hide()
    source.asked.clear()
    page.refresh_graphs()
    for _ in page.graphs.charts:
        QApplication.processEvents()
    assert source.asked == []


def test_everything_that_can_be_clicked_has_a_name_and_is_reached_by_tab(page: TrainingPage) -> None:
    show(page, training(warnings=(Warned(problem=ErrorKind.DISK_FULL.key),)), NOW)
    clickable = [each for each in page.findChildren(QAbstractButton) if each.isVisible()]
    nameless = [each for each in clickable if not (each.accessibleName() or each.text())]
    unreachable = [each for each in clickable if not each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert (nameless, unreachable) == ([], [])
    for widget in (page.peers, page.events, *page.findChildren(Chart)):
        assert widget.accessibleName()
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_tab_key_goes_round_the_whole_page(page: TrainingPage) -> None:
    show(page, training(), NOW)
    page.header.button.main.setFocus()
    reached = set()
    for _ in range(60):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.add(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    wanted = {
        page.header.button.main,
        page.header.button.more,
        page.graphs.curves,
        page.peers,
        *page.graphs.charts,
    }
    assert wanted <= reached


def test_a_thousand_peers_and_a_day_of_history_are_shown_as_they_change(page: TrainingPage) -> None:
    page.choose_graphs("24h", ())
    for second in range(20):
        peers = tuple(peer(number, samples_per_second=float(number * 7919 % (1009 + second))) for number in range(1000))
        session = training(peers=peers, progress=progress(samples=second))
        show(page, session, NOW + second)
        page.show_devices(replace(SEEN, devices=(replace(GPU, temperature_c=60 + second),)), "auto")
        page.refresh_graphs()
        QApplication.processEvents()
    assert page.peers.model().rowCount() == 1000


@pytest.mark.parametrize("width", [560, 800, 1920])
def test_no_word_is_cut_in_any_window(page: TrainingPage, qtbot: QtBot, width: int) -> None:
    long = "Donaudampfschifffahrtsgesellschaft " * 3
    warned = (Warned(problem=ErrorKind.DISK_FULL.key, detail="/somewhere/" + "a" * 100),)
    session = training(chosen=saying(name=long, notice=long), warnings=warned, progress=progress(peers=10**6))
    page.resize(width, 500)
    page.show_devices(SEEN, "auto")
    page.show_contributions(Contribution(10**9, 10**6, 1e8, 1e12), Contribution(10**10, 10**7, 1e9, 1e13))
    for second in range(3):
        show(page, session, NOW + second)
        QApplication.processEvents()

    def cut() -> list[str]:
        labels = [label for label in page.findChildren(QLabel) if label.isVisible() and label.text().strip()]
        too_narrow = [each.text() for each in labels if each.width() < each.minimumSizeHint().width()]
        too_low = [
            each.text() for each in labels if each.wordWrap() and each.height() < each.heightForWidth(each.width())
        ]
        return too_narrow + too_low

    qtbot.waitUntil(lambda: cut() == [], timeout=2000)
    content = page.findChildren(QScrollArea)[0].widget()
    assert content is not None and content.width() <= width
