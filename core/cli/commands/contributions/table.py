"""`contributions`: what this computer has given to all runs, and what it cost."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from core.cli.options.shared_options import require_new_file
from core.cli.output.json_lines import print_object
from core.cli.parser.contribution_arguments import ListContributions
from core.cli.runner.context import kept_settings
from core.cli.runner.displays import console_for
from core.files.atomic import save_file
from core.files.folders import Folders
from core.records.contribution_report import ContributionReport, Tariff, as_csv, fields_of
from core.records.contribution_tables import contributions_in_file
from core.texts.contributions.table import cells, has_earlier, headings, notes


def list_contributions(command: ListContributions, folders: Folders) -> int:
    """Print the table and its sum, or write it to a file; a file that is there already is an error."""
    report = ContributionReport.of(contributions_in_file(folders.contents.history_file), command.period)
    tariff = Tariff.of(kept_settings(folders))
    if command.csv is not None:
        _save(report, tariff, command)
    if command.json:
        rows = [{report.period: row.key, "name": row.name, **fields_of(row, tariff)} for row in report.rows]
        print_object("contributions", by=report.period, rows=rows, total=fields_of(report.total, tariff))
    elif command.csv is None:
        _print(console_for(command.json), report, tariff)
    return 0


def _save(report: ContributionReport, tariff: Tariff, command: ListContributions) -> None:
    assert command.csv is not None
    require_new_file(command.csv, "--csv")
    save_file(command.csv, as_csv(report, tariff).encode())
    if not command.json:
        print(f"Saved as {command.csv.absolute()}.")


def _print(console: Console, report: ContributionReport, tariff: Tariff) -> None:
    if not report.rows:
        console.print("This computer has not contributed to any run yet.")
        return
    first, *rest = headings(report.period, tariff)
    table = Table(first, box=None, padding=(0, 2, 0, 0))
    for heading in rest:
        table.add_column(heading, justify="right")
    for row in report.rows:
        table.add_row(*cells(row, tariff))
    _, *sums = cells(report.total, tariff)
    table.add_row("In all", *sums, style="bold")
    console.print(table)
    for sentence in notes(report.total, tariff, has_earlier=has_earlier(tuple(row.key for row in report.rows))):
        console.print(sentence)
