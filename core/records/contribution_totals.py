"""Contributions to each run, day by day and as totals, some of them saved and some on their way to the file."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

BEFORE_DAYS = ""  # the "day" of what was contributed before days were kept apart

RunDay = tuple[str, str]
"""A run by its ``run_key``, and a date in the owner's own time, as in ISO 8601; or ``BEFORE_DAYS``."""


@dataclass(frozen=True)
class ContributionDelta:
    """What was contributed to one run, in all, on one day, or since it was last saved.

    ``joules`` is what the GPU drew as the driver measured it, ``None`` where it never did; of ``seconds``, the
    ``unmeasured_seconds`` had no such figure. ``run_samples`` is what all peers together gave to the epochs that
    ended meanwhile. Bytes are counted by the worker, from its start to its end.
    """

    name: str = ""
    samples: int = 0
    epochs: int = 0
    seconds: float = 0.0
    joules: float | None = None
    unmeasured_seconds: float = 0.0
    run_samples: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0

    def plus(self, more: ContributionDelta) -> ContributionDelta:
        """The sum of both, under the newer name."""
        known = [joules for joules in (self.joules, more.joules) if joules is not None]
        return ContributionDelta(
            more.name or self.name,
            self.samples + more.samples,
            self.epochs + more.epochs,
            self.seconds + more.seconds,
            sum(known) if known else None,
            self.unmeasured_seconds + more.unmeasured_seconds,
            self.run_samples + more.run_samples,
            self.sent_bytes + more.sent_bytes,
            self.received_bytes + more.received_bytes,
        )


def total_of(contributions: Iterable[ContributionDelta]) -> ContributionDelta:
    """The sum of contributions, without a name."""
    total = ContributionDelta()
    for given in contributions:
        total = total.plus(given)
    return replace(total, name="")


def before_days(total: ContributionDelta, days: ContributionDelta) -> ContributionDelta:
    """What of a run's total belongs to none of its days, because it is older than these; of ``days``, the sum.

    Nothing else was measured then: where no energy is known, all of the time is without it.
    """
    joules = None if total.joules is None else max(0.0, total.joules - (days.joules or 0.0))
    seconds = max(0.0, total.seconds - days.seconds)
    return ContributionDelta(
        total.name,
        max(0, total.samples - days.samples),
        max(0, total.epochs - days.epochs),
        seconds,
        joules or None,
        0.0 if joules else seconds,
    )


class PendingContributions:
    """Contributions added by one thread and saved by another; each is in exactly one of three places at any moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._saved: dict[RunDay, ContributionDelta] | None = None
        self._being_saved: dict[RunDay, ContributionDelta] = {}
        self._unsaved: dict[RunDay, ContributionDelta] = {}
        self._totals: dict[str, ContributionDelta] = {}

    @property
    def saved(self) -> dict[RunDay, ContributionDelta] | None:
        """What the file holds; ``None`` until it has been read."""
        return self._saved

    def load(self, saved: Mapping[RunDay, ContributionDelta]) -> None:
        """Take over what the file holds."""
        with self._lock:
            self._saved = dict(saved)
            self._totals = _by_run(self._by_day())

    def add(self, run_id: str, more: ContributionDelta, day: str = BEFORE_DAYS) -> None:
        """Add a contribution to that run on that day."""
        with self._lock:
            self._unsaved = _sum(self._unsaved, {(run_id, day): more})
            self._totals[run_id] = self._totals.get(run_id, ContributionDelta()).plus(more)

    def all(self) -> dict[str, ContributionDelta]:
        """The total of each run, saved or not, as far as it is known."""
        with self._lock:
            return dict(self._totals)

    def by_day(self) -> dict[RunDay, ContributionDelta]:
        """The contributions of each run and day, saved or not, as far as they are known."""
        with self._lock:
            return self._by_day()

    def take(self) -> dict[RunDay, ContributionDelta]:
        """The contributions to add to the file now; ``settle`` must follow."""
        with self._lock:
            self._being_saved, self._unsaved = self._unsaved, {}
            return self._being_saved

    def settle(self, is_saved: bool) -> None:
        """End a ``take``: what was taken is in the file, or else must be taken again."""
        with self._lock:
            if is_saved:
                self._saved = _sum(self._saved or {}, self._being_saved)
            else:
                self._unsaved = _sum(self._being_saved, self._unsaved)
            self._being_saved = {}

    def _by_day(self) -> dict[RunDay, ContributionDelta]:
        return _sum(_sum(self._saved or {}, self._being_saved), self._unsaved)


def _sum(
    some: Mapping[RunDay, ContributionDelta], more: Mapping[RunDay, ContributionDelta]
) -> dict[RunDay, ContributionDelta]:
    return {**some, **{key: some.get(key, ContributionDelta()).plus(given) for key, given in more.items()}}


def _by_run(days: Mapping[RunDay, ContributionDelta]) -> dict[str, ContributionDelta]:
    totals: dict[str, ContributionDelta] = {}
    for (run_id, _), given in sorted(days.items(), key=lambda each: each[0]):
        totals[run_id] = totals.get(run_id, ContributionDelta()).plus(given)
    return totals
