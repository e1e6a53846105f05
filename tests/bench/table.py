"""The table at the end of a bench, for a terminal or for the documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from installer.docs.markdown import table

HEADINGS = ("what", "Workerbee", "bare hivemind", "bare, overlapping", "must reach", "reached")

NO_FIGURE = "–"
WIDTH_IN_A_FILE = 130


@dataclass(frozen=True)
class Row:
    """One line; ``is_reached`` is ``None`` where it was not measured."""

    what: str
    ours: str
    bare_default: str
    bare_overlap: str
    must_reach: str
    is_reached: bool | None

    @property
    def cells(self) -> tuple[str, ...]:
        """As printed."""
        reached = {True: "yes", False: "no", None: "not measured"}[self.is_reached]
        return self.what, self.ours, self.bare_default, self.bare_overlap, self.must_reach, reached


def own_row(what: str, ours: str, must_reach: str, is_reached: bool | None) -> Row:
    """A row of something that bare hivemind does not have."""
    return Row(what, ours, NO_FIGURE, NO_FIGURE, must_reach, is_reached)


def figure_row(what: str, value: float | None, form: str, must_reach: str, is_good: Callable[[float], bool]) -> Row:
    """The same of one figure, in that ``form``, as ``{:.2f}``; it may not have been measured."""
    if value is None:
        return own_row(what, NO_FIGURE, must_reach, None)
    return own_row(what, form.format(value), must_reach, is_good(value))


def as_markdown(rows: Sequence[Row]) -> str:
    """A table to paste into resources/docs/benchmarks.md."""
    return table(HEADINGS, (row.cells for row in rows))


def show(rows: Sequence[Row]) -> None:
    """Print it, as wide as the terminal."""
    table = Table(show_lines=True)
    for heading in HEADINGS:
        table.add_column(heading)
    for row in rows:
        table.add_row(*row.cells, style="red" if row.is_reached is False else "")
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH_IN_A_FILE
    console.print(table)
