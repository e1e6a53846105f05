"""When to replace our base weights, once a group has shown that they are not those of the others."""

from __future__ import annotations

import logging
import time
from typing import Protocol

from core.worker.swarm.trust.claim_search import StateSearch

WAIT_SECONDS = 0.5  # for donors that have not yet taken their outer step; doubled after every try
MAX_TRIES = 10  # in eight minutes: an exchange of the others that lasts longer ends unseen
DOUBTFUL_TRIES = 5  # until another group shows that they still differ
STANDSTILL_TRIES = 2  # in which whoever answered had no more steps behind it than we

log = logging.getLogger(__name__)


class Repaired(Protocol):
    """The averager with the base weights that are repaired."""

    local_epoch: int


class Repair:
    """The repair that is due, if any. ``min_outer_steps`` is how many the right base weights have behind them.

    What is missing is fetched while training goes on. A line on which that takes longer than an epoch would never end
    it, as a state of the epoch before is of no use; from then on `must_stand_still` says so, unless nothing is wrong
    with ours as far as we know: whose round has failed only asks whether that of the others has. It goes on to ask, as
    the others may be in the middle of the exchange that it has missed.

    A state `brings_on` whose base weights have more steps behind them than ours, even if they are not the right ones
    yet: who always waited for the step that the others are about to take would follow them for ever. So would who takes
    a state that has waited for the end of an exchange, in which the others have stepped, and trains on with it: such a
    search is *overtaken*, and what came of it leads on at once to a second one, for which training stands still.

    A process that has only just begun may have had a part in a step of which it knows nothing any more: until it has
    asked the others, it is not sure of the weights that it begins with.
    """

    def __init__(self) -> None:
        self.min_outer_steps = 0
        self._due_at = float("inf")
        self._tries = self._standstills = 0
        self._donors_like_us = self._other_donors = 0  # of this search, with too few steps behind their weights
        self._searches_since: int | None = None  # the epoch
        self._micro_batches = 0  # while it searches
        self._has_come_too_late = self._is_doubtful = False
        self._is_overtaken = self._is_awaited = False
        self._has_begun = False

    def resumed(self, outer_steps: int) -> None:
        """We begin with weights that have so many steps behind them: those of our own disk, or the first of a donor."""
        self._has_begun = True
        self.request(outer_steps + 1)

    def loaded(self, outer_steps: int) -> None:
        """We have waited for a state, and have weights with so many steps behind them now; none where none has come."""
        self.tried(outer_steps)
        if outer_steps > 0 and not self._has_begun:
            self.resumed(outer_steps)

    def request(self, min_outer_steps: int, *, is_doubtful: bool = True) -> None:
        """Ours are wrong if the others have stepped: the right ones have so many steps behind them, or soon will.

        ``is_doubtful`` says that we may have had a part in their step, or were told of it. Those that are looked for
        already may have more: a group in which nobody has these knows of fewer steps. What was only asked for may be
        nowhere, and is forgotten.
        """
        if is_doubtful and not self._is_doubtful:
            self.min_outer_steps = 0
        self._is_doubtful |= is_doubtful
        self.min_outer_steps = max(min_outer_steps, self.min_outer_steps)
        self._due_at, self._tries, self._standstills = time.monotonic() + WAIT_SECONDS, 0, 0

    def stepped(self, outer_steps: int) -> None:
        """We take a step of a quorum, after which we have so many behind us: a search for fewer would lead us back.

        Then ours are right, and the end of a search that is under way is not worth waiting for.
        """
        self._is_overtaken, self._has_begun = False, True
        if outer_steps < self.min_outer_steps:
            return
        self._is_doubtful = self._has_come_too_late = False
        if self._searches_since is None:
            self._end()
        elif self.min_outer_steps < outer_steps:
            self.min_outer_steps = outer_steps
            self.begin_search()

    def is_sure(self, outer_steps: int) -> bool:
        """Whether weights with so many steps behind them are the right ones, as far as we know."""
        return not self._is_doubtful or self.min_outer_steps <= outer_steps

    def is_due(self) -> bool:
        """Whether it is time to look for the right ones."""
        return time.monotonic() >= self._due_at

    def seconds_until_due(self) -> float:
        """Until donors have had time for their outer step; bounded, as the exchange's thread may end the request."""
        return min(max(0.0, self._due_at - time.monotonic()), WAIT_SECONDS)

    @property
    def must_stand_still(self) -> bool:
        """Whether training has to wait until the right ones are there, which it can ask for in `seconds_until_due`."""
        return self._is_awaited or (self._has_come_too_late and self._is_doubtful and self.is_due())

    def begin_search(self) -> None:
        """Donors are asked anew, and compared with the weights that we have now."""
        self._donors_like_us = self._other_donors = 0

    def brings_on(self, outer_steps: int, ours: int, *, is_like_ours: bool, is_ahead: bool) -> bool:
        """Whether a donor's base weights are of use; they have so many steps behind them, and ``ours`` so many.

        Those of the same weights, and others with as many steps behind them, are if the run ``is_ahead`` of us by
        epochs in which nobody has stepped. All are while nothing is wrong with ours and no search is under way.
        """
        is_looking = self._is_doubtful or self._searches_since is not None
        if not is_looking or outer_steps >= self.min_outer_steps or outer_steps > ours:
            return True
        self._donors_like_us += is_like_ours
        self._other_donors += not is_like_ours
        return is_ahead and outer_steps == ours

    def poll(self, averager: Repaired, search: StateSearch, outer_steps: int, *, is_idle: bool) -> bool:
        """Look for the right ones, and never wait; whether they are here, and can take the place of ours.

        We have weights with so many ``outer_steps`` behind them. They stay where they are unless we are ``is_idle``,
        between two exchanges; where exchanges outlast their epochs there is no such moment, and training has to wait.
        """
        if self._searches_since is None:
            if self.must_stand_still or not self.is_due():
                return False
            self._searches_since, self._micro_batches, self._is_overtaken = averager.local_epoch, 0, False
            self.begin_search()
        elif not is_idle:
            self._micro_batches, self._is_overtaken = self._micro_batches + 1, True
            self._has_come_too_late |= averager.local_epoch > self._searches_since + 1
            return False
        found = search.go_on(averager, 0)
        if found is None:
            self._micro_batches += 1
            return False
        log.info("during %d micro-batches the right base weights have come: %s", self._micro_batches, found)
        if not found:
            self._has_come_too_late |= averager.local_epoch > self._searches_since
            self.tried(outer_steps)
        return found

    def tried(self, outer_steps: int) -> None:
        """We have looked for them, and have weights with so many steps behind them now.

        The others stand still where all whose weights were of no use have the very ones that we had: then nothing is
        wrong with ours as far as we know.
        """
        self._searches_since = None
        self._is_awaited, self._is_overtaken = self._is_overtaken and self._is_doubtful, False
        if self._is_awaited:
            self.request(outer_steps + 1)
            return
        self._tries += 1
        self._standstills += self._donors_like_us > 0 and self._other_donors == 0
        self.begin_search()
        is_repaired = outer_steps >= self.min_outer_steps
        self._has_come_too_late &= not is_repaired
        if is_repaired or self._tries == MAX_TRIES:
            self._end()
            return
        self._is_doubtful &= self._standstills < STANDSTILL_TRIES and self._tries < DOUBTFUL_TRIES
        self._due_at = time.monotonic() + WAIT_SECONDS * 2**self._tries

    def _end(self) -> None:
        """Nothing is looked for any more."""
        self._due_at, self.min_outer_steps, self._is_doubtful, self._is_awaited = float("inf"), 0, False, False
