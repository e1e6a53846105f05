"""The file of a report: its usual name, and how it is written."""

from __future__ import annotations

from pathlib import Path

from core.files.atomic import storage_problem, write_atomically

FILE_NAME = "workerbee-report.txt"


def save_report(report: str, path: Path) -> None:
    """Write the report there, for its owner only; raises UserError."""
    try:
        write_atomically(path, report.encode())
    except OSError as error:
        raise storage_problem(error, path) from error
