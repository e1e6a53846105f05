"""Look for the state of an epoch that others claim to have reached, while training goes on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from core.worker.swarm.trust.epoch_claims import Subkey

MAX_SEARCHES = 3  # in which nobody has such a state, until those who claim it are distrusted
FIRST_PAUSE_SECONDS = 1.0  # between two searches; doubled after every one that finds nothing
LONGEST_PAUSE_SECONDS = 60.0

log = logging.getLogger(__name__)


class Claimed(Protocol):
    """Where the others' claims are known."""

    @property
    def claims(self) -> Mapping[Subkey, int]:
        """The epochs ahead of ours that others claim, and that nobody has shown a state of."""

    def confirm(self, epoch: int) -> None:
        """Believe that the run has come so far."""


class StateSearch(Protocol):
    """A search that goes on with every call, and never waits."""

    def go_on(self, averager: Any, min_epoch: int) -> bool | None:
        """True once there is a state of that epoch or a later one, false where nobody has any; ``None`` meanwhile."""


class AheadSearch(StateSearch, Protocol):
    """The same, which tells what it has found, and why it may have found nothing."""

    @property
    def ready_epoch(self) -> int | None:
        """The epoch of the state that was found and not used yet."""

    @property
    def is_busy(self) -> bool:
        """Whether a donor of the last search serves others at the moment, so that it is worth while to wait."""


class ClaimSearch:
    """One search after another, for as long as anybody claims an epoch that nobody has shown.

    ``on_refuted`` is called with claims for which nobody had a state in ``MAX_SEARCHES``.
    """

    def __init__(
        self, tracker: Claimed, search: AheadSearch, on_refuted: Callable[[Mapping[Subkey, int]], None]
    ) -> None:
        self._tracker, self._search, self._on_refuted = tracker, search, on_refuted
        self._asked: dict[Subkey, int] | None = None
        self._failures, self._due_at = 0, 0.0

    def poll(self, averager: Any, epoch: int) -> bool:
        """Go on; whether a state beyond our ``epoch`` is ready to be loaded."""
        claims = dict(self._tracker.claims)
        if self._asked is None and (not claims or time.monotonic() < self._due_at):
            return False
        self._asked = claims if self._asked is None else self._asked
        found = self._search.go_on(averager, epoch + 1)
        if found is None:
            return False
        asked, self._asked = self._asked, None
        is_refuted = not found and not self._search.is_busy
        self._failures = 0 if found else self._failures + is_refuted
        pause = FIRST_PAUSE_SECONDS * 2**self._failures
        self._due_at = time.monotonic() + min(LONGEST_PAUSE_SECONDS, pause)
        if found and self._search.ready_epoch is not None:
            self._tracker.confirm(self._search.ready_epoch)
        elif is_refuted and self._failures % MAX_SEARCHES == 0:
            self._give_up(asked, claims)
        return found

    def _give_up(self, asked: Mapping[Subkey, int], claims: Mapping[Subkey, int]) -> None:
        """Distrust who has claimed all the while what nobody has."""
        still = {subkey: epoch for subkey, epoch in claims.items() if subkey in asked}
        if still:
            log.warning("nobody has a state of epoch %s, which %d records claim", sorted(still.values()), len(still))
            self._on_refuted(still)
