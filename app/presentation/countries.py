"""The countries that a person may choose from, by their names in the window's language."""

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
    """Its name in the window's language; in English, as Qt has it, where nobody has translated it."""
    name = translate("Countries", code)  # the codes are what is translated, since English names are Qt's
    return name if name != code else QLocale.territoryToString(QLocale.codeToTerritory(code))
