"""The whole window with the keyboard alone: rules, the week's hours, contributions and the report of a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.appearance.theme import DARK, LIGHT, colours
from app.application import Application
from app.controllers.navigator import PageName
from app.pages.contributions.page import ContributionsPage
from app.pages.engine import EnginePage
from app.pages.help.page import HelpPage
from app.pages.organise.page import OrganisePage
from app.pages.settings.page import SettingsPage
from app.shell.main_window import MainWindow
from core.availability.rules import ALWAYS, AvailabilityRules
from core.engine.install.events import InstallEvent, InstallPaused, InstallProgress
from core.files.folders import Folders
from core.records.store import HistoryStore
from tests.app.appearance.test_theme import contrast
from tests.app.conftest import let_qt_delete
from tests.app.pages.test_contributions import GIVEN, TARIFF
from tests.app.support.language_context import speaking
from tests.app.test_accessibility import PAGES, is_reached_by_arrows
from tests.app.test_application import LIMIT_MILLISECONDS, Open, name_of_page, opened
from tests.app.test_german_layout import SESSIONS, training_page

__all__ = ["opened"]  # the fixture

_MOST_TABS = 200
_LEAST_CHANGE = 3.0
"""Of a control with itself when it gets the focus, as 2.4.13 of the Web Content Accessibility Guidelines asks."""
_CONTROL = Qt.KeyboardModifier.ControlModifier


def press(
    application: Application, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Press a key in the window, for whoever has the focus there."""
    window = application.window
    QTest.keyClick(window.focusWidget() or window, key, modifier)


def tab_to(window: QWidget, wanted: QWidget) -> None:
    """Press Tab until that widget has the focus, and look whether it is seen then."""
    QApplication.processEvents()  # which lays a page out that has just come
    for _ in range(_MOST_TABS):
        focused = window.focusWidget()
        if focused is wanted:
            assert not wanted.visibleRegion().isEmpty(), "the page is scrolled to what has the focus"
            return
        QTest.keyClick(focused or window, Qt.Key.Key_Tab)
    raise AssertionError(f"Tab does not lead to {wanted}")


def in_front(qtbot: QtBot, application: Application) -> Application:
    """The window as a person has it before them, small."""
    application.window.resize(800, 600)
    application.window.show()
    application.window.activateWindow()
    qtbot.waitUntil(application.window.isActiveWindow, timeout=LIMIT_MILLISECONDS)
    return application


def test_a_rule_and_an_hour_are_switched(qtbot: QtBot, opened: Open) -> None:
    application = in_front(qtbot, opened("good"))
    assert application.window.header.settings.isVisible(), "a person who presses no keys finds them, too"
    press(application, Qt.Key.Key_Comma, _CONTROL)
    qtbot.waitUntil(lambda: name_of_page(application) == "settings")
    part, window = application.pages.settings.page.availability, application.window
    tab_to(window, part.rows["film"].switch)
    press(application, Qt.Key.Key_Space)
    assert application.settings_store.settings.availability == AvailabilityRules(films=True)
    tab_to(window, part.grid)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Space):
        press(application, key)
    tuesday = f"{ALWAYS[:2]}.{ALWAYS[3:]}"
    assert application.settings_store.settings.availability.hours == (ALWAYS, tuesday, *(ALWAYS,) * 5)
    press(application, Qt.Key.Key_Tab)
    assert window.focusWidget() is not part.grid, "the grid lets go of the focus"
    press(application, Qt.Key.Key_Escape)
    assert name_of_page(application) == "join"


def test_what_was_given_is_read_by_month(qtbot: QtBot, opened: Open) -> None:
    application = in_front(qtbot, opened("good"))
    press(application, Qt.Key.Key_B, _CONTROL)
    qtbot.waitUntil(lambda: name_of_page(application) == "contributions")
    page, window = application.pages.contributions.page, application.window
    page.show_contributions(GIVEN, TARIFF, "Anna")
    tab_to(window, page.period)
    press(application, Qt.Key.Key_Down)
    assert page.table.contents.headings[0] == "Month"
    tab_to(window, page.bars)
    press(application, Qt.Key.Key_Left)
    assert page.bars.pointed_at is not None
    tab_to(window, page.csv)
    press(application, Qt.Key.Key_Escape)
    assert name_of_page(application) == "join"


