"""Countries are named in the window's language, whatever is spoken in them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app.presentation.countries import country_choices, country_name
from core.countries import COUNTRIES
from tests.app.support.language_context import speaking


@pytest.mark.parametrize(
    ("language", "none", "names"),
    [
        ("en", "not told", {"AL": "Albania", "AT": "Austria", "GR": "Greece", "TR": "Türkiye"}),
        ("de", "keine Angabe", {"AL": "Albanien", "AT": "Österreich", "GR": "Griechenland", "TR": "Türkei"}),
    ],
)
def test_each_has_a_name_in_the_windows_language(
    qapp: QApplication, language: str, none: str, names: dict[str, str]
) -> None:
    with speaking(language):
        choices = country_choices()
        assert choices[0] == (none, None)
        assert {code for _, code in choices[1:]} == COUNTRIES
        assert {code: country_name(code) for code in names} == names
        assert [code for code in COUNTRIES if len(country_name(code)) < 4] == []
        assert len({name for name, _ in choices}) == len(choices)


def test_a_name_with_an_umlaut_is_sorted_as_its_readers_do(qapp: QApplication) -> None:
    with speaking("de"):
        names = [name for name, _ in country_choices()]
    oman = names.index("Oman (OM)")
    assert names[oman : oman + 2] == ["Oman (OM)", "Österreich (AT)"]


def test_where_the_window_does_not_speak_the_systems_language_names_are_english_as_all_is(qapp: QApplication) -> None:
    with speaking("en"):
        QLocale.setDefault(QLocale("fr_FR"))
        assert country_name("DE") == "Germany"
