"""Contributions to each run as totals, some of them saved and some on their way to the file."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class ContributionDelta:
    """What was contributed to one run, in all or since it was last saved; ``joules`` is ``None`` where not known."""

    name: str = ""
    samples: int = 0
    epochs: int = 0
    seconds: float = 0.0
    joules: float | None = None

    def plus(self, more: ContributionDelta) -> ContributionDelta:
        """The sum of both, under the newer name."""
        known = [joules for joules in (self.joules, more.joules) if joules is not None]
        return ContributionDelta(
            more.name or self.name,
            self.samples + more.samples,
            self.epochs + more.epochs,
            self.seconds + more.seconds,
            sum(known) if known else None,
        )


class PendingContributions:
    """Contributions added by one thread and saved by another; each is in exactly one of three places at any moment.

    ``saved`` is what the file holds; ``None`` until it has been read.
    """

    def __init__(self) -> None:
        self.saved: dict[str, ContributionDelta] | None = None
        self._lock = threading.Lock()
        self._being_saved: dict[str, ContributionDelta] = {}
        self._unsaved: dict[str, ContributionDelta] = {}

    def add(self, run_id: str, more: ContributionDelta) -> None:
        """Add a contribution to that run."""
        with self._lock:
            self._unsaved = _sum(self._unsaved, {run_id: more})

    def all(self) -> dict[str, ContributionDelta]:
        """The total of each run, saved or not, as far as it is known."""
        with self._lock:
            return _sum(_sum(self.saved or {}, self._being_saved), self._unsaved)

    def take(self) -> dict[str, ContributionDelta]:
        """The contributions to add to the file now; ``settle`` must follow."""
        with self._lock:
            self._being_saved, self._unsaved = self._unsaved, {}
            return self._being_saved

    def settle(self, is_saved: bool) -> None:
        """End a ``take``: what was taken is in the file, or else must be taken again."""
        with self._lock:
            if is_saved:
                self.saved = _sum(self.saved or {}, self._being_saved)
            else:
                self._unsaved = _sum(self._being_saved, self._unsaved)
            self._being_saved = {}


def _sum(some: dict[str, ContributionDelta], more: dict[str, ContributionDelta]) -> dict[str, ContributionDelta]:
    return some | {run_id: some.get(run_id, ContributionDelta()).plus(given) for run_id, given in more.items()}