def test_a_report_is_made_and_closed(qtbot: QtBot, opened: Open) -> None:
    application = in_front(qtbot, opened("good"))
    press(application, Qt.Key.Key_F1)
    qtbot.waitUntil(lambda: name_of_page(application) == "help")
    presenter = application.pages.help
    tab_to(application.window, presenter.page.report)
    press(application, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: presenter.report is not None, timeout=LIMIT_MILLISECONDS)
    dialog = presenter.report
    assert dialog is not None
    buttons = {each.text().replace("&", ""): each for each in dialog.buttons.buttons()}
    tab_to(dialog, buttons["Save…"])
    tab_to(dialog, buttons["Close"])
    with qtbot.waitSignal(dialog.rejected):
        QTest.keyClick(buttons["Close"], Qt.Key.Key_Space)
    assert QApplication.activeModalWidget() is None


def seen_part(widget: QWidget) -> QRect:
    """What of a widget lies within all that it is in, such as the visible part of a page that is scrolled."""
    seen, above = widget.rect(), widget.parentWidget()
    while above is not None and not widget.isWindow():
        seen = seen.translated(widget.pos()) & above.rect()
        widget, above = above, above.parentWidget()
    return seen


def tab_stops(window: QWidget) -> set[QWidget]:
    """All that a person without a mouse has to reach in order to use it."""
    return {
        each
        for each in window.findChildren(QWidget)
        if each.window() is window and each.isVisible() and each.isEnabled()
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.focusProxy() is None
        if not is_reached_by_arrows(each)
    }


def visible_change(one: QImage, other: QImage) -> float:
    """The contrast of that pixel with itself which differs most in two pictures of a widget."""
    pictures = [picture.convertToFormat(QImage.Format.Format_RGB32) for picture in (one, other)]
    pixels = [memoryview(picture.constBits()).cast("B").cast("I") for picture in pictures]
    lines = ([each[at : at + one.width()] for at in range(0, len(each), one.width())] for each in pixels)
    changed = {
        pair
        for old, new in zip(*lines, strict=True)
        if old.tobytes() != new.tobytes()
        for pair in zip(old, new, strict=True)
        if pair[0] != pair[1]
    }
    return max((contrast(QColor.fromRgb(old), QColor.fromRgb(new)) for old, new in changed), default=1.0)


def shared_letters(widgets: Iterable[QWidget]) -> dict[str, list[str]]:
    """The letters that are underlined in several buttons, with the texts of these: Alt and the letter press none."""
    buttons: dict[str, list[str]] = {}
    for each in widgets:
        if isinstance(each, QAbstractButton) and (letter := QKeySequence.mnemonic(each.text()).toString()):
            buttons.setdefault(letter, []).append(each.text())
    return {letter: texts for letter, texts in buttons.items() if len(texts) > 1}


def walk_round(window: QWidget, key: Qt.Key = Qt.Key.Key_Tab) -> None:
    """Press Tab until it has led round: to everything, each time to what is wholly seen, and seen to have the focus."""
    QApplication.processEvents()
    reached: set[QWidget] = set()
    for _ in range(_MOST_TABS):
        focused = window.focusWidget()
        assert focused is not None
        pictured = focused.grab().toImage()
        QTest.keyClick(focused, key)
        QApplication.processEvents()
        now = window.focusWidget()
        assert now is not None and seen_part(now).size() == now.size(), f"{now.accessibleName()} is not in sight"
        if now is not focused:
            change = visible_change(pictured, focused.grab().toImage())
            assert change >= _LEAST_CHANGE, f"{focused} looks much the same with the focus and without: {change:.1f}"
            if now in reached:
                break
            reached.add(now)
    assert tab_stops(window) - reached == set()
    assert shared_letters(reached) == {}


