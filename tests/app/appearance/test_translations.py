"""The window speaks German, and English with its plurals: all of it, in files that fit its sources."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, Qt, QTime
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.appearance.language import FOLDER, Language, languages
from app.charts.axis import day_label
from app.presentation import address as address_words
from core.errors import ErrorKind, UserError
from core.placeholders import fill_placeholders
from core.protocol.access import RunAccess
from core.protocol.events import SearchFinished
from core.run.address import JoinAddress, UnreadableAddress
from core.run.manifest import decode_manifest
from core.run.run_file import parse_run_file, template
from core.texts import errors as problem_words
from core.texts import event_log as event_lines
from core.texts import figures
from core.texts import run as run_words
from core.texts.worker_messages import translate_message
from installer import translations
from installer.window_texts import Text, UnreadableTextError, texts_in, texts_of
from tests.app.support.language_context import speaking
from tests.app.support.sample_sessions import ADDRESS, run_found

translate = QCoreApplication.translate
BLANKS = re.compile(r"%n|%[1-9]|\{\}")


def catalogue(language: str) -> dict[tuple[str, str, str], list[str]]:
    """Each text with its translation: one form, or one for each number."""
    found = {}
    for context in ElementTree.parse(FOLDER / f"workerbee_{language}.ts").iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            forms = [form.text or "" for form in translation.iter("numerusform")]
            key = context.findtext("name", ""), message.findtext("source", ""), message.findtext("comment", "")
            found[key] = forms or [translation.text or ""]
    return found


def test_the_files_fit_the_sources(capfd: pytest.CaptureFixture[str]) -> None:
    assert translations.main(["--check"]) == 0, capfd.readouterr().err


def test_every_text_is_in_german_and_every_plural_in_english() -> None:
    texts = texts_of(*translations.SOURCES)
    assert len(texts) > 400
    assert set(catalogue("de")) == {(text.context, text.source, text.comment) for text in texts}
    assert set(catalogue("en")) == {(text.context, text.source, text.comment) for text in texts if text.is_plural}


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_a_translation_has_the_blanks_of_its_text(language: str) -> None:
    wrong = []
    for (_, source, _), forms in catalogue(language).items():
        for form in forms:
            blanks, needed = BLANKS.findall(form), BLANKS.findall(source)
            is_one = len(forms) == 2 and form is forms[0]  # which may say it without its number
            if is_one:
                blanks, needed = [[each for each in found if each != "%n"] for found in (blanks, needed)]
            if sorted(blanks) != sorted(needed) or not form.strip():
                wrong.append((source, form))
    assert wrong == []


def test_a_translation_ends_as_its_text_does() -> None:
    ends = "….:?!"
    wrong = []
    for (_, source, _), forms in catalogue("de").items():
        for form in forms:
            expected, end = (text[-1:] if text[-1:] in ends else "" for text in (source, form))
            if end != expected or form.count("&") != source.count("&"):
                wrong.append((source, form))
    assert wrong == []


def test_german_has_one_word_for_one_thing_and_a_space_before_what_is_left_out() -> None:
    unwanted = {
        r"\bPeers?\b(?!-ID)": "Teilnehmer",
        r"-Engine": "Trainingsprogramm",
        r"\bleihen": "zur Verfügung stellen, since leihen is to borrow, too",
        r"[a-zäöüß]…$": "a space that does not break",
    }
    german = [form for forms in catalogue("de").values() for form in forms]
    found = {pattern: [form for form in german if re.search(pattern, form)] for pattern in unwanted}
    assert found == {pattern: [] for pattern in unwanted}


def test_all_that_is_compiled_is_found(qapp: QApplication) -> None:
    german = catalogue("de")
    with speaking("de"):
        for text in texts_of(*translations.SOURCES):
            forms = german[text.context, text.source, text.comment]
            for number, form in zip((1, 2), forms, strict=False):
                count = number if text.is_plural else -1
                said = translate(text.context, text.source, text.comment, count)
                assert said == form.replace("%n", str(number))


@pytest.mark.parametrize(
    ("language", "peers", "addresses", "runs"),
    [
        ("en", ("1 peer", "2 peers"), ("1 address.", "2 addresses."), ("1 run.", "2 runs.")),
        ("de", ("1 Teilnehmer", "2 Teilnehmer"), ("1 Adresse.", "2 Adressen."), ("1 Lauf ", "2 Läufe ")),
    ],
)
def test_one_is_called_otherwise_than_two(
    qapp: QApplication,
    language: str,
    peers: tuple[str, str],
    addresses: tuple[str, str],
    runs: tuple[str, str],
) -> None:
    pasted = (ADDRESS, f"{ADDRESS} {ADDRESS.replace('.5/', '.6/')}")
    with speaking(language):
        for index, text in enumerate(pasted):
            run = msgspec.structs.replace(run_found(), peers=index + 1)
            assert run_words.now_in(run) == peers[index]
            assert addresses[index] in address_words.what_it_is(JoinAddress.parse(text))
            assert runs[index] in (event_lines.line(SearchFinished(found=index + 1)) or "")


def test_figures_are_written_as_the_language_does(qapp: QApplication) -> None:
    with speaking("de"):
        assert figures.count(1_204_332) == "1.204.332"
        assert figures.size(4_700_000) == "4,7 MB"
        assert figures.loss(1.834) == "1,83"
        assert figures.share(0.995) == "99,5 %"
        assert figures.energy(15_120_000) == "4,2 kWh"
    with speaking("en"):
        assert figures.count(1_204_332) == "1,204,332"
        assert figures.size(4_700_000) == "4.7 MB"


@pytest.mark.parametrize(
    ("language", "today", "earlier"),
    [("en", "run ended at %1;", "run ended %1 at %2;"), ("de", "ist um %1 abgelaufen;", "ist am %1 um %2 abgelaufen;")],
)
def test_when_an_invitation_ended_reads_well_on_that_day_and_on_another(
    qapp: QApplication, language: str, today: str, earlier: str
) -> None:
    with speaking(language):
        for day, words in ((QDate.currentDate(), today), (QDate(2026, 11, 24), earlier)):
            when, short = QDateTime(day, QTime(13, 16)), QLocale.FormatType.ShortFormat
            parts = [QLocale().toString(when.time(), short)]
            parts = parts if words is today else [QLocale().toString(day, short), *parts]
            access = RunAccess(standing="ended", until=float(when.toSecsSinceEpoch()))
            ended = run_words.closed_words(msgspec.structs.replace(run_found(), access=access))
            assert fill_placeholders(words, *parts) in ended


def test_every_problem_has_german_words(qapp: QApplication) -> None:
    english = {problem: (problem_words.title_of(problem), problem_words.advice_of(problem)) for problem in ErrorKind}
    with speaking("de"):
        assert problem_words.title_of(ErrorKind.DISK_FULL) == "Die Festplatte ist voll."
        for problem, (title, advice) in english.items():
            assert problem_words.title_of(problem) != title
            assert problem_words.advice_of(problem) != advice


def test_what_is_wrong_with_an_address_is_german_too(qapp: QApplication) -> None:
    with pytest.raises(UnreadableAddress) as caught:
        JoinAddress.parse("/ip4/203.0.113.5/tcp/99999/p2p/x")
    with speaking("de"):
        wrong = address_words.what_is_wrong(caught.value)
        assert wrong.endswith("“: „99999“ ist kein Port; ein Port ist eine Zahl von 1 bis 65535.")
        assert address_words.what_is_good(caught.value).startswith("Richtig sieht ")


def test_the_mistakes_of_a_run_file_and_a_refused_description_are_german_too(qapp: QApplication) -> None:
    text = template().replace("digits = 2", "digits = 9\ndigts = 3").replace("layers = 2", 'layers = "two"')
    with pytest.raises(UserError) as wrong:
        parse_run_file(text)
    with pytest.raises(UserError) as together:
        parse_run_file(template().replace("heads = 16", "heads = 15"))
    with pytest.raises(UserError) as refused:
        decode_manifest(b'{"run": {"id": 3}}')
    with speaking("de"):
        assert translate_message(wrong.value.detail).splitlines() == [
            '[recipe] layers = "two": muss eine ganze Zahl sein.',
            "[data] digits = 9: darf höchstens 6 sein.",
            "[data] digts: unbekanntes Feld; meinten Sie digits?",
        ]
        said = translate_message(together.value.detail)
        assert said == "[recipe]: width 64 ist nicht gleichmäßig auf 15 Köpfe zu verteilen."
        assert translate_message(refused.value.detail) == "run.id muss Text in Anführungszeichen sein."


def test_another_language_needs_no_change_of_the_code(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = texts_of(*translations.SOURCES)
    translations.update(texts, tmp_path, ["ar", "de", "en"])
    begun = tmp_path / "workerbee_ar.ts"
    tree = ElementTree.parse(begun)
    (message,) = (each for each in tree.iterfind("context[name='ConsentBar']/message") if each[0].text == "Back")
    message[1].text = "رجوع"
    message[1].attrib.clear()
    tree.write(begun, "utf-8")
    translations.update(texts, tmp_path, ["ar", "de", "en"])
    monkeypatch.setattr("app.appearance.language.FOLDER", tmp_path)
    assert languages() == {"ar": "العربية", "de": "Deutsch", "en": "English"}
    with speaking("ar"):
        assert translate("ConsentBar", "Back") == "رجوع"
        assert translate("ConsentBar", "Start") == "Start", "what nobody has translated yet stays English"
        assert QGuiApplication.layoutDirection() == Qt.LayoutDirection.RightToLeft
    with speaking("de"):
        assert QGuiApplication.layoutDirection() == Qt.LayoutDirection.LeftToRight


def test_it_can_be_changed_and_changed_back(qapp: QApplication) -> None:
    language = Language(qapp)
    before = QLocale()
    said = []
    settings_store: tuple[str, ...] = ("de", "en", "de", "system")
    for choice in settings_store:
        language.choose(choice)
        said.append((translate("ConsentBar", "Back"), translate("QPlatformTheme", "Cancel")))
    german = ("Zurück", "Abbrechen")
    english = ("Back", "Cancel")
    assert said == [german, english, german, english]  # the tests' system speaks English
    QLocale.setDefault(before)


SCRIPT = """
from PySide6.QtCore import QCoreApplication, QDate, QLocale, Qt
from PySide6.QtGui import QGuiApplication
from app.appearance.language import Language
qt = QCoreApplication([])
language = Language(qt)
language.choose({choice!r})
print(qt.translate("Run", "%n peer(s)", "", 2), QLocale().toString(1234.5, "f", 1), sep="; ")
"""


@pytest.mark.parametrize(
    ("system", "choice", "expected"),
    [
        ("de_DE", "system", "2 Teilnehmer; 1.234,5"),
        ("de_CH", "system", "2 Teilnehmer; 1'234.5"),
        ("de_CH", "de", "2 Teilnehmer; 1'234.5"),
        ("fr_FR", "system", "2 peers; 1\u202f234,5"),
        ("en_GB", "de", "2 Teilnehmer; 1.234,5"),
        ("de_DE", "en", "2 peers; 1,234.5"),
    ],
)
def test_it_is_the_systems_language_unless_another_is_chosen(system: str, choice: str, expected: str) -> None:
    environment = {**os.environ, "LC_ALL": f"{system}.UTF-8", "LANGUAGE": "", "PYTHONUTF8": "1"}
    code = SCRIPT.format(choice=choice)
    outcome = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=translations.ROOT, capture_output=True, timeout=60
    )
    assert outcome.stdout.decode().strip().replace("’", "'") == expected


CODE = """
class Card:
    def say(self):
        self.tr("One" " text")
        return f"{self.tr('inside')} {translate('Run', '%n peer(s)', '', len(peers))}"

