"""The countries that a person may choose from, by names that they know them by."""

from __future__ import annotations

from PySide6.QtCore import QCollator, QLocale

from core.countries import COUNTRIES
from core.texts.localization import translate


def country_choices() -> list[tuple[str, object]]:
    """Every country with its name and code, in the order of the names; before them none (``None``)."""
    collator = QCollator(QLocale())
    named = sorted(((country_name(code), code) for code in COUNTRIES), key=lambda each: collator.sortKey(each[0]))
    nothing: tuple[str, object] = (translate("Countries", "not told"), None)
    return [nothing, *((f"{name} ({code})", code) for name, code in named)]


def country_name(code: str) -> str:
    """Its name in English, or else in the language of most who live there: Qt knows no others."""
    territory = QLocale.codeToTerritory(code)
    there = QLocale(QLocale.Language.AnyLanguage, territory)
    is_english = QLocale().language() in (QLocale.Language.English, QLocale.Language.C)
    is_known = there.territory() == territory and not is_english
    return (is_known and there.nativeTerritoryName()) or QLocale.territoryToString(territory)
