"""A table that leaves columns out where the terminal is too narrow for all of them, instead of cutting each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_BETWEEN = 2  # columns of a terminal


@dataclass(frozen=True)
class FittingTable:
    """Rows of cells below headings, as wide as the terminal at most.

    Of the columns in ``flexible`` each may be as narrow as ``least`` columns of a terminal. Where that does not
    suffice, those in ``expendable`` are left out, the first ones first.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Text]]
    expendable: Sequence[str]
    flexible: Sequence[str]
    least: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = list(range(len(self.headings)))
        for heading in self.expendable:
            if sum(self._least_width(each) + _BETWEEN for each in shown) <= options.max_width:
                break
            shown.remove(self.headings.index(heading))
        table = Table(box=None, padding=(0, _BETWEEN, 0, 0), header_style="dim")
        for each in shown:
            heading = self.headings[each]
            table.add_column(heading, no_wrap=heading not in self.flexible, overflow="ellipsis")
        for row in self.rows:
            table.add_row(*(row[each] for each in shown))
        yield table

    def _least_width(self, number: int) -> int:
        heading = self.headings[number]
        width = max(cell_len(each) for each in (heading, *(row[number].plain for row in self.rows)))
        return min(width, self.least) if heading in self.flexible else width
