"""A live graph: what it draws, what it says, and what that costs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Hashable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.appearance.theme import DARK, LIGHT, colours, palette_of
from app.charts.chart import Chart
from app.charts.definitions import GRAPHS, Graph, title
from app.charts.heading import paint_heading
from app.widgets.idle_queue import IdleQueue
from core.records.time_series import Curve, Series
from tests.app.support.training_sample import NOW, curve

THROUGHPUT = GRAPHS[0]


pytestmark = pytest.mark.usefixtures("english")


def shown(qtbot: QtBot, graph: Graph = THROUGHPUT) -> Chart:
    chart = Chart(graph)
    qtbot.addWidget(chart)
    chart.resize(700, 200)
    chart.show()
    qtbot.waitExposed(chart)
    return chart


def draw(chart: Chart, *, now: float = NOW, seconds: float = 300.0) -> QImage:
    curves: dict[Series, Curve] = {
        "my_rate": curve(lambda index: 500.0 + index % 5),
        "swarm_rate": curve(lambda index: 3000.0 + index % 5),
    }
    chart.show_curves(curves, now - seconds, now)
    return chart.grab().toImage()


def has_colour(image: QImage, colour: QColor) -> bool:
    return any(
        image.pixelColor(x, y).rgb() == colour.rgb() for x in range(80, image.width(), 3) for y in range(image.height())
    )


def test_both_curves_are_drawn_in_their_own_colours(qtbot: QtBot) -> None:
    chart = shown(qtbot)
    image = draw(chart)
    mine, swarm = colours(chart.palette()).curves[:2]
    assert has_colour(image, mine) and has_colour(image, swarm)


def test_it_says_the_latest_values_to_who_cannot_see_them(qtbot: QtBot) -> None:
    chart = shown(qtbot)
    draw(chart)
    assert chart.accessibleName() == title(THROUGHPUT)
    assert chart.accessibleDescription() == "mine 504/s, swarm 3,004/s"


def test_a_value_that_no_longer_holds_is_not_said(qtbot: QtBot) -> None:
    chart = shown(qtbot)
    draw(chart, now=NOW + 120)
    assert chart.accessibleDescription() == "mine not known yet, swarm not known yet"


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.key)
def test_without_values_it_says_so_in_words(qtbot: QtBot, graph: Graph) -> None:
    chart = shown(qtbot, graph)
    assert chart.accessibleDescription()
    series: Series = graph.series[0]
    empty = chart.grab().toImage()
    chart.show_curves({series: curve(lambda _: math.nan)}, NOW - 300, NOW)
    assert chart.grab().toImage() == empty


@pytest.mark.parametrize("value", [0.0, -2.0, 1e-12, 1e14, 1e300, math.inf])
def test_no_value_is_too_strange(qtbot: QtBot, value: float) -> None:
    chart = shown(qtbot)
    chart.show_curves({"my_rate": curve(lambda _: value)}, NOW - 300, NOW)
    chart.grab()


def test_pointing_reads_out_the_time_and_the_values(qtbot: QtBot) -> None:
    chart = shown(qtbot)
    draw(chart)
    said = chart.read_out(NOW - 100)
    assert ":" in said[0]
    assert said[1].startswith("mine 50") and said[2].startswith("swarm 3,00")
    before = chart.grab().toImage()
    QTest.mouseMove(chart, QPoint(200, 100))
    assert chart.grab().toImage() != before
    assert chart.read_out(None) == []


def test_a_graph_over_samples_reads_out_how_many_they_were(qtbot: QtBot) -> None:
    chart = shown(qtbot, next(graph for graph in GRAPHS if graph.key == "loss_by_samples"))
    values = array("d", [3.0, 2.0, 1.0])
    chart.show_curves({"run_loss": Curve(0.0, 10_000.0, values, values)}, 0.0, 30_000.0)
    chart.grab()
    assert chart.read_out(15_000.0) == ["15,000 samples", "validation 2.00"]
    assert chart.accessibleDescription() == "validation 1.00"


def test_the_keyboard_reads_out_too(qtbot: QtBot) -> None:
    chart = shown(qtbot)
    draw(chart)
    assert chart.focusPolicy() & Qt.FocusPolicy.TabFocus
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert "mine 50" in chart.accessibleDescription() and ":" in chart.accessibleDescription()
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert ":" not in chart.accessibleDescription()


def test_it_is_sharp_on_a_screen_with_small_pixels(qtbot: QtBot) -> None:
    chart = shown(qtbot)
    draw(chart)
    picture = chart.grab()
    assert picture.size() == chart.size() * chart.devicePixelRatioF()


def test_another_size_and_another_palette_draw_it_again(qtbot: QtBot) -> None:
    chart = shown(qtbot)
    chart.setPalette(palette_of(LIGHT))
    before = draw(chart)
    chart.resize(400, 200)
    assert chart.grab().width() == round(400 * chart.devicePixelRatioF())
    chart.resize(700, 200)
    chart.setPalette(palette_of(DARK))
    assert chart.grab().toImage() != before


def test_charts_that_share_a_queue_are_drawn_one_after_the_other(qtbot: QtBot) -> None:
    drawn: list[Hashable] = []

    class Observed(IdleQueue):
        def submit(self, key: Hashable, task: Callable[[], object]) -> None:
            def draw() -> None:
                drawn.append(key)
                task()

            super().submit(key, draw)

    queue = Observed()
    charts = [Chart(THROUGHPUT, idle_queue=queue) for _ in range(3)]
    for chart in charts:
        qtbot.addWidget(chart)
        chart.resize(300, 160)
        chart.show()
        chart.grab()
    assert drawn == []
    queue.run_next()
    assert drawn == charts[:1]
    qtbot.waitUntil(lambda: list(dict.fromkeys(drawn)) == charts)
    drawn.clear()
    charts[0].resize(400, 200)
    charts[0].grab()  # the picture before, stretched
    assert drawn == []
    qtbot.waitUntil(lambda: charts[0] in drawn)


class Recorder(QPainter):
    """A painter that remembers what it has written."""

    def __init__(self, on: QImage) -> None:
        super().__init__(on)
        self.said: list[str] = []

    def drawText(self, where: QPointF, text: str) -> None:  # type: ignore[override]  # noqa: N802 - Qt's name
        self.said.append(text)
        super().drawText(where, text)


@pytest.mark.parametrize(("width", "is_named"), [(700, True), (350, False)])
def test_in_a_narrow_chart_the_title_comes_before_the_names_of_curves(
    qtbot: QtBot, width: int, *, is_named: bool
) -> None:
    chart = shown(qtbot, next(graph for graph in GRAPHS if graph.key == "traffic"))
    rates = curve(lambda index: 281_600.0)
    chart.show_curves({"sent_rate": rates, "received_rate": rates}, NOW - 300.0, NOW)
    image = QImage(width, 200, QImage.Format.Format_RGB32)
    painter = Recorder(image)
    paint_heading(painter, chart._data, chart._data.lines(width), width, chart.font(), colours(chart.palette()))
    painter.end()
    received, sent, heading = painter.said
    assert heading == "Traffic per second"
    assert (sent, received) == (("sent 281.6 KB/s", "received 281.6 KB/s") if is_named else 2 * ("281.6 KB/s",))
