"""What came of one exchange with a group."""

from __future__ import annotations

from typing import Any

from hivemind.p2p import PeerID


class AllreduceOutcome(dict[PeerID, Any]):
    """The peers that a round was averaged with, ourselves included, and what each told the group.

    ``lost`` others of the group were not there to the end; ``has_invalid_data`` says that what one of them sent
    cannot be right. ``has_missing_parts``: a reducer is among them, so that some parts are not averaged here.
    ``everybody`` is what all of the group have told, lost or not; all members know the same of that. ``outliers`` have
    sent us what cannot be right, or far too large; audits have found ``liars`` out; we did not reach the ``unreached``.
    What we have sent counts for the ``counted_share``, from 0 to 1, as reducers of local SGD say. ``norm_ratios`` are
    those of what senders have sent us to reduce, ourselves included; see `rules.norm_ratios`.
    """

    lost, counted_share = 0, 1.0
    outliers: frozenset[PeerID] = frozenset()
    unreached: frozenset[PeerID] = frozenset()
    liars: frozenset[PeerID] = frozenset()
    has_invalid_data = has_missing_parts = False

    def __init__(self, *args: Any, everybody: dict[PeerID, Any] | None = None) -> None:
        super().__init__(*args)
        self.everybody, self.norm_ratios = everybody or {}, dict[PeerID, float]()
