"""The grid of a run's experts: seen, led through by the arrow keys, and said cell by cell to who does not see it."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.appearance.theme import DARK, LIGHT, Colours, palette_of
from app.pages.training.page import TrainingPage
from core.protocol.experts import ExpertSeen, ExpertsSeen
from tests.app.support.training_sample import EXPERTS, NOW, SampleCurves, show, training

MANY = ExpertsSeen(
    experts=tuple(ExpertSeen(layer=layer, number=number) for layer in range(1, 17, 2) for number in range(32))
)


@pytest.fixture
def page(qtbot: QtBot, english: None) -> TrainingPage:
    page = TrainingPage(SampleCurves())
    qtbot.addWidget(page)
    page.resize(800, 600)
    with qtbot.waitExposed(page):
        page.show()
    return page


def cell(page: TrainingPage, number: int) -> QRect:
    """Where that cell is painted."""
    grid = page.experts.grid
    return grid.visualRect(grid.experts.index(number))


def test_a_run_without_experts_shows_no_card(page: TrainingPage) -> None:
    show(page, training(), NOW)
    assert page.experts.isHidden()
    show(page, training(experts=EXPERTS), NOW)
    assert page.experts.isVisible()
    assert page.experts.text.startswith("2 of 3 experts present, 1 of them here · 1,240 tokens/s sent · 620 tokens/s")


def test_a_screen_reader_says_each_expert_with_its_host_its_load_and_its_latency(page: TrainingPage) -> None:
    show(page, training(experts=EXPERTS), NOW)
    table = QAccessible.queryAccessibleInterface(page.experts.grid)
    assert table is not None
    said = [table.child(number).text(QAccessible.Text.Name) for number in range(table.childCount())]
    assert said == [
        "Layer 1 · expert 0, 12D3KooWaaaa…aaaaaa, 1,240 tokens/s, answers in 35 ms, "
        "trained with 52,000 tokens there, optimizer steps in all: 120",
        "Layer 1 · expert 1, This computer, 620 tokens/s, trained with 9 tokens there, optimizer steps in all: 1",
        "Layer 3 · expert 0, Nobody answers",
    ]
    tooltip = page.experts.grid.experts.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip.endswith("12D3KooW" + "a" * 44), "the whole id is there for who wants to compare it"


def test_the_arrow_keys_lead_from_cell_to_cell_and_what_is_told_anew_keeps_the_place(page: TrainingPage) -> None:
    show(page, training(experts=MANY), NOW)
    grid = page.experts.grid
    grid.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(grid, key)
    place = grid.currentIndex().row()
    assert place > 1, "one to the right, and a row down"
    again = tuple(msgspec.structs.replace(each, steps=7) for each in MANY.experts)
    show(page, training(experts=ExpertsSeen(experts=again)), NOW)
    assert grid.currentIndex().row() == place
    QTest.keyClick(grid, Qt.Key.Key_End)
    assert grid.viewport().rect().intersects(cell(page, len(MANY.experts) - 1)), "it scrolls to where the keys lead"


@pytest.mark.parametrize("width", [560, 800, 1500])
def test_rows_are_full_at_every_width(page: TrainingPage, width: int, qtbot: QtBot) -> None:
    page.resize(width, 600)
    show(page, training(experts=MANY), NOW)
    grid = page.experts.grid
    qtbot.waitUntil(lambda: cell(page, 0).width() == grid.cell_size().width())
    in_first_row = sum(cell(page, number).top() == cell(page, 0).top() for number in range(len(MANY.experts)))
    assert 0.9 * grid.width() < in_first_row * cell(page, 0).width() <= grid.viewport().width()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_this_computers_experts_have_a_frame_of_their_own(page: TrainingPage, theme: Colours) -> None:
    grid = page.experts.grid
    grid.setPalette(palette_of(theme))
    show(page, training(experts=EXPERTS), NOW)
    picture = grid.grab().toImage()
    edges = [picture.pixelColor(cell(page, number).left() + 1, cell(page, number).center().y()) for number in (0, 1)]
    assert edges[1] == theme.accent != edges[0]
