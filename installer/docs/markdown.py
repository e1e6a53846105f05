"""Tables of Markdown, and docstrings as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in GitHub's form; a vertical bar in a cell is escaped. Raises ValueError for a row of another length."""
    lines = [headings, ["---"] * len(headings), *rows]
    if {len(line) for line in lines} != {len(headings)}:
        raise ValueError(f"not every row has a cell for each of {', '.join(headings)}")
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines)


def first_paragraph(docstring: str | None) -> str:
    """The docstring up to its first empty line, on one line, with Markdown's code marks."""
    paragraph = inspect.cleandoc(docstring or "").partition("\n\n")[0]
    return as_markdown(paragraph)


def as_markdown(docstring: str) -> str:
    """Text of a docstring on one line, its double backquotes made single ones."""
    return re.sub(r"\s+", " ", docstring).replace("``", "`").strip()
