"""In German, whose words are longer, every page is as good as in English; and none of it stays English."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.appearance.theme import Theme
from app.pages.training.page import TrainingPage
from app.shell.main_window import SMALLEST, MainWindow
from app.shell.shutdown_window import ShutdownWindow
from core.availability.decision import Decision, Reason
from core.errors import ErrorKind
from core.protocol.client_events import Pause
from core.protocol.events import ContributionStatus, Network, Restarting, StateLoading, Warned
from core.protocol.localizable import LocalizedText
from core.records.contributions import Contribution
from tests.app import test_accessibility as everybody
from tests.app.support.language_context import speaking
from tests.app.support.training_sample import NOW, SEEN, SampleCurves, finished, show, training
from tests.app.support.untranslated_text import still_english, words_on

GAME = Reason("game", "SuperTux")
SESSIONS = {
    "training": training(
        warnings=(Warned(problem=ErrorKind.NOT_REACHABLE.key),),
        network=Network(mode="client", reason=LocalizedText("Outgoing connections are enough to help.")),
    ),
    "finishing": training(finish_at_epoch=43),
    "alone": training(
        contribution_status=ContributionStatus(state="alone"),
        rounds=(finished(ok=False, peers=1, reason="no other peer was found in time"),) * 3,
    ),
    "behind": training(contribution_status=ContributionStatus(state="out_of_sync")),
    "downloading": training(
        phase="starting", loading=StateLoading(received_bytes=10**9, total_bytes=10**10), progress=None
    ),
    "restarting": training(restarting=Restarting(attempt=2, seconds=20.0), progress=None),
    "paused": training(phase="paused", pause=Pause("person", NOW + 1800), progress=None),
    "held": training(
        phase="paused",
        pause=Pause("rule", rule=GAME),
        availability=Decision((GAME, Reason("battery"))),
        progress=None,
    ),
    "overruled": training(availability=Decision(ignored=("battery", "game"))),
    "ended": training(phase="ended", problem=ErrorKind.STATE_NOT_LOADED, progress=None),
}
PAGES = (
    "join_page",
    "first_day_page",
    "review_page",
    "choice_page",
    "settings_page",
    "contributions_page",
    "engine_page",
    "organise_page",
    *SESSIONS,
)


def training_page(state: str) -> TrainingPage:
    page = TrainingPage(SampleCurves())
    show(page, SESSIONS[state], NOW)
    page.show_devices(SEEN, "auto")
    page.show_contributions(
        Contribution(12_416, 42, 7500.0, 1_100_000.0), Contribution(1_204_332, 412, 756_000.0, None)
    )
    page.refresh_graphs()
    return page


@pytest.fixture(autouse=True)
def _in_german(qapp: QApplication) -> Iterator[None]:
    """In the clothes in which people see it, which make everything wider."""
    Theme(qapp).choose("light")
    with speaking("de"):
        yield


@pytest.fixture(params=PAGES)
def make(request: pytest.FixtureRequest) -> Callable[[], QWidget]:
    """How a page is made, filled as it would be."""
    name: str = request.param
    return (lambda: training_page(name)) if name in SESSIONS else getattr(everybody, name)


@pytest.fixture(params=[QSize(800, 600), SMALLEST], ids=["800x600", "smallest"])
def page(make: Callable[[], QWidget], request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[QWidget]:
    window, page = MainWindow(), make()
    window.show_page(page)
    window.resize(request.param)
    with qtbot.waitExposed(window):
        window.show()
    yield page
    window.close_for_good()
    window.deleteLater()


test_no_word_is_cut = everybody.test_no_word_is_cut
test_nothing_is_wider_than_a_small_window = everybody.test_nothing_is_wider_than_a_small_window
test_everything_has_a_name = everybody.test_everything_has_a_name
test_everything_can_be_reached_with_tab = everybody.test_everything_can_be_reached_with_tab


def test_no_button_and_no_choice_is_cut(page: QWidget) -> None:
    window = page.window()
    widgets = [*window.findChildren(QAbstractButton), *window.findChildren(QComboBox)]
    assert window.minimumSizeHint().width() <= SMALLEST.width()
    assert [
        everybody.name_of(widget)
        for widget in widgets
        if widget.isVisible() and widget.width() < widget.minimumSizeHint().width()
    ] == []


def test_nothing_stays_english(make: Callable[[], QWidget], qtbot: QtBot) -> None:
    page = make()
    qtbot.addWidget(page)
    page.show()
    assert still_english(page) == []


def test_the_goodbye_is_german(qtbot: QtBot) -> None:
    window = ShutdownWindow()
    qtbot.addWidget(window)
    window.show()
    assert "Sofort beenden" in "".join(words_on(window)).replace("&", "")
    assert still_english(window) == []
    everybody.test_no_word_is_cut(window)


def test_the_question_before_data_are_deleted_is_german(qtbot: QtBot) -> None:
    box = everybody.erase_dialog()
    qtbot.addWidget(box)
    assert "Protokolle: " in "".join(words_on(box))
    assert still_english(box) == []
    everybody.test_no_word_is_cut(box)
