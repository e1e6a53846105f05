"""The language of the window: English texts in the code, others in the files of Qt Linguist."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, Qt, QTranslator
from PySide6.QtGui import QGuiApplication

from app.appearance.qt_localization import QtLocalization
from core.files.resources import RESOURCES
from core.texts.localization import install

FOLDER = RESOURCES / "translations"
SYSTEM = "system"


def languages() -> dict[str, str]:
    """The languages of the window: what each is called by those who speak it, by the code in its file's name."""
    codes = sorted(file.stem.removeprefix("workerbee_") for file in FOLDER.glob("workerbee_*.qm"))
    return {code: _own_name(code) for code in codes}


def _own_name(code: str) -> str:
    if code == "en":
        return "English"  # of which QLocale knows only countries' own
    locale = QLocale(code)
    name = locale.nativeLanguageName()
    country = f" ({locale.nativeTerritoryName()})" if "_" in code else ""
    return f"{name[:1].upper()}{name[1:]}{country}"


class Language:
    """Installs Qt's translators for the language that the person has chosen."""

    def __init__(self, application: QCoreApplication) -> None:
        install(QtLocalization())
        self._application = application
        self._translators: list[QTranslator] = []

    def choose(self, choice: str) -> None:
        """Translate texts into that language from now on; Qt tells the open windows, which retranslate theirs.

        ``choice`` is a code of ``languages()``, or ``SYSTEM``; the window is English where there is no such language.
        """
        system = QLocale.system()
        spoken = system if choice == SYSTEM else QLocale(choice)
        QLocale.setDefault(system if spoken.language() == system.language() else spoken)
        for translator in self._translators:
            self._application.removeTranslator(translator)
        qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        own = _loaded(spoken, "workerbee", str(FOLDER))
        loaded = [
            _loaded(QLocale("en"), "workerbee", str(FOLDER)),  # its plurals; those that follow go before it
            _loaded(spoken, "qtbase", qt),
            own,
        ]
        is_leftward = own is not None and spoken.textDirection() == Qt.LayoutDirection.RightToLeft
        direction = Qt.LayoutDirection.RightToLeft if is_leftward else Qt.LayoutDirection.LeftToRight
        QGuiApplication.setLayoutDirection(direction)
        self._translators = [each for each in loaded if each is not None]
        for translator in self._translators:
            self._application.installTranslator(translator)


def _loaded(locale: QLocale, name: str, folder: str) -> QTranslator | None:
    translator = QTranslator()
    return translator if translator.load(locale, name, "_", folder) else None
