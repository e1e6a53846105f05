"""When to replace our base weights, once a group has shown that they are not those of the others."""

from __future__ import annotations

import time

WAIT_SECONDS = 0.5  # for donors that have not yet taken their outer step; doubled after every try
MAX_TRIES = 5  # until another group shows that they still differ
STANDSTILL_TRIES = 2  # in which whoever answered had no more steps behind it than we: the round has failed for all


class Repair:
    """The repair that is due, if any. ``min_outer_steps`` is how many the right base weights have behind them."""

    def __init__(self) -> None:
        self.min_outer_steps = 0
        self._due_at = float("inf")
        self._tries = self._standstills = 0

    def request(self, min_outer_steps: int) -> None:
        """Ours are wrong: the right ones have so many steps behind them, or will have in a moment."""
        self.min_outer_steps, self._due_at, self._tries = min_outer_steps, time.monotonic() + WAIT_SECONDS, 0
        self._standstills = 0

    def is_due(self) -> bool:
        """Whether it is time to look for the right ones."""
        return time.monotonic() >= self._due_at

    def tried(self, outer_steps: int, *, stand_still: bool) -> None:
        """We have looked for them, and have weights with so many steps behind them now.

        The others ``stand_still`` where all who answered have the very weights that we had.
        """
        self._tries += 1
        self._standstills += stand_still
        has_failed_for_all = self._standstills == STANDSTILL_TRIES
        is_over = outer_steps >= self.min_outer_steps or has_failed_for_all or self._tries == MAX_TRIES
        self._due_at = float("inf") if is_over else time.monotonic() + WAIT_SECONDS * 2**self._tries
        if is_over:
            self.min_outer_steps = 0
