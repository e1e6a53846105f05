"""In German, whose words are longer, every page is as good as in English; and none of it stays English."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
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
from core.localizable import LocalizedText, localized
from core.protocol.client_events import EarlierRunReopened, Pause, RunSwitch
from core.protocol.events import ContributionStatus, Network, Restarting, StateLoading, Warned
from core.records.contributions import Contribution
from core.run.steering.control_value import Order
from core.worker.swarm.local_sgd.group_agreement import GroupAgreement, Told
from tests.app import test_accessibility as everybody
from tests.app.support.language_context import speaking
from tests.app.support.training_sample import EXPERTS, FOUND, NOW, SEEN, SampleCurves, finished, show, training
from tests.app.support.untranslated_text import still_english, words_on

GAME = Reason("game", "SuperTux")
TOO_FEW = GroupAgreement(Told(9, (), 5, b"root", True, 9).packed() for _ in range(2)).step_error(
    (5, b"root"), is_whole=True
)
WITHOUT_STEP = localized("The last %1 rounds took no step, so nothing counts at present: %2.", 3, TOO_FEW)
SESSIONS = {
    "training": training(
        warnings=(Warned(problem=ErrorKind.NOT_REACHABLE.key),),
        network=Network(mode="client", reason=LocalizedText("Outgoing connections are enough to help.")),
    ),
    "finishing": training(finish_at_epoch=43),
    "two_gpus": training(),
    "experts": training(experts=EXPERTS),
    "another": training(
        switch=RunSwitch(to="Sums", before="Learning to add", reason="finished", at=NOW),
        reopened=EarlierRunReopened("Learning to add"),
    ),
    "alone": training(
        contribution_status=ContributionStatus(state="alone"),
        rounds=(finished(ok=False, peers=1, reason="no other peer was found in time"),) * 3,
    ),
    "without_step": training(
        contribution_status=ContributionStatus(state="without_step", reason=WITHOUT_STEP),
        rounds=(finished(stepped=False),) * 3,
    ),
    "behind": training(contribution_status=ContributionStatus(state="out_of_sync")),
    "downloading": training(
        phase="starting", loading=StateLoading(received_bytes=10**9, total_bytes=10**10), progress=None
    ),
    "rest": training(
        phase="starting", loading=StateLoading(what="rest", received_bytes=38_000, total_bytes=0), progress=None
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
    "paused_by_organiser": training(
        chosen=msgspec.structs.replace(FOUND, order=Order(state="paused", since=NOW - 3600)), progress=None
    ),
    "draining": training(chosen=msgspec.structs.replace(FOUND, order=Order(state="draining", at_epoch=43))),
    "rolled_back": training(
        warnings=(
            Warned(problem=ErrorKind.RUN_ROLLED_BACK.key, detail=LocalizedText("All go on from epoch %1.", ("40",))),
        )
    ),
}
PAGES = (
    "join_page",
    "first_day_page",
    "catalogue_page",
    "review_page",
    "further_gpus_page",
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
    page.order.show_order(everybody.ORDER)
    page.refresh_graphs()
    sentences = [("cuda:0", page.status), ("cuda:1", f"{page.status} · {page.status}")]
    page.devices.show_devices(sentences if state == "two_gpus" else sentences[:1], "cuda:1")
    return page


@pytest.fixture(scope="module", autouse=True)
def _styled(qapp: QApplication) -> None:
    """In the style in which people see it, which makes everything wider."""
    Theme(qapp).choose("light")


@pytest.fixture(autouse=True)
def _in_german(_localization_of_the_window: None) -> Iterator[None]:
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


def test_a_page_is_as_good_as_in_english(page: QWidget) -> None:
    everybody.test_no_word_is_cut(page)
    everybody.test_nothing_is_wider_than_a_small_window(page)
    everybody.test_everything_has_a_name(page)
    everybody.test_everything_can_be_reached_with_tab(page)
    assert cut_inputs(page.window()) == []
    assert page.window().minimumSizeHint().width() <= SMALLEST.width()
    assert still_english(page) == []


def cut_inputs(window: QWidget) -> list[str]:
    """The names of the buttons and choices that have less room than they need, and no tooltip with the whole."""
    widgets = [*window.findChildren(QAbstractButton), *window.findChildren(QComboBox)]
    return [
        everybody.name_of(widget)
        for widget in widgets
        if widget.isVisible() and widget.width() < widget.minimumSizeHint().width() and not tells_all(widget)
    ]


def tells_all(widget: QWidget) -> bool:
    """Whether its tooltip has the text that is cut."""
    return isinstance(widget, QAbstractButton) and widget.toolTip() == widget.text() != ""


def test_the_goodbye_is_german(qtbot: QtBot) -> None:
    window = ShutdownWindow()
    qtbot.addWidget(window)
    window.show()
    assert "Sofort beenden" in "".join(words_on(window)).replace("&", "")
    assert still_english(window) == []
    everybody.test_no_word_is_cut(window)


def test_the_report_is_german(qtbot: QtBot) -> None:
    dialog = everybody.report_dialog()
    qtbot.addWidget(dialog)
    assert "Nichts wird gesendet" in "".join(words_on(dialog))
    assert still_english(dialog) == []
    everybody.test_no_word_is_cut(dialog)
    dialog.resize(dialog.minimumSizeHint())
    assert dialog.width() <= SMALLEST.width() and cut_inputs(dialog) == []


def test_the_question_before_data_are_deleted_is_german(qtbot: QtBot) -> None:
    box = everybody.erase_dialog()
    qtbot.addWidget(box)
    assert "Protokolle: " in "".join(words_on(box))
    assert still_english(box) == []
    everybody.test_no_word_is_cut(box)
