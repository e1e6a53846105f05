"""The table of the proof, for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from installer.docs.markdown import table

HEADINGS = ("what", "measured", "must reach", "reached")
NO_FIGURE = "–"
_WIDTH_IN_A_FILE = 150


class Untried(Exception):  # noqa: N818 - an answer for the table, not a mistake
    """Why a row cannot be tried on this computer, in words."""


@dataclass(frozen=True)
class Figure:
    """What a row has measured, in words, and what it must reach; ``is_reached`` is ``None`` where nothing must be."""

    measured: str
    must_reach: str = NO_FIGURE
    is_reached: bool | None = None


@dataclass(frozen=True)
class Line:
    """One row of the table; ``reached`` is ``yes``, ``no``, a dash, or why there is no figure."""

    what: str
    measured: str
    must_reach: str
    reached: str

    @classmethod
    def of(cls, what: str, figure: Figure) -> Line:
        """Of a figure that was measured."""
        reached = {True: "yes", False: "no", None: NO_FIGURE}[figure.is_reached]
        return cls(what, figure.measured, figure.must_reach, reached)

    @classmethod
    def without(cls, what: str, why: str) -> Line:
        """Of a row that has no figure: ``failed: …`` or ``untried: …``."""
        return cls(what, NO_FIGURE, NO_FIGURE, why)

    @property
    def is_good(self) -> bool:
        """Whether nothing speaks against it; what was not tried does not."""
        return self.reached in ("yes", NO_FIGURE) or self.reached.startswith("untried")

    @property
    def cells(self) -> tuple[str, ...]:
        """As printed."""
        return self.what, self.measured, self.must_reach, self.reached


def as_markdown(machine: str, lines: Sequence[Line]) -> str:
    """The table below the machine that it was measured on."""
    return f"{machine}\n\n{table(HEADINGS, (line.cells for line in lines))}\n"


def show(machine: str, lines: Sequence[Line]) -> None:
    """Print it, as wide as the terminal."""
    drawn = Table(*HEADINGS, show_lines=True)
    for line in lines:
        drawn.add_row(*line.cells, style="" if line.is_good else "red")
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH_IN_A_FILE
    console.print(f"\n{machine}\n", markup=False, highlight=False)
    console.print(drawn)
