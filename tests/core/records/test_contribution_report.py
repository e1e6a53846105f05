"""The report by day, month or run: shares, energy that is measured or estimated and said so, money, CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from core.files.folders import Folders
from core.records.contribution_report import ContributionReport, Tariff, as_csv
from core.records.contribution_totals import ContributionDelta, RunDay
from core.records.settings import Settings, save_settings
from core.records.store import HistoryStore
from core.texts.contributions.table import cells, headings, notes
from tests.support.cli_process import LINK, workerbee

HOUR = 3600.0
KWH = 3.6e6
SUMS, WORDS = "sums@12D3KooWA", "words@12D3KooWB"
GIVEN: dict[RunDay, ContributionDelta] = {
    (SUMS, ""): ContributionDelta("Sums", 1000, 3, HOUR, 0.5 * KWH),
    (SUMS, "2026-10-31"): ContributionDelta("Sums", 100, 1, HOUR, 0.2 * KWH, 0.0, 1000, 10_000, 5_000),
    (SUMS, "2026-11-25"): ContributionDelta("Sums", 200, 1, HOUR, 0.3 * KWH, 0.0, 1000, 20_000, 5_000),
    (WORDS, "2026-11-25"): ContributionDelta("=HYPERLINK(1)", 50, 2, 2 * HOUR, None, 2 * HOUR, 500, 1_000, 2_000),
}
TARIFF = Tariff(0.40, "EUR", 100.0)


def test_a_run_has_its_share_of_what_all_peers_gave_meanwhile() -> None:
    report = ContributionReport.of(GIVEN, "run")
    assert [(row.key, row.given.samples, round(row.share or 0, 6)) for row in report.rows] == [
        (SUMS, 1300, 0.15),  # how many others gave earlier is not known
        (WORDS, 50, 0.1),
    ]


def test_days_and_months_are_told_newest_first_and_what_is_older_last() -> None:
    assert [row.key for row in ContributionReport.of(GIVEN, "day").rows] == ["2026-11-25", "2026-10-31", ""]
    months = ContributionReport.of(GIVEN, "month")
    assert [(row.key, row.given.samples) for row in months.rows] == [("2026-11", 250), ("2026-10", 100), ("", 1000)]
    assert months.total.given.samples == 1350


def test_energy_that_nothing_measured_is_estimated_and_said_to_be() -> None:
    words = next(row for row in ContributionReport.of(GIVEN, "run").rows if row.key == WORDS)
    assert words.measured_joules == 0.0 and words.estimated_joules(TARIFF) == pytest.approx(0.2 * KWH)
    assert words.cost(TARIFF) == pytest.approx(0.08)
    assert "~200 Wh" in cells(words, TARIFF) and "~0.08 EUR" in cells(words, TARIFF)
    total = ContributionReport.of(GIVEN, "run").total
    assert any(
        "200 Wh of it (~) are estimated: 2 h 0 min at 100 W" in each for each in notes(total, TARIFF, has_earlier=False)
    )


def test_without_a_price_nothing_is_said_of_money() -> None:
    row = ContributionReport.of(GIVEN, "run").rows[0]
    assert row.cost(Tariff()) is None
    assert len(cells(row, Tariff())) == len(headings("run", Tariff())) == len(headings("run", TARIFF)) - 1


def test_csv_has_a_line_for_each_run_and_no_formula_of_a_strangers() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(ContributionReport.of(GIVEN, "run"), TARIFF))))
    assert [(row["run"], row["run_name"]) for row in rows] == [(SUMS, "Sums"), (WORDS, "'=HYPERLINK(1)")]
    assert (rows[1]["estimated_kwh"], rows[1]["cost"], rows[1]["currency"]) == ("0.2", "0.08", "EUR")
    assert (rows[0]["sent_bytes"], rows[0]["received_bytes"]) == ("30000", "10000")


def test_the_command_line_prints_the_same_and_writes_no_file_twice(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path / "home")
    store, _ = HistoryStore.open(folders.contents.history_file)
    for (run_id, day), given in GIVEN.items():
        store.contributions.add(run_id, given, day)
    store.close()
    folders.settings_file.parent.mkdir(parents=True, exist_ok=True)
    save_settings(folders.settings_file, Settings(price_per_kwh=0.40, assumed_watts=100.0))
    shown = workerbee(tmp_path, "contributions", "--by", "run")
    assert shown.code == 0 and "~0.48 EUR" in shown.out and "In all" in shown.out, shown
    done = workerbee(tmp_path, "contributions", "--by", "month", "--csv", "given.csv", "--json")
    [said] = [json.loads(line) for line in done.out.splitlines()]
    assert said["total"]["samples"] == 1350 and said["total"]["cost"] == pytest.approx(0.48)
    assert [row["month"] for row in said["rows"]] == ["2026-11", "2026-10", ""]
    assert (tmp_path / "given.csv").read_text().startswith("month,samples,share")
    again = workerbee(tmp_path, "contributions", "--csv", "given.csv")
    assert again.code == 2 and "is there already" in again.err


def test_what_join_gives_on_the_command_line_is_counted_in_the_same_history(tmp_path: Path) -> None:
    assert workerbee(tmp_path, "join", LINK, "--yes", "--samples", "50", "--device", "cpu").code == 0
    done = workerbee(tmp_path, "contributions", "--by", "run", "--json")
    [row] = json.loads(done.out)["rows"]
    assert row["samples"] >= 50 and row["name"] == "Sums" and row["run"].startswith("sums@12D3KooW")


def test_without_any_history_the_command_says_so_and_makes_no_file(tmp_path: Path) -> None:
    done = workerbee(tmp_path, "contributions")
    assert done.code == 0 and "has not contributed to any run yet" in done.out
    assert not list(tmp_path.rglob("history.sqlite"))
