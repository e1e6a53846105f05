"""What has been given to each run, some of it saved and some of it on its way to the file."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class ContributionDelta:
    """To one run, in all or since it was last saved; ``joules`` is ``None`` where nobody knows."""

    name: str = ""
    samples: int = 0
    epochs: int = 0
    seconds: float = 0.0
    joules: float | None = None

    def plus(self, more: ContributionDelta) -> ContributionDelta:
        """Both together, under the newer name."""
        known = [joules for joules in (self.joules, more.joules) if joules is not None]
        return ContributionDelta(
            more.name or self.name,
            self.samples + more.samples,
            self.epochs + more.epochs,
            self.seconds + more.seconds,
            sum(known) if known else None,
        )


class PendingContributions:
    """Added by one thread, saved by another; at every moment each thing is in exactly one of three places.

    ``saved`` is what the file holds; ``None`` until it has been read.
    """

    def __init__(self) -> None:
        self.saved: dict[str, ContributionDelta] | None = None
        self._lock = threading.Lock()
        self._being_saved: dict[str, ContributionDelta] = {}
        self._unsaved: dict[str, ContributionDelta] = {}

    def add(self, run_id: str, more: ContributionDelta) -> None:
        """That run was given more."""
        with self._lock:
            self._unsaved = _sum(self._unsaved, {run_id: more})

    def all(self) -> dict[str, ContributionDelta]:
        """What each run has been given, as far as is known."""
        with self._lock:
            return _sum(_sum(self.saved or {}, self._being_saved), self._unsaved)

    def take(self) -> dict[str, ContributionDelta]:
        """What is to be added to the file now; ``settle`` must follow."""
        with self._lock:
            self._being_saved, self._unsaved = self._unsaved, {}
            return self._being_saved

    def settle(self, is_saved: bool) -> None:
        """What was taken is in the file, or else must be taken again."""
        with self._lock:
            if is_saved:
                self.saved = _sum(self.saved or {}, self._being_saved)
            else:
                self._unsaved = _sum(self._being_saved, self._unsaved)
            self._being_saved = {}


def _sum(some: dict[str, ContributionDelta], more: dict[str, ContributionDelta]) -> dict[str, ContributionDelta]:
    return some | {run_id: some.get(run_id, ContributionDelta()).plus(given) for run_id, given in more.items()}
