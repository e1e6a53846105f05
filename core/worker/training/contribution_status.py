"""Whether this computer really helps the run: judged by the averaging rounds, not by how busy it is."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from core.localizable import LocalizedText, localized
from core.protocol.events import ContributionStatus, RoundFinished

REMEMBERED_ROUNDS = 15
ALONE_AFTER_ROUNDS = 3
FAILING_SECONDS = 60.0  # since a better round: on a slow computer, epochs of some seconds may pass without us


class ContributionMonitor:
    """Judges by the last rounds; rounds may be added in one thread while another asks.

    ``last_averaged_epoch`` is that of the newest round that was averaged with others, 0 before the first.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rounds: deque[RoundFinished] = deque(maxlen=REMEMBERED_ROUNDS)
        self._failed = dict[str, tuple[int, float]]()  # by kind: rounds since one with others, and when that was
        self.last_averaged_epoch = 0

    def add_round(self, finished: RoundFinished) -> None:
        """Count a round that has ended; failures count only after a first success of their kind."""
        self._rounds.append(finished)
        if finished.ok:
            self._failed[finished.kind] = 0, self._clock()
            self.last_averaged_epoch = max(self.last_averaged_epoch, finished.epoch)
        elif finished.kind in self._failed:
            count, since = self._failed[finished.kind]
            self._failed[finished.kind] = count + 1, since

    @property
    def failed_rounds(self) -> int:
        """How many rounds of one kind in a row were averaged with nobody, after better ones, and for a minute."""
        long_ago = self._clock() - FAILING_SECONDS
        return max((count for count, since in tuple(self._failed.values()) if since <= long_ago), default=0)

    def contribution_status(
        self, other_peers: int, is_in_sync: bool, connection_problem: LocalizedText
    ) -> ContributionStatus:
        """The status that a volunteer is told; "helping" only after a round that was averaged with others.

        ``connection_problem`` comes before everything else; it is empty where the connection is in order.
        """
        rounds = tuple(self._rounds)
        if connection_problem:
            return ContributionStatus(state="alone", reason=connection_problem)
        if not is_in_sync:
            reason = localized("We are behind the others and download their state.")
            return ContributionStatus(state="out_of_sync", reason=reason)
        if other_peers <= 0:
            reason = localized("Nobody else is training in this run right now.")
            return ContributionStatus(state="alone", reason=reason)
        if not rounds:
            return ContributionStatus(state="starting", reason=_waiting(other_peers))
        return _by_rounds(rounds)


def _by_rounds(rounds: tuple[RoundFinished, ...]) -> ContributionStatus:
    """The status of a peer that has company, by at least one round."""
    latest = rounds[-ALONE_AFTER_ROUNDS:]
    why = latest[-1].reason or localized("nobody else came")
    if len(latest) == ALONE_AFTER_ROUNDS and not any(finished.ok for finished in latest):
        reason = localized("Connected, but the last %1 rounds were averaged with nobody: %2.", str(len(latest)), why)
        return ContributionStatus(state="alone", reason=reason)
    if len(latest) == ALONE_AFTER_ROUNDS and not any(finished.counted for finished in latest):
        reason = localized(
            "The last %1 rounds counted nothing of this computer: it took fewer steps than the run asks for.",
            str(len(latest)),
        )
        return ContributionStatus(state="alone", reason=reason)
    if len(latest) == ALONE_AFTER_ROUNDS and all(finished.ok and finished.counted_share <= 0 for finished in latest):
        reason = localized(
            "The last %1 rounds left out what this computer has changed: it is against what all others have, or far "
            "larger. If that goes on, pause and resume: training then begins with the run's state.",
            str(len(latest)),
        )
        return ContributionStatus(state="alone", reason=reason)
    if len(latest) == ALONE_AFTER_ROUNDS and not any(finished.ok and finished.stepped for finished in latest):
        reason = localized("The last %1 rounds took no step, so nothing counts at present: %2.", str(len(latest)), why)
        return ContributionStatus(state="without_step", reason=reason)
    averaged = sum(finished.ok and finished.stepped for finished in rounds)
    if not averaged:
        reason = localized("The first averaging did not come about: %1.", why)
        return ContributionStatus(state="starting", reason=reason)
    reason = localized("%1 of the last %2 rounds were averaged with others.", str(averaged), str(len(rounds)))
    return ContributionStatus(state="helping", reason=reason)


def _waiting(other_peers: int) -> LocalizedText:
    if other_peers == 1:
        return localized("Connected with 1 other peer; the first averaging comes with the next step.")
    return localized("Connected with %1 other peers; the first averaging comes with the next step.", str(other_peers))
