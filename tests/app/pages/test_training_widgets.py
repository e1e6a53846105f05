"""The small parts of the training page."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QStyleOptionButton
from pytestqt.qtbot import QtBot

from app.appearance.line_breaks import in_whole_parts, unbroken, with_whole_paths
from app.appearance.theme import colours
from app.charts.series_menu import SeriesMenu
from app.pages.training.device_list import DeviceLine, DeviceList
from app.pages.training.epoch_progress_bar import EpochProgressBar, Step
from app.pages.training.event_log import KEPT_LINES, EventLog
from app.presentation.device import device_in_use, live_words
from app.widgets.labels import Words
from app.widgets.layout.even_grid import EvenGrid
from app.widgets.metric import Metric
from app.widgets.sparkline import Sparkline
from core.hardware.device import Device
from tests.app.support.training_sample import NOW, SEEN, training

pytestmark = pytest.mark.usefixtures("english")


def test_the_bar_marks_my_part_of_the_step(qtbot: QtBot) -> None:
    bar = EpochProgressBar()
    qtbot.addWidget(bar)
    bar.resize(200, 14)
    bar.show_step(Step(samples=800, target=1000, mine=400))
    image, theme = bar.grab().toImage(), colours(bar.palette())
    at = {x: QColor(image.pixel(x, 7)).name() for x in (40, 120, 190)}
    assert at == {40: theme.curves[0].name(), 120: theme.curves[1].name(), 190: theme.line.name()}
    assert bar.accessibleDescription() == "800 of 1,000 samples, 400 of them mine"


@pytest.mark.parametrize("step", [None, Step(0, 0, 0), Step(5, 0, 5), Step(3000, 1000, 9000), Step(1, 10**8, 1)])
def test_the_bar_draws_whatever_the_swarm_says(qtbot: QtBot, step: Step | None) -> None:
    bar = EpochProgressBar()
    qtbot.addWidget(bar)
    bar.show_step(step)
    bar.grab()


@pytest.mark.parametrize("values", [(), (None,), (1.0,), (0.0, 0.0), (None, 1.0, None, 2.0, 2.0), (5.0, 5.0)])
def test_a_sparkline_draws_any_values(qtbot: QtBot, values: tuple[float | None, ...]) -> None:
    sparkline = Sparkline()
    qtbot.addWidget(sparkline)
    sparkline.show_values(values)
    sparkline.grab()


def test_the_log_forgets_its_oldest_lines(qtbot: QtBot) -> None:
    log = EventLog()
    qtbot.addWidget(log)
    for number in range(KEPT_LINES + 10):
        log.add(NOW, f"<b>{number}</b>")
    assert len(log.lines) == KEPT_LINES
    assert log.lines[-1].endswith(f"  <b>{KEPT_LINES + 9}</b>")


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_list_of_curves_stays_open_while_one_ticks(qtbot: QtBot) -> None:
    button = SeriesMenu()
    qtbot.addWidget(button)
    button.show_curves(("loss",))
    menu = button.menu()
    menu.popup(button.pos())
    qtbot.waitExposed(menu)
    peers = next(action for action in menu.actions() if action.text() == "Peers in the run")
    with qtbot.waitSignal(button.curves_chosen) as chosen:
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(peers).center())
    assert chosen.args == [("loss", "peers")]
    assert menu.isVisible()
    menu.setActiveAction(peers)
    QTest.keyClick(menu, Qt.Key.Key_Space)
    assert button.curves == ("loss",)
    menu.close()


def test_parts_of_one_size_stand_beside_each_other_while_there_is_room(qtbot: QtBot) -> None:
    grid = EvenGrid(100, 3)
    qtbot.addWidget(grid)
    parts = [QLabel(str(number), grid) for number in range(4)]
    grid.show_parts(parts)
    grid.show()
    for width, columns in ((90, 1), (230, 2), (900, 3)):
        grid.resize(width, 200)
        QApplication.processEvents()
        assert len({part.x() for part in parts}) == columns


def test_the_device_in_use_is_found_by_any_of_its_names() -> None:
    gpu, cpu = SEEN.devices
    assert device_in_use(training(), SEEN.devices, "auto") is gpu
    assert device_in_use(training(consent=None), SEEN.devices, "gpu-1") is gpu
    assert device_in_use(training(consent=None), SEEN.devices, "auto") is None
    assert live_words(cpu) == "AMD Ryzen 5 5600X"
    assert live_words(Device("cuda", name="<b>A GPU</b>\x07")) == "<b>A GPU</b>"


def test_a_number_stays_with_what_it_counts() -> None:
    text = "epoch 42 · averaged with 6 peers 12 s ago · next round in ~40 s"
    assert unbroken(text).split(" · ") == [
        "epoch 42",
        "averaged with 6\u00a0peers 12\u00a0s ago",
        "next round in ~40\u00a0s",
    ]


def test_a_figure_that_becomes_known_has_its_room_at_once(qtbot: QtBot) -> None:
    metric = Metric(1, is_above=False)
    qtbot.addWidget(metric)
    metric.resize(300, 60)
    metric.show_number("–", "", is_known=False)
    with qtbot.waitExposed(metric):
        metric.show()
    metric.show_number("44 %", "", is_known=True)
    number = next(label for label in metric.findChildren(QLabel) if label.text() == "44 %")
    assert number.width() >= number.sizeHint().width()


def test_a_label_breaks_no_address_at_its_slashes(qtbot: QtBot) -> None:
    words = "Zeile, in der /ip4/…"
    label = Words(with_whole_paths(words))
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() >= label.fontMetrics().horizontalAdvance("/ip4/…")
    label.setFixedWidth(label.fontMetrics().horizontalAdvance("Zeile, in der /ip4/"))
    assert label.heightForWidth(label.width()) == 2 * label.fontMetrics().lineSpacing()


def test_a_short_part_of_a_sentence_stays_whole_and_no_line_begins_with_a_dot() -> None:
    text = "Training · averaged with 16 peers 12 s ago · next round in ~40 s"
    assert in_whole_parts(text).split(" ") == [
        "Training\u00a0·",
        "averaged",
        "with",
        "16\u00a0peers",
        "12\u00a0s",
        "ago\u00a0·",
        "next\u00a0round\u00a0in\u00a0~40\u00a0s",
    ]


def test_an_ampersand_in_what_a_device_does_is_shown_and_underlines_no_letter(qtbot: QtBot) -> None:
    devices = DeviceList()
    qtbot.addWidget(devices)
    devices.show_devices([("cuda:0", "Paused: Dungeons & Dragons"), ("cuda:1", "Training")], "cuda:0")
    line = devices.lines["cuda:0"]
    assert "Dungeons && Dragons" in line.text() and "Dungeons & Dragons" in line.toolTip()


def test_what_a_device_does_ends_in_an_ellipsis_where_it_has_no_room(qtbot: QtBot) -> None:
    line = DeviceLine("GPU 0: Training · epoch 42 · averaged with 6 peers")
    qtbot.addWidget(line)
    drawn = QStyleOptionButton()
    line.resize(line.fontMetrics().horizontalAdvance(line.text()), 30)
    line.initStyleOption(drawn)
    assert drawn.text.startswith("GPU 0: Training") and drawn.text.endswith("…")
    line.resize(2 * line.width(), 30)
    line.initStyleOption(drawn)
    assert drawn.text == line.text()


def test_a_part_that_needs_more_height_gets_it(qtbot: QtBot) -> None:
    grid = EvenGrid(100, 2)
    qtbot.addWidget(grid)
    words = Words("short", grid)
    grid.show_parts([words])
    grid.show_parts([QLabel("beside", grid), words])
    grid.resize(240, 10)
    grid.show()
    QApplication.processEvents()
    before = grid.heightForWidth(240)
    words.set_text("much longer than a line of it can be " * 4)
    QApplication.processEvents()
    assert grid.heightForWidth(240) > before
