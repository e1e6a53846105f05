"""The first page asks for an address, says what is wrong with it in time, and never joins by itself."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QToolButton
from pytestqt.qtbot import QtBot

from app.pages.join.forget_key_dialog import ForgetKeyDialog
from app.pages.join.page import JoinPage
from app.widgets.list_button import ListButton
from core.client.reducer import reduce
from core.errors import ErrorKind
from core.protocol.client_events import Asked, WorkerExited
from core.protocol.events import Connected, Failed, Hello
from core.records.recent_runs import RecentRun
from core.run.address import JoinAddress
from tests.app.support.sample_sessions import (
    ADDRESS,
    CPU,
    GPU,
    PEER,
    child,
    run_found,
    search,
    seen,
    session_of,
)
from tests.support.consents import consent_to

WRONG = "/ip4/203.0.113.5/tcp/31337"
RUN = RecentRun(run_id="sums", name="Learning to add", organiser=PEER, address=ADDRESS, last_state="paused", at=0.0)


@pytest.fixture
def page(qtbot: QtBot) -> JoinPage:
    page = JoinPage()
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show()
    return page


def said(page: JoinPage) -> str:
    return page.form.callout.text if page.form.callout.isVisible() else ""


def test_a_pasted_address_is_joined_after_a_click(page: JoinPage, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setText(f"  --initial_peers {ADDRESS}\n")
    page.form.paste_button.click()
    with qtbot.waitSignal(page.join_requested) as joined:
        page.form.join_button.click()
    assert joined.args == [JoinAddress((ADDRESS,))]


def test_enter_joins(page: JoinPage, qtbot: QtBot) -> None:
    page.fill_address(ADDRESS)
    with qtbot.waitSignal(page.join_requested):
        QTest.keyClick(page.form.field, Qt.Key.Key_Return)


def test_a_pasted_address_is_parsed_once_and_travels_as_it_is(page: JoinPage, qtbot: QtBot) -> None:
    page.fill_address(ADDRESS)
    parsed = page.form.field.result.address
    for join in (page.form.join_button.click, page.form.field.join_requested.emit):
        with qtbot.waitSignal(page.join_requested) as joined:
            join()
        assert parsed is not None and joined.args[0] is parsed


def test_the_address_of_the_clipboard_is_not_parsed_again(page: JoinPage) -> None:
    page.offer_clipboard(ADDRESS)
    offered = page.form.offer.address
    page.form.offer.use.click()
    assert offered is not None and page.form.field.result.address is offered


def test_a_wrong_address_is_not_joined_but_explained(page: JoinPage, qtbot: QtBot) -> None:
    page.fill_address(WRONG)
    with qtbot.assertNotEmitted(page.join_requested):
        QTest.keyClick(page.form.field, Qt.Key.Key_Enter)
    assert "/p2p/" in said(page)
    assert page.form.field.hasFocus()


def test_nothing_is_wrong_with_an_empty_field_until_somebody_asks(page: JoinPage) -> None:
    page.fill_address("")
    assert said(page) == ""
    page.form.join_button.click()
    assert "othing was pasted" in said(page)


def test_whoever_types_is_not_interrupted_and_judged_after_a_pause(page: JoinPage, qtbot: QtBot) -> None:
    QTest.keyClicks(page.form.field, WRONG)
    assert said(page) == ""
    qtbot.waitUntil(lambda: said(page) != "")
    QTest.keyClicks(page.form.field, "/p2p/")
    assert said(page) == ""


def test_an_address_that_can_be_read_is_said_to_be_fine(page: JoinPage) -> None:
    page.fill_address(f"{ADDRESS} --run_id sums")
    assert "sums" in page.form._hint.text()


def test_tab_leaves_the_field(page: JoinPage, qtbot: QtBot) -> None:
    page.form.field.setFocus()
    QTest.keyClick(page.form.field, Qt.Key.Key_Tab)
    assert not page.form.field.hasFocus()
    assert page.form.field.toPlainText() == ""


def test_an_address_on_the_clipboard_is_offered_and_never_taken(page: JoinPage, qtbot: QtBot) -> None:
    page.offer_clipboard(ADDRESS)
    assert page.form.offer.isVisible()
    assert page.form.field.toPlainText() == ""
    with qtbot.assertNotEmitted(page.join_requested):
        page.form.offer.use.click()
    assert page.form.field.toPlainText() == ADDRESS
    assert not page.form.offer.isVisible()


def test_what_is_in_the_field_is_not_offered(page: JoinPage) -> None:
    page.offer_clipboard(ADDRESS)
    page.fill_address(f"--initial_peers {ADDRESS}")
    assert not page.form.offer.isVisible()
    page.offer_clipboard(ADDRESS)
    assert not page.form.offer.isVisible()


def test_other_words_on_the_clipboard_are_nobodys_business(page: JoinPage) -> None:
    for text in ("my password", "", WRONG):
        page.offer_clipboard(text)
        assert not page.form.offer.isVisible()


def test_an_offer_that_was_refused_is_not_made_again(page: JoinPage) -> None:
    page.offer_clipboard(ADDRESS)
    page.form.offer.dismiss.click()
    page.offer_clipboard(ADDRESS)
    assert not page.form.offer.isVisible()


def test_what_is_in_the_field_already_is_not_offered(page: JoinPage) -> None:
    page.fill_address(ADDRESS)
    page.offer_clipboard(f"{ADDRESS}\n")
    assert not page.form.offer.isVisible()


def test_a_search_is_shown_and_can_be_called_off(page: JoinPage, qtbot: QtBot) -> None:
    page.fill_address(ADDRESS)
    page.show_session(session_of())
    assert page.search_status.isVisible()
    page.show_session(session_of(Hello(protocol=1, version="1"), Connected(peer_id=PEER, peers=1)))
    assert "Somebody answers" in page.search_status.text
    with qtbot.assertNotEmitted(page.join_requested):
        QTest.keyClick(page.form.field, Qt.Key.Key_Return)
    with qtbot.waitSignal(page.cancel_requested):
        page.search_status.cancel.click()


def test_a_failed_search_is_explained_until_the_address_is_changed(page: JoinPage) -> None:
    failed = session_of(Failed(problem=ErrorKind.NOBODY_ANSWERS.key, detail="203.0.113.5 is silent."))
    ended = reduce(failed, WorkerExited(0))
    page.fill_address(ADDRESS)
    page.show_session(ended)
    assert "Nobody answers" in said(page) and "203.0.113.5 is silent." in said(page)
    assert not page.search_status.isVisible()
    page.fill_address(f"{ADDRESS} ")
    page.show_session(ended)
    assert said(page) == ""


def test_the_same_failure_is_said_again_after_another_attempt(page: JoinPage) -> None:
    failed = session_of(Failed(problem=ErrorKind.NOBODY_ANSWERS.key))
    page.show_session(failed)
    page.show_session(session_of())
    assert said(page) == ""
    page.show_session(failed)
    assert "Nobody answers" in said(page)


def test_a_swarm_without_a_manifest_leads_to_a_run_file(page: JoinPage) -> None:
    page.show_session(search())
    assert "run file" in said(page)
    assert page.form.callout.action.isVisible()
    page.show_run_file("run.toml", "Learning to add")
    page.forget_problem()
    assert "Learning to add" in page.form.run_file.text() and said(page) == ""
    page.fill_address(ADDRESS)
    assert page.form.run_file.isVisible(), "it holds for this address"


def test_without_a_run_file_its_line_takes_no_room_above_the_address(page: JoinPage) -> None:
    assert page.form.field.y() == 0
    page.show_run_file("run.toml", "Learning to add")
    QApplication.processEvents()
    assert page.form.field.y() > 0
    page.show_run_file("", "")
    QApplication.processEvents()
    assert page.form.field.y() == 0


def test_a_wrong_run_file_is_told_and_the_one_before_forgotten(page: JoinPage) -> None:
    page.show_run_file("run.toml", "Learning to add")
    page.show_problem(ErrorKind.RUN_FILE_WRONG, "[run] id: missing.")
    page.show_run_file("", "")
    assert "[run] id: missing." in said(page) and not page.form.run_file.isVisible()


def test_a_run_file_is_taken_back_by_a_click(page: JoinPage, qtbot: QtBot) -> None:
    assert not page.form.withdraw_button.isVisible()
    page.show_run_file("run.toml", "Learning to add")
    with qtbot.waitSignal(page.run_file_withdrawn):
        page.form.withdraw_button.click()


def test_a_run_file_is_picked_in_a_dialog(page: JoinPage, qtbot: QtBot, tmp_path: Path) -> None:
    page.form.file_button.click()
    dialog = child(page, QFileDialog)
    with qtbot.waitSignal(page.run_file_requested) as requested:
        dialog.fileSelected.emit(str(tmp_path / "run.toml"))
    assert requested.args == [tmp_path / "run.toml"]
    dialog.close()


def test_a_problem_of_training_is_not_told_here(page: JoinPage) -> None:
    run = run_found()
    consent = Asked(consent_to(run))
    training = reduce(search(run), consent)
    page.show_session(reduce(training, Failed(problem=ErrorKind.OUT_OF_MEMORY.key)))
    assert said(page) == "" and not page.search_status.isVisible()


def test_recent_runs_are_joined_again_with_a_click(page: JoinPage, qtbot: QtBot) -> None:
    page.show_recent((RUN,))
    with qtbot.waitSignal(page.listed_run_requested) as joined:
        child(page.recent, ListButton).click()
    assert joined.args == [JoinAddress((ADDRESS,))]


def test_a_run_that_is_over_still_says_why_and_thanks_who_has_helped(page: JoinPage) -> None:
    over = msgspec.structs.replace(RUN, last_state="finished", reason="The loss is <b>low</b> enough.\x1b[2J")
    page.show_recent((over,))
    told = child(page.recent, ListButton).accessibleDescription()
    assert "finished by its organiser: The loss is <b>low</b> enough" in told
    page.show_recent((msgspec.structs.replace(over, has_helped=True),))
    told = page.recent.findChildren(ListButton)[-1].accessibleDescription()
    assert "Thank you for helping: The loss is <b>low</b> enough" in told and "\x1b" not in told


def test_recent_runs_can_be_forgotten(page: JoinPage, qtbot: QtBot) -> None:
    page.show_recent((RUN,))
    with qtbot.waitSignal(page.forget_requested) as forgotten:
        child(page.recent, QToolButton).click()
    assert forgotten.args == ["sums", PEER]


def test_strangers_names_stay_plain_and_within_the_window(page: JoinPage, qtbot: QtBot) -> None:
    wild = "<b>" + "W" * 100 + "\u202e\x1b[2J"
    page.show_recent((msgspec.structs.replace(RUN, name=wild),))
    qtbot.waitUntil(lambda: child(page.recent, ListButton).width() > 0)
    assert child(page.recent, ListButton).accessibleName() == "<b>" + "W" * 100 + "[2J"
    assert page.recent.minimumSizeHint().width() < 400


def test_another_device_is_a_click_away(page: JoinPage, qtbot: QtBot) -> None:
    page.show_devices(seen(GPU, CPU), "cpu")
    with qtbot.waitSignal(page.device_chosen) as chosen:
        page.card.choice.activated.emit(1)
    assert chosen.args == [GPU.uuid]


def test_what_the_settings_can_mend_leads_there(page: JoinPage, qtbot: QtBot) -> None:
    page.show_problem(ErrorKind.PORT_TAKEN, "4000")
    with qtbot.waitSignal(page.settings_requested):
        page.form.callout.action.click()


def test_a_run_whose_key_has_changed_offers_to_forget_the_old_one(page: JoinPage, qtbot: QtBot) -> None:
    page.fill_address(f"{ADDRESS} --run_id sums")
    page.show_problem(ErrorKind.ORGANISER_CHANGED, "Run sums: It was anna, it is bert.")
    with qtbot.waitSignal(page.forget_key_requested) as requested:
        page.form.callout.action_requested.emit()
    assert requested.args == ["sums"]


def test_the_warning_says_what_forgetting_means_and_cancel_forgets_nothing(page: JoinPage) -> None:
    forgotten: list[str] = []
    for chosen in (QMessageBox.StandardButton.Cancel, None):
        dialog = ForgetKeyDialog(page, "sums", PEER, lambda: forgotten.append("sums"))
        dialog.open()
        assert "decides what this computer trains" in dialog.informativeText()
        (dialog.button(chosen) if chosen is not None else dialog.forget_button).click()
        assert forgotten == ([] if chosen is not None else ["sums"])
