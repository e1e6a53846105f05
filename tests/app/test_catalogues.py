"""The whole window and where runs come from: a list, reviewed like any pasted address, and a run file of one's own.

A list is added by its address and trusted by a click; the file is for the address on the page, as long as it is shown.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.pages.join.trust_catalogue_dialog import TrustCatalogueDialog
from core.catalogue.signed_file import SignedCatalogue, sign_catalogue
from core.catalogue.store import CatalogueStore
from core.errors import ErrorKind
from core.protocol.commands import Join
from core.run.address import JoinAddress
from core.run.run_file import parse_run_file, template
from core.security.identity import Identity
from tests.app.test_application import Open, name_of_page, opened, until
from tests.app.test_several_devices import commands
from tests.core.catalogue.listed import catalogue, entry, link_of
from tests.support.environment.update_server import serving_notices
from tests.support.peers import fake_worker
from tests.support.peers.sample_addresses import NOWHERE

__all__ = ["opened"]  # the fixture

LIMIT_MILLISECONDS = 120_000
PUBLISHER = Identity.create()


def test_a_run_of_a_list_is_reviewed_and_nothing_is_started(qtbot: QtBot, opened: Open) -> None:
    application = opened("good")
    with serving_notices() as server:
        server.body = sign_catalogue(catalogue(entry(fake_worker.RUN_ID, name="Learning to add")), PUBLISHER)
        page = application.pages.join.page
        qtbot.waitUntil(page.catalogue.adding.open_button.isVisible, timeout=LIMIT_MILLISECONDS)
        assert server.asked == []
        page.catalogue.adding.open_button.click()
        QTest.keyClicks(page.catalogue.adding.field, server.address)
        QTest.keyClick(page.catalogue.adding.field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: bool(page.findChildren(TrustCatalogueDialog)), timeout=LIMIT_MILLISECONDS)
        (dialog,) = page.findChildren(TrustCatalogueDialog)
        assert PUBLISHER.peer_id in dialog.informativeText().replace("\u200b", "") and page.catalogue.rows == []
        dialog.trust_button.click()
        (row,) = page.catalogue.rows
        assert row.accessibleName() == "Learning to add" and "needs about" in row.accessibleDescription()
        row.click()
        assert page.address == JoinAddress.parse(link_of(fake_worker.RUN_ID))
        until(qtbot, application, lambda session: session.is_search_finished)
        assert name_of_page(application) == "review"
        assert application.session_controller.session.consent is None, "a list has started something"
        assert len(server.asked) == 1


def test_a_list_is_removed_in_the_settings_and_is_on_no_page_any_more_nor_after_a_restart(
    qtbot: QtBot, opened: Open
) -> None:
    application = opened("good")
    listed = SignedCatalogue(PUBLISHER.peer_id, catalogue(entry("bees")))
    for name in ("bees", "birds"):
        application.catalogues.accept(f"https://example.org/{name}.toml", listed)
    application.pages.join.refresh()
    assert len(application.pages.join.page.catalogue.sources) == 2
    application.navigator.open_settings()
    card = application.pages.settings.page.catalogues
    qtbot.waitUntil(lambda: len(card.buttons) == 2, timeout=LIMIT_MILLISECONDS)
    assert card.isVisible()
    bees, _birds = card.buttons
    assert "https://example.org/bees.toml" in bees.accessibleName()
    assert PUBLISHER.peer_id in bees.toolTip(), "the whole key"
    bees.setFocus()
    QTest.keyClick(bees, Qt.Key.Key_Space)
    (birds,) = card.buttons
    assert "birds.toml" in birds.accessibleName()
    assert application.window.focusWidget() is birds, "the keyboard stays where it was"
    kept = CatalogueStore(application.folders.contents.catalogues)
    assert [known.source for known in kept.all] == ["https://example.org/birds.toml"]
    assert len(application.pages.join.page.catalogue.sources) == 1
    birds.click()
    assert not card.isVisible() and application.catalogues.known == ()


# A run file


def run_file(folder: Path) -> Path:
    """A file that describes the run of the fake swarm."""
    path = folder / "sums.toml"
    path.write_text(template().replace(f'id = "{parse_run_file(template()).run.id}"', f'id = "{fake_worker.RUN_ID}"'))
    return path


def joins(folder: Path) -> list[tuple[str | None, bool]]:
    """The run of each search that a worker was asked for, and whether a run file described it."""
    return [(each.run_id, each.manifest is not None) for each in commands(folder) if isinstance(each, Join)]


def show_me_the_run(qtbot: QtBot, application: Application, problem: ErrorKind | None = None) -> None:
    """Look for the run at an address of the swarm."""
    application.pages.join.page.fill_address(str(NOWHERE))
    application.pages.join.page.form.join_button.click()
    until(qtbot, application, lambda session: session.is_search_finished or session.phase == "ended")
    assert application.session_controller.session.problem is problem


def test_a_run_file_is_for_the_address_on_the_page_and_neither_for_a_run_of_a_list_nor_after_a_start(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    application = opened("good")
    page = application.pages.join.page
    application.intake.open_run_file(run_file(tmp_path))
    show_me_the_run(qtbot, application)
    application.pages.review.page.start_requested.emit(application.session_controller.session.runs[0])
    until(qtbot, application, lambda session: session.contributed_samples > 0)
    application.pages.training.page.leave_requested.emit()
    until(qtbot, application, lambda session: session.phase == "ended")
    qtbot.waitUntil(lambda: page.isVisible() and page.form.run_file.text() == "", timeout=LIMIT_MILLISECONDS)
    show_me_the_run(qtbot, application)
    application.window.back_requested.emit()
    until(qtbot, application, lambda session: session.phase == "ended")
    application.intake.open_run_file(run_file(tmp_path))
    page.catalogue.run_requested.emit(entry("bees"))
    until(qtbot, application, lambda session: session.is_search_finished)
    assert joins(tmp_path) == [(fake_worker.RUN_ID, True), (None, False), ("bees", False)]
    assert page.form.run_file.text() == ""


def test_a_run_file_stays_after_a_search_in_vain_and_with_another_language_and_goes_with_one_that_is_wrong(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    before, application = QLocale(), opened("fail_for_good")
    application.intake.open_run_file(run_file(tmp_path))
    show_me_the_run(qtbot, application, ErrorKind.NOBODY_ANSWERS)
    assert "sums.toml" in application.pages.join.page.form.run_file.text()
    try:
        application.settings_store.replace(language="de")
        assert application.pages.join.page.form.run_file.text().startswith("Ihre Datei sums.toml beschreibt den Lauf")
        show_me_the_run(qtbot, application, ErrorKind.NOBODY_ANSWERS)
    finally:
        application.settings_store.replace(language="en")
        QLocale.setDefault(before)
    (tmp_path / "wrong.toml").write_text("run = ")
    application.intake.open_run_file(tmp_path / "wrong.toml")
    form = application.pages.join.page.form
    assert form.run_file.text() == "" and "The run file has a mistake." in form.callout.text
    show_me_the_run(qtbot, application, ErrorKind.NOBODY_ANSWERS)
    assert joins(tmp_path) == [(fake_worker.RUN_ID, True), (fake_worker.RUN_ID, True), (None, False)]


def test_a_run_file_that_is_taken_back_is_not_joined_with(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good")
    application.intake.open_run_file(run_file(tmp_path))
    application.pages.join.page.form.withdraw_button.click()
    show_me_the_run(qtbot, application)
    assert joins(tmp_path) == [(None, False)]
