"""Reducers that answer nothing while all others have: how long an exchange still waits for them.

Every reducer of a group waits for the same senders. So once half of the reducers have answered, nobody who is still
to come has been waited for any longer, and the rest need no more than the time of a part.

WORKAROUND H71: hivemind waits for ``reducer_timeout`` in every exchange, whatever the others have done.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, MutableMapping

from hivemind.p2p import PeerID
from hivemind.p2p.p2p_daemon_bindings.utils import ControlFailure

DOUBTED_SHARE = 0.25  # of the time that others have for a part


class AnswerDeadlines:
    """When each of the ``reducers`` of one exchange must have sent its next part.

    Until half of them have answered in whole, or failed, hivemind's ``reducer_timeout`` is the only limit. Then each
    has ``part_seconds`` for each part. Who is among the ``doubted``, who were silent in the exchange before, has
    `DOUBTED_SHARE` of that; an answer takes it from there, and silence puts it there. So has whose own parts have not
    come, or could not be used.
    ``unreached`` are those to whom there was no way, who were silent for hivemind's time, or who were so again.
    """

    def __init__(self, reducers: int, part_seconds: float, doubted: MutableMapping[PeerID, None]) -> None:
        self._awaited, self._part_seconds, self._doubted = reducers, part_seconds, doubted
        self._open, self._answered, self._failed_senders = dict[PeerID, asyncio.Timeout](), 0, set[PeerID]()
        self.unreached = set[PeerID]()

    @contextlib.asynccontextmanager
    async def of(self, peer: PeerID) -> AsyncIterator[None]:
        """Exchange parts with that reducer. Raises TimeoutError, and cancels what goes on, when it is too late."""
        self._open[peer] = limit = asyncio.timeout(None)
        try:
            async with limit:
                self._set_deadlines()
                yield
            self._answered += 1
            self._doubted.pop(peer, None)
        except (TimeoutError, ControlFailure):
            if peer in self._doubted or not limit.expired():
                self.unreached.add(peer)
            self._doubted[peer] = None
            raise
        finally:
            del self._open[peer]
            self._has_ended()

    @contextlib.asynccontextmanager
    async def of_own(self) -> AsyncIterator[None]:
        """Average the parts that we reduce ourselves: their senders have time limits, and we wait for no answer."""
        try:
            yield
            self._answered += 1
        finally:
            self._has_ended()

    def _has_ended(self) -> None:
        self._awaited -= 1
        self._set_deadlines()

    def part_came(self, peer: PeerID) -> None:
        """A reducer has sent a part: it has time for the next."""
        if self._has_deadline(peer):
            self._begin(peer)

    def sender_failed(self, peer: PeerID) -> None:
        """A peer's own parts are left out of the average; it may be that as a reducer it does no better."""
        self._failed_senders.add(peer)
        if self._has_deadline(peer):
            self._begin(peer, at_most=self._open[peer].when())

    def _set_deadlines(self) -> None:
        """Give each that has none yet the time for one part, if as many have answered as are still to come."""
        if self._answered >= self._awaited:
            for peer in [peer for peer, limit in self._open.items() if limit.when() is None]:
                self._begin(peer)

    def _has_deadline(self, peer: PeerID) -> bool:
        return peer in self._open and self._open[peer].when() is not None

    def _begin(self, peer: PeerID, at_most: float | None = None) -> None:
        """Give that reducer the time for one part from now on, but no longer than until ``at_most``."""
        share = DOUBTED_SHARE if peer in self._doubted or peer in self._failed_senders else 1.0
        until = asyncio.get_running_loop().time() + share * self._part_seconds
        if not self._open[peer].expired():
            self._open[peer].reschedule(until if at_most is None else min(until, at_most))
