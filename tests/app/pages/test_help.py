"""The help page: the shipped documents in the window, their links, their search, and the way to an error."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.appearance.theme import DARK, LIGHT, palette_of
from app.pages.help.document_style import blocks_of
from app.pages.help.page import HelpPage
from app.presenters.help_presenter import HelpPresenter
from app.shell.main_window import MainWindow
from app.widgets.callout import Callout
from core.errors import ErrorKind
from core.files.documents import ERRORS, INDEX, list_topics, read_document, slug_of
from core.files.folders import Folders
from tests.app import test_accessibility as everybody
from tests.app.support.browser import installed
from tests.app.support.language_context import speaking
from tests.app.support.untranslated_text import still_english

PEER = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"


@pytest.fixture
def page(qtbot: QtBot) -> HelpPage:
    """As large as in a window of 800 by 600 pixels."""
    page = HelpPage()
    qtbot.addWidget(page)
    page.resize(QSize(800, 560))
    with qtbot.waitExposed(page):
        page.show()
    page.open_first(INDEX)
    return page


def first_visible(page: HelpPage) -> str:
    """The first line that can be read."""
    return page.view.cursorForPosition(page.view.viewport().rect().topLeft()).block().text()


@pytest.mark.parametrize("topic", list_topics())
def test_every_document_is_shown_and_fits_into_a_small_window(page: HelpPage, qtbot: QtBot, topic: str) -> None:
    page.open_document(topic)
    assert page.topic == topic and len(page.view.toPlainText()) > 200
    assert "<!--" not in page.view.toPlainText() and "generated:" not in page.view.toPlainText()
    qtbot.waitUntil(lambda: page.view.horizontalScrollBar().maximum() == 0)


def test_a_link_leads_to_the_heading_of_another_document_and_back(page: HelpPage) -> None:
    page.view.link_followed.emit("user-guide.md#in-a-terminal")
    assert (page.topic, first_visible(page)) == ("user-guide", "In a terminal")
    page.view.link_followed.emit("#where-things-are-kept")
    assert (page.topic, first_visible(page)) == ("user-guide", "Where things are kept")
    assert page.go_back() and first_visible(page) == "In a terminal"
    assert page.go_back() and page.topic == INDEX
    assert not page.go_back()


def test_a_click_on_a_link_is_enough(page: HelpPage) -> None:
    page.view.anchorClicked.emit(QUrl("security.md"))
    assert page.topic == "security"


@pytest.mark.parametrize("link", ["file:///etc/passwd", "javascript:alert(1)", "../../pyproject.toml", "nowhere.md"])
def test_a_link_to_anything_else_leads_nowhere(page: HelpPage, link: str) -> None:
    with installed() as browser:
        page.view.link_followed.emit(link)
    assert browser.opened == []
    assert page.topic == INDEX and page.view.toPlainText().startswith("Workerbee's documents")


def test_a_web_link_opens_the_browser(page: HelpPage) -> None:
    with installed() as browser:
        page.view.link_followed.emit("https://github.com/learning-at-home/hivemind")
        assert browser.opened == ["https://github.com/learning-at-home/hivemind"]


@pytest.mark.parametrize("error", ErrorKind)
def test_every_error_has_a_paragraph_with_its_remedy(page: HelpPage, error: ErrorKind) -> None:
    page.open_document(ERRORS)
    assert page.view.show_anchor(slug_of(error.title))
    heading = page.view.textCursor().block()
    assert heading.text() == error.title
    assert heading.next().text() == error.advice.replace("`", "")


def test_what_can_i_do_asks_the_window_for_the_error(qtbot: QtBot) -> None:
    window, callout = MainWindow(), Callout()
    qtbot.addWidget(window, before_close_func=lambda window: window.close_for_good())
    window.show_page(callout)
    window.show()
    callout.show_message("info", "All is well.")
    assert not callout.help.isVisible()
    callout.show_message("bad", "It failed.", error=ErrorKind.DISK_FULL)
    with qtbot.waitSignal(window.help_requested) as asked:
        callout.help.click()
    assert asked.args == [ErrorKind.DISK_FULL]


def test_words_are_found_one_after_the_other(page: HelpPage) -> None:
    page.open_document("migrating")
    QTest.keySequence(page, "Ctrl+F")
    assert page.search.field.hasFocus()
    QTest.keyClicks(page.search.field, "averager_OPTS")
    assert page.search.told.text() == "1 of 2"
    QTest.keyClick(page.search.field, Qt.Key.Key_Return)
    assert page.search.told.text() == "2 of 2"
    assert page.view.textCursor().block().text().startswith("averager_opts of HivemindStrategy")
    QTest.keyClick(page.search.field, Qt.Key.Key_Return)
    assert page.search.told.text() == "1 of 2"
    QTest.keyClick(page.search.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert page.search.told.text() == "2 of 2"
    QTest.keyClicks(page.search.field, " is nowhere")
    assert page.search.told.text() == "Nothing found" and not page.search.next.isEnabled()


def test_escape_empties_the_search_and_then_leaves(page: HelpPage, qtbot: QtBot) -> None:
    page.search.field.setFocus()
    QTest.keyClicks(page.search.field, "run")
    with qtbot.assertNotEmitted(page.back_requested):
        QTest.keyClick(page.search.field, Qt.Key.Key_Escape)
    assert not page.search.field.text()
    with qtbot.waitSignal(page.back_requested):
        QTest.keyClick(page.search.field, Qt.Key.Key_Escape)


def test_everything_can_be_reached_with_tab(page: HelpPage) -> None:
    page.search.field.setFocus()
    QTest.keyClicks(page.search.field, "run")
    reached = set()
    for _ in range(100):  # the links of the document are on the way, too
        QTest.keyClick(page.focusWidget() or page, Qt.Key.Key_Tab)
        reached.add(page.focusWidget())
    assert reached >= {page.contents, page.search.field, page.search.previous, page.search.next, page.back, page.view}


test_everything_has_a_name = everybody.test_everything_has_a_name
test_no_word_is_cut = everybody.test_no_word_is_cut


def test_another_theme_changes_the_colours_of_links_and_tables(page: HelpPage) -> None:
    page.open_document("migrating")
    for theme in (DARK, LIGHT):
        page.view.setPalette(palette_of(theme))
        table = next(each for each in page.view.document().rootFrame().childFrames() if isinstance(each, QTextTable))
        assert table.format().borderBrush().color() == theme.line
    page.open_document(INDEX)
    anchors = [
        fragment.charFormat().foreground().color().name()
        for block in blocks_of(page.view.document())
        for fragment in [block.begin().fragment()]
        if fragment.isValid() and fragment.charFormat().isAnchor()
    ]
    assert anchors and set(anchors) == {LIGHT.accent.name()}


def test_a_package_without_pictures_says_what_they_show(
    page: HelpPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.open_document("user-guide")
    assert "one field, and this computer" not in page.view.toPlainText()
    monkeypatch.setattr("app.pages.help.document_view.FOLDER", tmp_path)
    page.open_first("user-guide")
    assert "The first page: one field, and this computer" in page.view.toPlainText()


def test_the_german_window_says_that_the_help_is_english(qtbot: QtBot) -> None:
    with speaking("de"):
        page = HelpPage()
        qtbot.addWidget(page)
        page.resize(QSize(560, 420))
        page.show()
        page.open_first(INDEX)
        assert any("nur auf Englisch" in label.text() for label in page.findChildren(QLabel))
        assert still_english(page) == []
        everybody.test_no_word_is_cut(page)


def test_a_page_that_was_made_anew_for_another_language_shows_the_contents(qtbot: QtBot) -> None:
    page = HelpPage()
    qtbot.addWidget(page)
    page.show()
    assert page.topic == INDEX and page.view.toPlainText().startswith("Workerbee's documents")


def test_the_longest_document_is_laid_out_once(page: HelpPage) -> None:
    longest = max(list_topics(), key=lambda topic: len(read_document(topic).markdown))
    began = time.process_time()
    page.open_document(longest)
    assert time.process_time() - began < 3.0  # laid out after each change, it took 20 seconds


@pytest.fixture
def presenter(qtbot: QtBot, tmp_path: Path) -> HelpPresenter:
    """The help page of a person whose log names a peer."""
    folders = Folders.below(tmp_path)
    folders.prepare()
    (folders.logs / "client.log").write_text(f"met {PEER} at 203.0.113.7\n")
    poller = Mock(seen=None)  # stands for the poller of devices before it has seen any
    # the first mock stands for the navigator, which is not asked for anything here
    made = HelpPresenter(Mock(), folders, poller, lambda: {"idle_seconds": "Mutter", "games": None})
    qtbot.addWidget(made.page)
    made.page.resize(QSize(800, 560))
    with qtbot.waitExposed(made.page):
        made.page.show()
    return made


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_report_is_shown_without_names_and_saved_where_the_person_says(
    presenter: HelpPresenter, qtbot: QtBot, tmp_path: Path, language: Literal["en", "de"]
) -> None:
    with speaking(language):
        presenter.page.report.click()
        dialog = presenter.report
        assert dialog is not None and dialog.isVisible() and dialog.width() <= 800
        assert "met <peer 1> at <address 1>" in dialog.text.toPlainText()
        assert "CPU: " in dialog.text.toPlainText() and "disk: " in dialog.text.toPlainText()
        assert "idle_seconds: told by Mutter\ngames: nobody tells it" in dialog.text.toPlainText()
        save = next(each for each in dialog.buttons.buttons() if each.text().endswith("…"))
        save.click()
        assert dialog.files is not None
        dialog.files.fileSelected.emit(str(tmp_path / "report.txt"))
        assert (tmp_path / "report.txt").read_text() == dialog.text.toPlainText()
        assert str(tmp_path / "report.txt") in dialog.state.text()
        dialog.save(tmp_path / "nowhere" / "report.txt")
        assert "nowhere" in dialog.state.text()
        dialog.files.reject()
        dialog.reject()
