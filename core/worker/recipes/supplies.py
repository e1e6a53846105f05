"""What a recipe is given that has to fetch something."""

from __future__ import annotations

from dataclasses import dataclass

from core.worker.store import Store
from core.worker.watch import Watch


@dataclass(frozen=True)
class Supplies:
    """Where fetched files lie, and who is told how it goes."""

    store: Store
    watch: Watch
