"""An exchange that is over, as those see it who audit its reducers, and what they have been shown of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hivemind.p2p import PeerID

from core.worker.swarm.local_sgd.audit.messages import Account, Finding
from core.worker.swarm.local_sgd.audit.shown_changes import ShownChanges
from core.worker.swarm.local_sgd.audit.verdict import AuditedPart, Shown


@dataclass(frozen=True)
class Exchange:
    """One that is over, and of which every average has come. ``accounts`` are those of the parts that we reduce.

    Parts are numbered through; ``generation`` counts how often our changes were encoded until then.
    """

    group: bytes
    senders: Sequence[PeerID]
    weight: float
    generation: int
    reducer_of: Sequence[PeerID]
    auditors: frozenset[PeerID]
    accounts: Mapping[int, Account]

    def weighed(self) -> list[PeerID]:
        """The senders that have any weight in what we reduce; all of them where we reduce nothing."""
        weights = [account.weights for account in self.accounts.values()]
        return [
            peer for index, peer in enumerate(self.senders) if not weights or any(each[index] > 0 for each in weights)
        ]


@dataclass
class Audit:
    """The parts of an exchange that we average once more, and what their senders have shown us of each.

    The changes of the senders that are ``tried`` are tried out, as a whole.
    """

    exchange: Exchange
    parts: Mapping[int, AuditedPart]
    tried: ShownChanges
    shown: dict[PeerID, dict[int, Shown]] = field(default_factory=dict)
    finding: asyncio.Future[Finding] = field(default_factory=asyncio.Future)

    def is_complete(self) -> bool:
        """Whether every sender has shown its parts."""
        return self.shown.keys() >= {*self.exchange.senders}

    def wanted_of(self, peer: PeerID) -> tuple[int, ...]:
        """The numbers of the parts that we want of that sender."""
        return tuple(sorted({*self.parts, *self.tried.numbers_of(peer)}))

    def shown_of(self, number: int) -> dict[int, Shown]:
        """What each sender has shown of that part."""
        numbered = enumerate(self.exchange.senders)
        return {index: self.shown[peer][number] for index, peer in numbered if peer in self.shown}
