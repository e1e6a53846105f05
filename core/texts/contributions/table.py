"""What was contributed in words: the table by day, month or run, and what its figures rest on."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.records.contribution_report import Period, ReportRow, Tariff
from core.records.contribution_totals import BEFORE_DAYS
from core.texts import figures
from core.texts.localization import translate

UNKNOWN = "–"


def headings(period: Period, tariff: Tariff) -> tuple[str, ...]:
    """Return the headings of the table's columns; that of the cost only where there is a price."""
    first = {
        "day": translate("ContributionTable", "Day"),
        "month": translate("ContributionTable", "Month"),
        "run": translate("ContributionTable", "Run"),
    }[period]
    cost = (translate("ContributionTable", "Cost"),) if tariff.price_per_kwh is not None else ()
    return (
        first,
        translate("ContributionTable", "Samples"),
        translate("ContributionTable", "Share"),
        translate("ContributionTable", "Time"),
        translate("ContributionTable", "Energy"),
        *cost,
        translate("ContributionTable", "Sent"),
        translate("ContributionTable", "Received"),
    )


def cells(row: ReportRow, tariff: Tariff) -> tuple[str, ...]:
    """Return a row of the table; an energy that is estimated in part has the sign ``~``."""
    cost = row.cost(tariff)
    about = "~" if row.estimated_joules(tariff) else ""
    return (
        row.name or row.key or translate("ContributionTable", "Earlier"),
        figures.count(row.given.samples),
        UNKNOWN if row.share is None else figures.share(row.share),
        figures.time(row.given.seconds),
        about + figures.energy(row.joules(tariff)),
        *(() if cost is None else (about + figures.money(cost, tariff.currency),)),
        figures.size(row.given.sent_bytes),
        figures.size(row.given.received_bytes),
    )


def notes(total: ReportRow, tariff: Tariff, *, has_earlier: bool) -> tuple[str, ...]:
    """Return the sentences that say what the figures rest on."""
    estimated = total.estimated_joules(tariff)
    sentences = [
        translate("ContributionTable", "The energy is the device's alone: the rest of the computer is not in it."),
    ]
    if estimated:
        words = translate("ContributionTable", "%1 of it (~) are estimated: %2 at %3 W, since nothing measured it.")
        watts = figures.number(tariff.assumed_watts)
        time = figures.time(total.given.unmeasured_seconds)
        sentences.append(fill_placeholders(words, figures.energy(estimated), time, watts))
    if has_earlier:
        sentences.append(
            translate(
                "ContributionTable", "Earlier: from before days, bytes and shares were recorded; only sums remain."
            )
        )
    return tuple(sentences)


def has_earlier(keys: tuple[str, ...]) -> bool:
    """Return whether one of the rows is older than the days."""
    return BEFORE_DAYS in keys
