"""Another language is chosen in the settings: all that there is speaks it at once."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.app import test_application as whole
from tests.app.support.untranslated_text import still_english

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
