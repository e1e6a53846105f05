"""The language of the window: English texts in the code, others in the files of Qt Linguist."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.appearance.qt_localization import QtLocalization
from core.files.resources import RESOURCES
from core.texts.localization import install

Choice = Literal["system", "en", "de"]
FOLDER = RESOURCES / "translations"


class Language:
    """Installs Qt's translators for the language that the person has chosen."""

    def __init__(self, application: QCoreApplication) -> None:
        install(QtLocalization())
        self._application = application
        self._translators: list[QTranslator] = []

    def choose(self, choice: Choice) -> None:
        """Translate texts into that language from now on; Qt tells the open windows, which retranslate theirs."""
        system = QLocale.system()
        spoken = system if choice == "system" else QLocale(choice)
        QLocale.setDefault(system if spoken.language() == system.language() else spoken)
        for translator in self._translators:
            self._application.removeTranslator(translator)
        qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        loaded = [
            _loaded(QLocale("en"), "workerbee", str(FOLDER)),  # its plurals; those that follow go before it
            _loaded(spoken, "qtbase", qt),
            _loaded(spoken, "workerbee", str(FOLDER)),
        ]
        self._translators = [each for each in loaded if each is not None]
        for translator in self._translators:
            self._application.installTranslator(translator)


def _loaded(locale: QLocale, name: str, folder: str) -> QTranslator | None:
    translator = QTranslator()
    return translator if translator.load(locale, name, "_", folder) else None