def go_to(qtbot: QtBot, application: Application, page: PageName, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
    """Press the key of that page, and walk round on it both ways."""
    press(application, key, modifier)
    qtbot.waitUntil(lambda: name_of_page(application) == page)
    walk_round(application.window)
    walk_round(application.window, Qt.Key.Key_Backtab)


def save(dialog: QFileDialog | None, path: Path) -> None:
    """Type the path, and press Return."""
    QApplication.processEvents()
    assert dialog is not None
    QTest.keyClicks(dialog.focusWidget(), str(path))
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert path.exists()


def close(dialog: QWidget, window: QWidget) -> None:
    """Press Escape in a dialog, and have the window active again, as a window manager does, which there is none of."""
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    let_qt_delete()
    window.activateWindow()
    QApplication.processEvents()


def keep_contributions() -> None:
    """The history of somebody who has helped before."""
    history, _ = HistoryStore.open(Folders.default().contents.history_file)
    for (run, day), given in GIVEN.items():
        history.contributions.add(run, given, day)
    assert history.save()


def test_the_bars_are_read_out_as_soon_as_the_contributions_are_opened(qtbot: QtBot, opened: Open) -> None:
    keep_contributions()
    application = in_front(qtbot, opened("good"))
    press(application, Qt.Key.Key_B, _CONTROL)
    qtbot.waitUntil(lambda: name_of_page(application) == "contributions")
    press(application, Qt.Key.Key_Left)
    newest = application.pages.contributions.page.bars.pointed_at
    assert newest is not None and newest.words.startswith("25 Nov")


@pytest.fixture(
    params=[("en", "&Settings", "light", LIGHT), ("de", "&Einstellungen", "dark", DARK)], ids=["english", "german-dark"]
)
def dressed(request: pytest.FixtureRequest, qtbot: QtBot, opened: Open) -> Iterator[Application]:
    """The window of somebody who has helped before, in that language and theme; afterwards English and light again."""
    language, settings, theme, worn = request.param
    keep_contributions()
    application = in_front(qtbot, opened("good"))
    application.settings_store.replace(language=language, theme=theme)
    qtbot.waitUntil(lambda: application.window.header.settings.text() == settings)
    qtbot.waitUntil(lambda: colours(application.window.palette()) is worn)
    yield application
    application.settings_store.replace(language="en", theme="light")


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # of the lists that open below a field
def test_every_control_is_reached_and_seen_from_the_first_page_to_a_saved_report(
    qtbot: QtBot, dressed: Application, tmp_path: Path
) -> None:
    application, window, pages = dressed, dressed.window, dressed.pages
    assert pages.join.page.questions is not None, "the three sentences of the first day"
    walk_round(window)
    walk_round(window, Qt.Key.Key_Backtab)
    go_to(qtbot, application, "settings", Qt.Key.Key_Comma, _CONTROL)
    press(application, Qt.Key.Key_Escape)
    go_to(qtbot, application, "contributions", Qt.Key.Key_B, _CONTROL)
    contributions = pages.contributions.page
    tab_to(window, contributions.csv)
    press(application, Qt.Key.Key_Return)
    save(contributions.files, tmp_path / "given.csv")
    let_qt_delete()
    tab_to(window, contributions.picture)
    press(application, Qt.Key.Key_Return)
    assert contributions.picture_dialog is not None
    walk_round(contributions.picture_dialog)
    close(contributions.picture_dialog, window)
    go_to(qtbot, application, "help", Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier)
    press(application, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: pages.help.report is not None)
    report = pages.help.report
    assert report is not None
    walk_round(report)
    QTest.keyClick(report.focusWidget(), Qt.Key.Key_Return)
    save(report.files, tmp_path / "report.txt")
    assert str(Path.home()) not in (tmp_path / "report.txt").read_text()
    close(report, window)
    for page in ("contributions", "join"):
        press(application, Qt.Key.Key_Escape)
        assert name_of_page(application) == page


def engine_page(event: InstallEvent | None) -> EnginePage:
    """The page of the engine after that event of its installation."""
    page = EnginePage()
    page.show_engine(None, event, is_making=isinstance(event, InstallProgress))
    return page


ENGINE_PAGES: dict[str, Callable[[], QWidget]] = {
    "engine_offered": lambda: engine_page(None),
    "engine_made": lambda: engine_page(InstallProgress("downloading", 1, 2)),
    "engine_paused": lambda: engine_page(InstallPaused()),
}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", [*(make.__name__ for make in PAGES), *ENGINE_PAGES, *SESSIONS, "help_page"])
def test_a_letter_that_is_underlined_stands_for_one_button(qtbot: QtBot, name: str, language: str) -> None:
    trained = {state: partial(training_page, state) for state in SESSIONS}
    made = {make.__name__: make for make in PAGES} | ENGINE_PAGES | trained | {"help_page": HelpPage}
    with speaking(language):
        window, page = MainWindow(), made[name]()
        window.show_page(
            page,
            offers_settings=not isinstance(page, SettingsPage),
            offers_help=not isinstance(page, HelpPage),
            offers_contributions=not isinstance(page, ContributionsPage),
        )
        window.header.offer_organise(not isinstance(page, OrganisePage))
        window.notice.show_notice("info", "A notice.")
        with qtbot.waitExposed(window):
            window.show()
        assert shared_letters(each for each in window.findChildren(QAbstractButton) if each.isVisible()) == {}
        window.close_for_good()
        window.deleteLater()
