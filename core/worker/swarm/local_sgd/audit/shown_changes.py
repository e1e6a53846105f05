"""The changes of some senders of an exchange, which one of the run's signers tries out on held-out samples.

They are chosen by lot, once all averages are there. What the signer has reduced itself it has kept; they are asked for
the other parts once more, and for those that it had no room for. Who shows other bytes of the latter than it has sent
is found out by their digests.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hivemind.p2p import PeerID
from hivemind.utils import MPFuture

from core.worker.swarm.local_sgd.audit.verdict import Shown, digest_of


class ShownChanges:
    """What ``future`` will be: the encoded parts of each chosen peer's changes, by its id; nothing without a future.

    ``generation`` counts how often our own changes had been encoded before that exchange, which has so many ``parts``.
    """

    most_peers = 2  # whose changes are tried out in one round
    most_bytes = 2**26  # of all that is kept of an exchange

    def __init__(self, future: MPFuture[Any] | None = None, generation: int = -1, parts: int = 0) -> None:
        self.peers: frozenset[PeerID] = frozenset()
        self.generation = generation
        self._future, self._parts = future, parts
        self._shown, self._received = dict[PeerID, Mapping[int, Shown]](), dict[PeerID, Mapping[int, Shown]]()
        self._kept, self._kept_bytes = dict[int, dict[int, bytes]](), 0
        self._is_whole = asyncio.Event()

    def keep(self, part: int, sender: int, encoded: Any) -> None:
        """Copy what we reduce of that sender, any buffer of bytes, if there is room; ``part`` counts what we reduce."""
        self._kept_bytes += len(encoded)
        if self._kept_bytes <= self.most_bytes:
            self._kept.setdefault(sender, {})[part] = bytes(encoded)

    def choose(self, senders: Mapping[PeerID, int], first: int) -> None:
        """Draw lots for whose changes are tried out, of these at their places; we reduce the parts from ``first``."""
        self.peers = frozenset(secrets.SystemRandom().sample([*senders], min(self.most_peers, len(senders))))
        for peer in self.peers:
            kept = self._kept.get(senders[peer], {})
            self._received[peer] = {first + part: Shown(encoded, 0.0) for part, encoded in kept.items()}
            if not self.numbers_of(peer):
                self.add(peer, {})
        self._kept.clear()

    def numbers_of(self, peer: PeerID) -> Collection[int]:
        """The numbers of the parts that we want of that sender: those that we have not received anyway."""
        received = self._received.get(peer, {})
        return [number for number in range(self._parts) if number not in received] if peer in self.peers else ()

    def add(self, peer: PeerID, shown: Mapping[int, Shown]) -> None:
        """A sender has shown what we wanted of it."""
        if peer in self.peers:
            wanted = {number: shown[number] for number in self.numbers_of(peer)}
            self._shown.setdefault(peer, {**self._received[peer], **wanted})
        if self._shown.keys() >= self.peers:
            self._is_whole.set()

    def silent(self) -> frozenset[PeerID]:
        """Those who have shown nothing so far."""
        return self.peers - self._shown.keys()

    async def wait(self, seconds: float) -> None:
        """Until all have shown their parts, or for so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_whole.wait()

    def differs(self, peer: PeerID, sender: int, own: Mapping[int, Sequence[bytes]]) -> bool:
        """Whether that sender has shown other bytes than it has sent us; ``own`` are the digests of what we reduce."""
        shown, kept = self._shown.get(peer, {}), self._received.get(peer, {})
        sent = {number: digests[sender] for number, digests in own.items() if digests[sender] and number not in kept}
        if any(digest_of(shown[number].encoded) != digest for number, digest in sent.items() if number in shown):
            del self._shown[peer]
            return True
        return False

    def end(self) -> None:
        """Set the future to what has been shown until now; nothing is wanted of anybody any more."""
        if self._future is not None and not self._future.done():
            self._future.set_result(
                {
                    peer.to_base58(): {number: each.encoded for number, each in shown.items()}
                    for peer, shown in self._shown.items()
                }
            )
        self.peers = frozenset()
        for kept in (self._shown, self._received, self._kept):
            kept.clear()
