"""The whole window with the keyboard alone: rules, the week's hours, contributions and the report of a problem."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from core.availability.rules import ALWAYS, AvailabilityRules
from tests.app.pages.test_contributions import GIVEN, TARIFF
from tests.app.test_application import LIMIT_MILLISECONDS, Open, name_of_page, opened

__all__ = ["opened"]  # the fixture

_MOST_TABS = 200
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