WORDS = QT_TRANSLATE_NOOP("Run", "kept for later")
said = translate("Run", WORDS) + word.translate(TABLE)
"""


def test_texts_are_found_wherever_they_are() -> None:
    assert list(texts_in(CODE, "card.py")) == [
        Text("Card", "One text"),
        Text("Card", "inside"),
        Text("Run", "%n peer(s)", is_plural=True),
        Text("Run", "kept for later"),
    ]


@pytest.mark.parametrize("code", ["widget.tr('whose?')", "class A:\n  x = self.tr(text)", "self.tr('no class')"])
def test_a_text_that_qt_could_not_look_up_is_an_error(code: str) -> None:
    with pytest.raises(UnreadableTextError, match=r"card\.py:"):
        list(texts_in(code, "card.py"))


def test_a_file_that_is_out_of_date_is_noticed() -> None:
    texts = texts_of(*translations.SOURCES)
    stale = translations.stale([*texts, Text("Run", "something new")])
    assert [line.split(" is ")[0] for line in stale] == ["workerbee_de.ts"]
    assert translations.stale(texts[1:])[0].startswith("workerbee_de.ts")


@pytest.mark.parametrize(("language", "words"), [("en", "27 Nov"), ("de", "27. Nov.")])
def test_a_day_at_an_axis_is_written_as_in_the_language(language: str, words: str) -> None:
    with speaking(language):
        assert day_label(QDate(2026, 11, 27)) == words
