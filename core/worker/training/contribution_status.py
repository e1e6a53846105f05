"""Whether this computer really helps: judged by the rounds, not by how busy it is."""

from __future__ import annotations

from collections import deque

from core.protocol.events import ContributionStatus, RoundFinished

REMEMBERED_ROUNDS = 15
ALONE_AFTER_ROUNDS = 3


class ContributionMonitor:
    """Remembers the last rounds; safe to tell from one thread and ask from another."""

    def __init__(self) -> None:
        self._rounds: deque[RoundFinished] = deque(maxlen=REMEMBERED_ROUNDS)
        self._in_vain: dict[str, int] = {}  # by the kind of round, since the last one with others

    def note(self, finished: RoundFinished) -> None:
        """A round has ended."""
        self._rounds.append(finished)
        if finished.ok:
            self._in_vain[finished.kind] = 0
        elif finished.kind in self._in_vain:
            self._in_vain[finished.kind] += 1

    @property
    def rounds_in_vain(self) -> int:
        """How many rounds of one kind in a row were averaged with nobody, after better ones."""
        return max(self._in_vain.values(), default=0)

    def contribution_status(self, other_peers: int, is_in_sync: bool, trouble: str = "") -> ContributionStatus:
        """What a volunteer may be told; never "helping" without a round that was averaged with others.

        ``trouble`` is what is wrong with the connection, in words.
        """
        rounds = tuple(self._rounds)
        if trouble:
            return ContributionStatus(state="alone", reason=trouble)
        if not is_in_sync:
            return ContributionStatus(state="out_of_sync", reason="We are behind the others and download their state.")
        if other_peers <= 0:
            return ContributionStatus(state="alone", reason="Nobody else is training in this run right now.")
        if not rounds:
            return ContributionStatus(
                state="starting",
                reason=f"Connected with {_peers(other_peers)}; the first averaging comes with the next step.",
            )
        latest = rounds[-ALONE_AFTER_ROUNDS:]
        if len(latest) == ALONE_AFTER_ROUNDS and not any(finished.ok for finished in latest):
            return ContributionStatus(
                state="alone",
                reason=f"Connected, but the last {ALONE_AFTER_ROUNDS} rounds were averaged with nobody: "
                f"{latest[-1].reason or 'nobody else came'}.",
            )
        averaged = sum(finished.ok for finished in rounds)
        if not averaged:
            reason = latest[-1].reason or "nobody else came"
            return ContributionStatus(state="starting", reason=f"The first averaging did not come about: {reason}.")
        return ContributionStatus(
            state="helping", reason=f"{averaged} of the last {len(rounds)} rounds were averaged with others."
        )


def _peers(count: int) -> str:
    return "1 other peer" if count == 1 else f"{count} other peers"
