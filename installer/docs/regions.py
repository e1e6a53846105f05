"""Generated regions of a document: what lies between two comments, and how it is replaced."""

from __future__ import annotations

from pathlib import Path


def replace_region(path: Path, name: str, content: str) -> None:
    """Write the content into that region of the file; raises ValueError where the file has no such region."""
    path.write_text(with_region(path.read_text("utf-8"), name, content), "utf-8")


def with_region(text: str, name: str, content: str) -> str:
    """The text with that region's content replaced; raises ValueError where the text has no such region."""
    begin, end = f"<!-- generated: {name} -->\n", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, closing, after = rest.partition(end)
    if not (found and closing):
        raise ValueError(f"the text has no region {name}")
    return f"{before}{begin}{content.strip()}\n{end}{after}"
