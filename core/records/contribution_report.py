"""What was contributed, by day, month or run, with its share of each run, its energy and what that has cost."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.energy import JOULES_PER_KWH, cost
from core.records.contribution_totals import BEFORE_DAYS, ContributionDelta, RunDay, total_of
from core.records.settings import Settings
from core.security.sanitize import sanitize_line

Period = Literal["day", "month", "run"]
PERIODS: tuple[Period, ...] = get_args(Period)
ASSUMED_WATTS = 65.0
"""The power of a device that does not tell its own, unless the owner knows better: a desktop processor's TDP."""

_MONTH = len("2026-11")
_FORMULA = (
    "=",
    "+",
    "-",
    "@",
)  # what a spreadsheet would compute: <https://owasp.org/www-community/attacks/CSV_Injection>


@dataclass(frozen=True)
class Tariff:
    """What a kWh costs, if the owner has said so, and the power that stands in for a missing measurement."""

    price_per_kwh: float | None = None
    currency: str = ""
    assumed_watts: float = ASSUMED_WATTS

    @classmethod
    def of(cls, settings: Settings) -> Tariff:
        """The tariff that the settings name."""
        return cls(settings.price_per_kwh, settings.currency, settings.assumed_watts or ASSUMED_WATTS)


@dataclass(frozen=True)
class ReportRow:
    """A day, a month or a run: its ``key`` is a date, a month or a ``run_key``, or ``BEFORE_DAYS``.

    ``dated_samples`` are those of days, of which alone the run's own count is known.
    """

    key: str
    name: str
    given: ContributionDelta
    dated_samples: int

    @property
    def share(self) -> float | None:
        """Our part of what all peers gave to the epochs that ended meanwhile, 0 to 1; ``None`` before any has."""
        run_samples = self.given.run_samples
        return min(1.0, self.dated_samples / run_samples) if run_samples else None

    @property
    def measured_joules(self) -> float:
        """What the GPU drew as its driver measured it."""
        return self.given.joules or 0.0

    def estimated_joules(self, tariff: Tariff) -> float:
        """What the device is assumed to have drawn while nothing measured it."""
        return self.given.unmeasured_seconds * tariff.assumed_watts

    def joules(self, tariff: Tariff) -> float:
        """The energy, measured and estimated."""
        return self.measured_joules + self.estimated_joules(tariff)

    def cost(self, tariff: Tariff) -> float | None:
        """What the energy has cost in the tariff's currency; ``None`` without a price."""
        if tariff.price_per_kwh is None:
            return None
        return cost(self.joules(tariff), tariff.price_per_kwh)


@dataclass(frozen=True)
class ContributionReport:
    """Rows by one period, the newest or the longest first, and their sum."""

    period: Period
    rows: tuple[ReportRow, ...]
    total: ReportRow

    @classmethod
    def of(cls, contributions: Mapping[RunDay, ContributionDelta], period: Period) -> ContributionReport:
        """The report of contributions by run and day."""
        groups: dict[str, dict[RunDay, ContributionDelta]] = {}
        for (run_id, day), given in contributions.items():
            key = {"day": day, "month": day[:_MONTH], "run": run_id}[period]
            groups.setdefault(key, {})[run_id, day] = given
        rows = [_row(key, group, has_name=period == "run") for key, group in groups.items()]
        if period == "run":
            rows.sort(key=lambda row: (-row.given.seconds, row.key))
        else:
            rows.sort(key=lambda row: row.key, reverse=True)
        return cls(period, tuple(rows), _row("", contributions, has_name=False))


def as_csv(report: ContributionReport, tariff: Tariff) -> str:
    """The rows as CSV (RFC 4180) with a line of names; what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        (report.period, *(("run_name",) if report.period == "run" else ()), *fields_of(report.total, tariff))
    )
    for row in report.rows:
        named = (_harmless(row.name),) if report.period == "run" else ()
        values = fields_of(row, tariff).values()
        writer.writerow((_harmless(row.key), *named, *("" if value is None else value for value in values)))
    return text.getvalue()


def fields_of(row: ReportRow, tariff: Tariff) -> dict[str, float | str | None]:
    """The figures of a row by name, for programs: in hours, kWh and bytes."""
    cost, share = row.cost(tariff), row.share
    return {
        "samples": row.given.samples,
        "share": None if share is None else round(share, 6),
        "epochs": row.given.epochs,
        "hours": round(row.given.seconds / 3600, 4),
        "measured_kwh": round(row.measured_joules / JOULES_PER_KWH, 6),
        "estimated_kwh": round(row.estimated_joules(tariff) / JOULES_PER_KWH, 6),
        "cost": None if cost is None else round(cost, 4),
        "currency": tariff.currency if cost is not None else None,
        "sent_bytes": row.given.sent_bytes,
        "received_bytes": row.given.received_bytes,
    }


def _row(key: str, group: Mapping[RunDay, ContributionDelta], *, has_name: bool) -> ReportRow:
    dated = sum(given.samples for (_, day), given in group.items() if day != BEFORE_DAYS)
    name = next((given.name for given in group.values() if given.name), "") if has_name else ""
    return ReportRow(key, sanitize_line(name), total_of(group.values()), dated)


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def days_of(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """The rows of a report by day that have a date, the oldest first."""
    return [row for row in reversed(rows) if row.key != BEFORE_DAYS]
