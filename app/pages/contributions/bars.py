"""The bars of the contributions: one measure, by day, month or run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from app.charts.axis import day_label
from app.charts.bar_chart import Bar
from core.placeholders import fill_placeholders
from core.records.contribution_report import ContributionReport, ReportRow, Tariff, days_of
from core.texts import figures

translate = QCoreApplication.translate  # lupdate knows it by this name only

Measure = Literal["training", "samples", "energy", "traffic"]
_MOST_DAYS, _MOST_MONTHS, _MOST_RUNS = 31, 12, 8
_HOUR = _WATT_HOUR = 3600.0
_DAY, _MONTH = "yyyy-MM-dd", "yyyy-MM"


class Measured(NamedTuple):
    """How a measure is read off a row, written in words, and marked beside the axis."""

    value: Callable[[ReportRow], float]
    words: Callable[[float], str]


def measures(tariff: Tariff) -> dict[Measure, Measured]:
    """What bars can show, by the name of the measure."""
    return {
        "training": Measured(lambda row: row.given.seconds / _HOUR, _hours),
        "samples": Measured(lambda row: float(row.given.samples), lambda value: figures.count(round(value))),
        "energy": Measured(
            lambda row: row.joules(tariff) / _WATT_HOUR, lambda value: figures.energy(value * _WATT_HOUR)
        ),
        "traffic": Measured(lambda row: float(row.given.sent_bytes + row.given.received_bytes), figures.size),
    }


def measure_names() -> list[tuple[str, Measure]]:
    """The words for each measure."""
    return [
        (translate("ContributionBars", "hours of training"), "training"),
        (translate("ContributionBars", "samples"), "samples"),
        (translate("ContributionBars", "energy"), "energy"),
        (translate("ContributionBars", "traffic"), "traffic"),
    ]


def bars_of(report: ContributionReport, measured: Measured) -> list[Bar]:
    """The newest days or months up to the last one, with nothing left out, or the largest runs."""
    if report.period == "run":
        rows = sorted(report.rows, key=measured.value, reverse=True)[:_MOST_RUNS]
        return [_bar(row.name or row.key, measured.value(row), measured) for row in rows]
    values = {row.key: measured.value(row) for row in days_of(report.rows)}
    if not values:
        return []
    is_day = report.period == "day"
    written, most = (_DAY, _MOST_DAYS) if is_day else (_MONTH, _MOST_MONTHS)
    last, first = QDate.fromString(max(values), written), QDate.fromString(min(values), written)
    dates = [last.addDays(-ago) if is_day else last.addMonths(-ago) for ago in range(most - 1, -1, -1)]
    shown = [date for date in dates if date >= first] if len(values) > 1 else dates[-1:]
    return [_bar(_label(date, is_day), values.get(date.toString(written), 0.0), measured) for date in shown]


def _hours(value: float) -> str:
    """As many digits as tell the marks of an axis apart that ends below an hour."""
    return fill_placeholders(translate("ContributionBars", "%1 h"), figures.amount(value))


def _label(date: QDate, is_day: bool) -> str:
    return day_label(date) if is_day else QLocale().toString(date, "MMM yyyy")


def _bar(label: str, value: float, measured: Measured) -> Bar:
    return Bar(label, f"{label}: {measured.words(value)}", value)
