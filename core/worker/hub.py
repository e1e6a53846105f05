"""Files of a hub's repositories at a fixed revision: only such as hold data, and never code."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from core.worker.store import Store
from core.worker.watch import Watch


def fetch(
    repository: str, revision: str, kind: Literal["model", "dataset"], store: Store, watch: Watch
) -> Path:
    """The folder with the repository's files; without a line only if all of them are here already."""
    raise NotImplementedError
