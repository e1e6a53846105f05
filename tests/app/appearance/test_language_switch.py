"""Another language is chosen in the settings: all that there is speaks it at once."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.catalogue.signed_file import SignedCatalogue
from core.errors import ErrorKind, UserError
from tests.app import test_application as whole
from tests.app.conftest import let_qt_delete
from tests.app.controllers.test_exporter import published
from tests.app.support.sample_sessions import PEER
from tests.app.support.untranslated_text import still_english
from tests.core.catalogue.listed import catalogue, entry

opened = whole.opened


def test_the_whole_window_speaks_it_at_once(qtbot: QtBot, qapp: QApplication, opened: whole.Open) -> None:
    before = QLocale()
    application = opened("good")
    whole.train(qtbot, application)
    application.navigator.open_settings()
    try:
        application.settings_store.replace(language="de")
        assert application.window.windowTitle().startswith("Trainiert")
        # once Qt has told everybody, and has forgotten the pages of before
        qtbot.waitUntil(lambda: still_english(application.window) == [], timeout=whole.LIMIT_MILLISECONDS)
        chosen = application.pages.settings.page.window_behaviour.language
        qtbot.waitUntil(lambda: not chosen.visibleRegion().isEmpty(), timeout=whole.LIMIT_MILLISECONDS)
        assert application.window.focusWidget() is chosen, "the person stays where the language was chosen"
        application.navigator.go_back()
        assert application.navigator.page_name == "training"
        assert still_english(application.window) == []
        assert still_english(application.tray_controller.tray.menu) == []
    finally:
        application.settings_store.replace(language="en")
        QLocale.setDefault(before)
    assert QCoreApplication.translate("ConsentBar", "Back") == "Back"


def test_a_list_of_runs_that_is_added_or_refused_after_that_troubles_no_page_of_before(
    qtbot: QtBot, opened: whole.Open
) -> None:
    before, application = QLocale(), opened("good")
    application.navigator.open_settings()
    try:
        application.settings_store.replace(language="de")
        let_qt_delete()  # the pages of before
        with qtbot.captureExceptions() as raised:
            listed = SignedCatalogue(PEER, catalogue(entry("bees")))
            application.catalogues.accept("https://example.org/bees.toml", listed)
            application.catalogues.failed.emit(UserError(ErrorKind.DISK_FULL))
        assert raised == []
        assert len(application.pages.settings.page.catalogues.buttons) == 1
        assert "Die Festplatte ist voll" in application.pages.settings.page.callout.text
    finally:
        application.settings_store.replace(language="en")
        QLocale.setDefault(before)


def test_what_has_become_of_an_export_is_said_in_the_language_that_was_chosen_since(
    qtbot: QtBot, opened: whole.Open, tmp_path: Path
) -> None:
    before, application = QLocale(), opened("good")
    exporter, run = application.exporter, published(tmp_path)

    def outcome() -> str:
        """What the page of an organiser says, which is made anew with each language."""
        return application.pages.organise.page.outcome.text()

    application.navigator.open_organise()
    exporter.export(run, tmp_path / "first")
    qtbot.waitUntil(lambda: outcome().startswith("The model of epoch 7 is in"), timeout=whole.LIMIT_MILLISECONDS)
    application.navigator.open_settings()
    try:
        application.settings_store.replace(language="de")
        assert outcome().startswith("Das Modell der Epoche 7 ist in") and "first" in outcome()
        exporter.export(run, tmp_path / "second")
    finally:
        application.settings_store.replace(language="en")
        QLocale.setDefault(before)
    assert outcome() == "The model is being written…"
    qtbot.waitUntil(lambda: "second" in outcome(), timeout=whole.LIMIT_MILLISECONDS)
    assert outcome().startswith("The model of epoch 7 is in")
    exporter.export(run, tmp_path / "second")
    assert "exists already" in outcome()
