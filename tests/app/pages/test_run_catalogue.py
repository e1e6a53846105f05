"""The runs of a catalogue are shown as plain text, few at a time, and a click on one only asks for its address."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.pages.join.page import JoinPage
from app.pages.join.run_catalogue import MOST_SHOWN, ShownCatalogues
from app.pages.join.trust_catalogue_dialog import TrustCatalogueDialog
from app.widgets.layout.page_column import PageColumn
from core.catalogue.catalogue import MAX_RUNS, CatalogueEntry
from core.catalogue.refusal import Refusal
from core.catalogue.signed_file import SignedCatalogue
from core.catalogue.store import KnownCatalogue
from core.run.address import JoinAddress
from tests.app.support.sample_sessions import CPU, GIGABYTE, GPU, PEER, child
from tests.core.catalogue.listed import catalogue, entry, link_of

SOURCE = "https://example.org/runs.toml"
OTHER_KEY = "12D3KooWQ" + PEER[9:]


def known(*entries: CatalogueEntry, refusal: Refusal | None = None, source: str = SOURCE) -> KnownCatalogue:
    """A list of these runs that was read just now."""
    listed, now = catalogue(*entries), time.time()
    return KnownCatalogue(source=source, publisher=PEER, catalogue=listed, read_at=now, asked_at=now, refusal=refusal)


def shown(*lists: KnownCatalogue) -> ShownCatalogues:
    """These lists, each of which may be shown."""
    return ShownCatalogues(lists, frozenset(each.source for each in lists))


@pytest.fixture
def page(qtbot: QtBot) -> JoinPage:
    page = JoinPage()
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show()
    return page


def is_whole(widget: QWidget) -> bool:
    """Whether all of it is to be seen."""
    return widget.isVisible() and widget.visibleRegion().boundingRect() == widget.rect()


def names(page: JoinPage) -> list[str]:
    return [row.accessibleName() for row in page.catalogue.rows]


def test_without_a_list_it_is_said_what_lists_are(page: JoinPage) -> None:
    assert names(page) == [] and "Organisers publish lists of runs" in page.catalogue.told
    assert not page.catalogue.filter.isVisible()


def test_the_form_for_a_list_is_scrolled_to_in_a_small_window_and_can_be_typed_into(
    page: JoinPage, qtbot: QtBot
) -> None:
    page.catalogue.show_catalogues(shown(known(*(entry(f"run-{number}") for number in range(9)))))
    adding = page.catalogue.adding
    qtbot.waitUntil(lambda: adding.open_button.visibleRegion().isEmpty() and adding.open_button.width() > 0)
    adding.open_button.click()
    assert page.focusWidget() is adding.field
    qtbot.waitUntil(lambda: all(map(is_whole, (adding.field, adding.cancel_button))))
    bar = child(page, PageColumn).verticalScrollBar()
    before = bar.maximum()
    adding.show_refusal(Refusal("unreachable"))
    qtbot.waitUntil(lambda: bar.maximum() > before)
    qtbot.waitUntil(lambda: all(map(is_whole, (adding.field, adding.callout, adding.cancel_button))))


def test_a_click_on_a_run_fills_in_its_address_and_asks_which_run_is_there(page: JoinPage, qtbot: QtBot) -> None:
    page.catalogue.show_catalogues(shown(known(entry("reading", name="Reading together"))))
    with qtbot.waitSignal(page.listed_run_requested) as joined:
        page.catalogue.rows[0].click()
    assert joined.args == [JoinAddress.parse(link_of("reading"))]
    assert page.form.field.toPlainText() == link_of("reading")


def test_what_strangers_wrote_is_plain_text(page: JoinPage) -> None:
    hostile = entry(name="<b>Bees</b>\u202e\x1b[2J", description="<img src=x>\u2066 now\x07")
    page.catalogue.show_catalogues(shown(known(hostile)))
    (row,) = page.catalogue.rows
    assert row.accessibleName() == "<b>Bees</b>[2J"
    assert row.accessibleDescription().startswith("<img src=x> now\n")


def test_only_open_runs_need_volunteers_and_each_is_there_once(page: JoinPage) -> None:
    lists = (
        known(entry("one", name="One"), entry("two", name="Two", state="paused")),
        known(entry("one", name="One again"), entry("three", name="Three"), source="/home/bee/runs.toml"),
    )
    page.catalogue.show_catalogues(shown(*lists))
    assert names(page) == ["One", "Three"]
    page.catalogue.show_catalogues(ShownCatalogues(lists, frozenset({SOURCE})))
    assert names(page) == ["One"], "a copy that is too old is shown"


def test_runs_that_fit_come_first_and_say_so(page: JoinPage) -> None:
    large = entry("large", name="Large", gpu_memory_bytes=100 * GIGABYTE)
    small = entry("small", name="Small", gpu_memory_bytes=GIGABYTE)
    page.catalogue.show_catalogues(shown(known(large, small)))
    page.catalogue.show_device(GPU, (GPU, CPU))
    assert names(page) == ["Small", "Large"]
    described = [row.accessibleDescription() for row in page.catalogue.rows]
    assert "Fits: needs about 1.0 GB" in described[0] and "Does not fit: needs about 100.0 GB" in described[1]


def test_the_same_list_and_the_same_verdicts_leave_the_rows_alone(page: JoinPage) -> None:
    lists = shown(known(entry()))
    page.catalogue.show_catalogues(lists)
    page.catalogue.show_device(GPU, (GPU, CPU))
    before = page.catalogue.rows[0]
    page.catalogue.show_catalogues(lists)
    page.catalogue.show_device(GPU, (GPU, CPU))
    assert page.catalogue.rows[0] is before


def test_a_long_list_is_narrowed_down_by_words_and_never_shown_as_a_whole(page: JoinPage) -> None:
    runs = [entry(f"run-{number}", name=f"Run {number}", description="word " * 100) for number in range(MAX_RUNS)]
    page.catalogue.show_device(GPU, (GPU, CPU))
    page.catalogue.show_catalogues(shown(known(*runs)))
    assert len(page.catalogue.rows) == MOST_SHOWN and f"{MAX_RUNS - MOST_SHOWN} more run" in page.catalogue.told
    QTest.keyClicks(page.catalogue.filter, "777")
    assert names(page) == ["Run 777"]
    QTest.keyClicks(page.catalogue.filter, "7")
    assert names(page) == [] and page.catalogue.told == "No run has these words."


def test_a_refused_list_says_why_and_only_a_changed_key_can_be_trusted_anew(page: JoinPage, qtbot: QtBot) -> None:
    page.catalogue.show_catalogues(shown(known(entry(), refusal=Refusal("wrong_signature"))))
    (source,) = page.catalogue.sources
    assert "its signature is wrong" in source.callout.text and not source.callout.action.isVisible()
    assert names(page), "the last good list is kept"
    page.catalogue.show_catalogues(shown(known(entry(), refusal=Refusal("other_key", OTHER_KEY))))
    (source,) = page.catalogue.sources
    assert OTHER_KEY in source.callout.text
    with qtbot.waitSignal(page.catalogue.trust_requested) as asked:
        source.callout.action.click()
    assert asked.args == [SOURCE]


def test_a_list_is_added_by_its_address_after_its_key_was_shown(page: JoinPage, qtbot: QtBot) -> None:
    adding = page.catalogue.adding
    adding.open_button.click()
    QTest.keyClicks(adding.field, SOURCE)
    with qtbot.waitSignal(adding.look_requested) as asked:
        QTest.keyClick(adding.field, Qt.Key.Key_Return)
    assert asked.args == [SOURCE]
    trusted: list[bool] = []
    dialog = TrustCatalogueDialog(page, SOURCE, SignedCatalogue(PEER, catalogue()), "", lambda: trusted.append(True))
    qtbot.addWidget(dialog)
    assert PEER in dialog.informativeText() and "1 run" in dialog.text()
    dialog.trust_button.click()
    assert trusted == [True]
    adding.fold()
    assert page.focusWidget() is adding.open_button, "the keyboard was lost with the form"


def test_a_list_in_a_file_is_chosen_or_pasted_as_a_file_manager_names_it(page: JoinPage, qtbot: QtBot) -> None:
    adding = page.catalogue.adding
    adding.unfold()
    adding.file_button.click()
    assert adding.files is not None
    with qtbot.waitSignal(adding.look_requested) as asked:
        adding.files.fileSelected.emit("/home/anna/runs.toml")
    assert asked.args == ["/home/anna/runs.toml"]
    adding.files.reject()
    adding.field.setText(" file:///home/anna/my%20runs.toml")
    with qtbot.waitSignal(adding.look_requested) as asked:
        adding.look_button.click()
    assert asked.args == ["/home/anna/my runs.toml"]


def test_another_key_is_a_warning_whose_default_is_no(page: JoinPage, qtbot: QtBot) -> None:
    read = SignedCatalogue(OTHER_KEY, catalogue())
    dialog = TrustCatalogueDialog(page, SOURCE, read, PEER, lambda: None)
    qtbot.addWidget(dialog)
    words = dialog.informativeText()
    assert dialog.icon() == QMessageBox.Icon.Warning and PEER in words and OTHER_KEY in words
    assert dialog.defaultButton() is not dialog.trust_button


def test_what_cannot_be_added_is_said_below_the_field(page: JoinPage) -> None:
    page.catalogue.adding.show_refusal(Refusal("no_address", "runs"))
    assert "neither an https:// address nor the whole path of a file" in page.catalogue.adding.callout.text
    QTest.keyClick(page.catalogue.adding.field, Qt.Key.Key_Escape)
    assert not page.catalogue.adding.callout.isVisible() and page.catalogue.adding.open_button.isVisible()
    assert child(page, type(page.catalogue)) is page.catalogue
