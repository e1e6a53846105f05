"""The page of what was given: sums, bars, a table by day, month or run, CSV, and a picture that names nobody."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.pages.contributions.page import ContributionsPage
from app.pages.contributions.picture import PictureContents, as_png, paint_contributions
from app.pages.settings.electricity_settings import ElectricitySettings
from core.records.contribution_report import ContributionReport, Tariff
from core.records.contribution_totals import ContributionDelta, RunDay
from core.records.settings import Settings
from core.run.receipt_file import read_receipts
from tests.core.run.test_receipts import MINE_KEPT, STRANGER

HOUR, KWH = 3600.0, 3.6e6
SUMS, WORDS = "sums@12D3KooWA", "words@12D3KooWB"
TARIFF = Tariff(0.40, "EUR", 65.0)


def _days() -> dict[RunDay, ContributionDelta]:
    """Of somebody who helps two runs, one of them on a CPU that tells no power; with a day off now and then."""
    given: dict[RunDay, ContributionDelta] = {
        (SUMS, ""): ContributionDelta("Sums up to 99", 90_000, 40, 40 * HOUR, 7 * KWH)
    }
    for day in range(1, 26):
        if day % 7:
            hours = 1 + (day * 37 % 11) / 2
            given[SUMS, f"2026-11-{day:02}"] = ContributionDelta(
                "Sums up to 99",
                day * 1000,
                4,
                hours * HOUR,
                hours * 0.17 * KWH,
                0.0,
                day * 9000,
                day * 10**8,
                day * 10**7,
            )
        if day % 5 == 0:
            given[WORDS, f"2026-11-{day:02}"] = ContributionDelta(
                "Words of the world, told again", 500, 1, HOUR, None, HOUR, 8000, 10**8, 10**9
            )
    given[SUMS, "2026-10-31"] = ContributionDelta("Sums up to 99", 700, 4, 2 * HOUR, 0.3 * KWH, 0.0, 9000, 10**9, 10**7)
    return given


GIVEN = _days()


@pytest.fixture
def page(qtbot: QtBot) -> ContributionsPage:
    QLocale.setDefault(QLocale("en_GB"))
    page = ContributionsPage()
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show_contributions(GIVEN, TARIFF, "Anna")
    with qtbot.waitExposed(page):
        page.show()
    return page


def test_the_sums_are_of_all_runs_and_all_time(page: ContributionsPage) -> None:
    text = page.summary.text
    total = ContributionReport.of(GIVEN, "run").total
    assert "samples in 2 runs" in text and f"{total.given.samples:,}" in text
    assert "~" in text and "EUR cost of electricity" in text and "energy used" in text
    page.show_contributions(GIVEN, Tariff(), "Anna")
    assert "no price set cost of electricity" in page.summary.text


def test_a_row_for_each_day_month_or_run_is_chosen_with_keys_alone(page: ContributionsPage, qtbot: QtBot) -> None:
    assert page.table.contents.headings[0] == "Day" and page.table.contents.rows[0][0] == "2026-11-25"
    page.period.setFocus()
    QTest.keyClick(page.period, Qt.Key.Key_Down)
    assert [row[0] for row in page.table.contents.rows] == ["2026-11", "2026-10", "Earlier"]
    QTest.keyClick(page.period, Qt.Key.Key_Down)
    assert [row[0] for row in page.table.contents.rows] == ["Sums up to 99", "Words of the world, told again"]
    with qtbot.waitSignal(page.back_requested):
        QTest.keyClick(page, Qt.Key.Key_Escape)


def test_the_bars_are_read_out_with_the_arrow_keys(page: ContributionsPage) -> None:
    assert "25 Nov: " in page.bars.accessibleDescription()
    page.bars.setFocus()
    QTest.keyClick(page.bars, Qt.Key.Key_Left)
    QTest.keyClick(page.bars, Qt.Key.Key_Left)
    assert page.bars.pointed_at is not None
    assert page.bars.accessibleDescription() == page.bars.pointed_at.words
    assert page.bars.pointed_at.words.startswith("24 Nov: ")
    page.measure.setFocus()
    QTest.keyClick(page.measure, Qt.Key.Key_Down)
    assert page.bars.accessibleName() == "samples"


def test_a_day_off_is_a_gap_and_not_left_out(page: ContributionsPage) -> None:
    words = page.bars.accessibleDescription()
    assert "7 Nov: 0 h" in words and "2026" not in words


def test_what_is_estimated_and_what_is_older_is_said(page: ContributionsPage) -> None:
    said = page._notes.text()
    assert "are estimated" in said and "at 65 W" in said and "Earlier: " in said


def test_nothing_given_is_a_sentence_and_no_empty_table(qtbot: QtBot) -> None:
    page = ContributionsPage()
    qtbot.addWidget(page)
    page.show()
    assert "has not given anything yet" in page._empty.text()
    assert not page.table.isVisible() and not page.csv.isVisible() and page.price.isVisible()


def test_the_table_is_saved_as_it_is_shown_or_it_is_said_why_not(page: ContributionsPage, tmp_path: Path) -> None:
    page.save_csv(tmp_path / "given.csv")
    rows = list(csv.DictReader((tmp_path / "given.csv").read_text().splitlines()))
    assert [row["day"] for row in rows] == [row.key for row in page.report.rows]
    assert "Saved as" in page.state.text()
    page.save_csv(tmp_path / "nowhere" / "given.csv")
    assert "nowhere" in page.state.text()


def test_a_picture_names_nobody_unless_that_is_ticked(page: ContributionsPage, tmp_path: Path) -> None:
    QTest.mouseClick(page.picture, Qt.MouseButton.LeftButton)
    dialog = page.picture_dialog
    assert dialog is not None
    unnamed = dialog.image
    strangers = PictureContents(ContributionReport.of(_renamed(GIVEN), "month"), 2, TARIFF)
    assert paint_contributions(strangers, dialog.font()) == unnamed
    dialog.named.setChecked(True)
    assert dialog.image != unnamed
    dialog.named.setChecked(False)
    dialog.with_runs.setChecked(True)
    assert dialog.image != unnamed
    dialog.with_runs.setChecked(False)
    assert dialog.image == unnamed
    dialog.save(tmp_path / "given.png")
    saved = (tmp_path / "given.png").read_bytes()
    assert saved[:8] == b"\x89PNG\r\n\x1a\n" and "Saved as" in dialog.state.text()
    assert not any(chunk in saved for chunk in (b"tEXt", b"iTXt", b"zTXt", b"eXIf", b"tIME"))
    dialog.reject()


def _renamed(given: dict[RunDay, ContributionDelta]) -> dict[RunDay, ContributionDelta]:
    """The same, of runs with other names."""
    return {
        (f"other-{run_id}", day): ContributionDelta("Other", *list(vars(each).values())[1:])
        for (run_id, day), each in given.items()
    }


def test_receipts_are_told_and_saved_for_an_organiser(page: ContributionsPage, tmp_path: Path) -> None:
    page.receipts.show_receipts(())
    assert not page.receipts.isVisible()
    keeper = msgspec.structs.replace(MINE_KEPT, signer=STRANGER.peer_id, samples=400)
    page.receipts.show_receipts((MINE_KEPT, keeper))
    assert page.receipts.text == "Organisers have signed for 500 samples of yours in 1 run."
    assert page.receipts.save_button.isVisible()
    page.receipts.save(tmp_path / "mine.json")
    assert read_receipts(tmp_path / "mine.json") == (MINE_KEPT, keeper)
    page.receipts.save(tmp_path / "nowhere" / "mine.json")
    assert "nowhere" in page.receipts.state.text()


@pytest.mark.parametrize("period", ["day", "month", "run"])
def test_what_was_given_by_damaged_hands_is_drawn_all_the_same(period: str, qtbot: QtBot) -> None:
    page = ContributionsPage()
    qtbot.addWidget(page)
    page.show_contributions(
        {
            ("run", "9999-99-99"): ContributionDelta("A" * 500, 2**53, 2**53, 1e18, 1e18, 1e18, 1, 2**53, 2**53),
            ("run", "0000-00-00"): ContributionDelta("\u202e", 0, 0, 0.0, None, 0.0, 0, 0, 0),
        },
        TARIFF,
    )
    page.period.chosen.emit(period)
    page.show()
    page.grab()
    image = paint_contributions(PictureContents(ContributionReport.of(GIVEN, "month"), 2, TARIFF, "A" * 500), QFont())
    assert as_png(image)


def test_the_price_of_electricity_is_typed_as_people_write_it(qtbot: QtBot) -> None:
    QLocale.setDefault(QLocale("de_DE"))
    card = ElectricitySettings()
    qtbot.addWidget(card)
    card.show()
    changes: list[dict[str, object]] = []
    card.change_requested.connect(changes.append)
    card.show_settings(Settings(price_per_kwh=0.31))
    assert card.price.text() == "0,31"
    for typed in ("0,42", "-1", "much", "inf"):
        card.price.setText(typed)
        card.price.editingFinished.emit()
    card.price.setText("")
    card.price.editingFinished.emit()
    card.currency.setText("C H\u202eF")
    card.currency.editingFinished.emit()
    QApplication.processEvents()
    assert changes == [{"price_per_kwh": 0.42}, {"price_per_kwh": None}, {"currency": "CHF"}]
