"""The texts without Qt: English with its plurals, the same as the window's; another language where one is installed."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from core.errors import ErrorKind
from core.files.resources import RESOURCES
from core.texts import figures
from core.texts.errors import advice_of
from core.texts.localization import EnglishLocalization, install, installed, translate
from installer.translations import ROOT
from installer.window_texts import texts_of


def english_plurals() -> Iterator[tuple[str, str, list[str]]]:
    """Each plural of the shared texts with the two forms that Qt's English catalogue has for it."""
    shared = {(text.context, text.source) for text in texts_of(ROOT / "core" / "texts") if text.is_plural}
    for context in ElementTree.parse(RESOURCES / "translations" / "workerbee_en.ts").iter("context"):
        for message in context.iter("message"):
            key = context.findtext("name", ""), message.findtext("source", "")
            if key in shared:
                yield (*key, [form.text or "" for form in message.iter("numerusform")])


def test_english_plurals_are_the_windows() -> None:
    plurals = list(english_plurals())
    assert len(plurals) > 5
    for context, source, forms in plurals:
        for number, form in zip((1, 2), forms, strict=True):
            assert translate(context, source, "", number) == form.replace("%n", str(number))


class _Shouting(EnglishLocalization):
    """A localization that can be told from English, with advice for a window."""

    is_terminal = False

    def translate(self, context: str, text: str, disambiguation: str, n: int | None) -> str:
        return super().translate(context, text, disambiguation, n).upper()

    def decimal(self, value: float, digits: int) -> str:
        return super().decimal(value, digits).replace(".", ",")


@pytest.fixture
def shouting() -> Iterator[None]:
    before = installed()
    install(_Shouting())
    yield
    install(before)


def test_an_installed_localization_has_every_text_and_figure(shouting: None) -> None:
    assert figures.unknown() == "NOT KNOWN YET"
    assert figures.size(4_700_000) == "4,7 MB"


def test_a_terminal_is_advised_with_options_and_a_window_with_settings(shouting: None) -> None:
    assert advice_of(ErrorKind.PORT_TAKEN).startswith("CHOOSE ANOTHER ONE IN THE SETTINGS")
    install(EnglishLocalization())
    assert "--listen" in advice_of(ErrorKind.PORT_TAKEN)
