"""A file of results, a line of JSON each: what was simulated once need not be done again after an interruption."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tests.experiments.same_samples.report import Result


def read_results(path: Path) -> list[Result]:
    """All that are in that file; none where there is no such file."""
    if not path.exists():
        return []
    return [msgspec.json.decode(line, type=Result) for line in path.read_bytes().splitlines()]


def add_result(path: Path, result: Result) -> None:
    """Append one."""
    with path.open("ab") as file:
        file.write(msgspec.json.encode(result) + b"\n")
