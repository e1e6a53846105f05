"""The whole window and a list of runs: added by its address, trusted by a click, reviewed like any pasted address."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.pages.join.trust_catalogue_dialog import TrustCatalogueDialog
from core.catalogue.signed_file import SignedCatalogue, sign_catalogue
from core.catalogue.store import CatalogueStore
from core.run.address import JoinAddress
from core.security.identity import Identity
from tests.app.test_application import Open, name_of_page, opened, until
from tests.core.catalogue.listed import catalogue, entry, link_of
from tests.support.environment.update_server import serving_notices
from tests.support.peers import fake_worker

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
