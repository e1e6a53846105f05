"""In a language whose words are longer, and which is read from right to left, no page cuts anything off."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.appearance.theme import Theme
from app.shell.main_window import MainWindow
from tests.app import test_accessibility as everybody
from tests.app import test_german_layout as german
from tests.app.support.pseudo_language import speaking_pseudo

make = german.make


@pytest.fixture(autouse=True, params=[Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def _in_the_pseudo_language(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[None]:
    Theme(qapp).choose("light")
    with speaking_pseudo(request.param):
        yield


@pytest.fixture
def page(make: Callable[[], QWidget], qtbot: QtBot) -> Iterator[QWidget]:
    window, page = MainWindow(), make()
    window.show_page(page)
    window.resize(QSize(800, 600))
    with qtbot.waitExposed(window):
        window.show()
    yield page
    window.close_for_good()
    window.deleteLater()


def test_nothing_is_cut(page: QWidget) -> None:
    everybody.test_no_word_is_cut(page)
    everybody.test_nothing_is_wider_than_a_small_window(page)
    assert german.cut_inputs(page.window()) == []
