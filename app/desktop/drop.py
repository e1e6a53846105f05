"""What a person drops on the window: a run file, or a text that may hold an address."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData

_RUN_FILE = ".toml"
_MOST_CHARACTERS = 64 * 1024


def dropped(data: QMimeData) -> Path | str | None:
    """The run file's path, or the text; ``None`` for anything else. Nothing is opened or read."""
    for url in data.urls():
        if url.isLocalFile():
            path = Path(url.toLocalFile())
            return path if path.suffix.lower() == _RUN_FILE else None
    text = data.text().strip() or "\n".join(url.toString() for url in data.urls())
    return text[:_MOST_CHARACTERS] or None
