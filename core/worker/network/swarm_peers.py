"""The other peers of a run, as hivemind's progress tracker and our p2pd see them."""

from __future__ import annotations

import time
from typing import Protocol

from core.run.multiaddr import split_peer
from core.worker.network.connection_monitor import EPOCHS_AHEAD, Observation
from core.worker.swarm import Swarm, SwarmOptimizer, connected_addresses, ping_peers, received_bytes


class RoundsSoFar(Protocol):
    """How our rounds of averaging have ended, as ContributionMonitor counts them."""

    @property
    def failed_rounds(self) -> int: ...

    @property
    def last_averaged_epoch(self) -> int: ...


class SwarmPeers:
    """Implements ``OtherPeers`` for a swarm that we train in."""

    def __init__(self, swarm: Swarm, optimizer: SwarmOptimizer, rounds: RoundsSoFar) -> None:
        self._swarm, self._tracker, self._rounds = swarm, optimizer.tracker, rounds
        self._received_bytes, self._received_at = 0, time.monotonic()

    def observe(self) -> Observation:
        """How long the others have been quiet, whether they have left, and how far we are ahead of them."""
        ahead = self._epochs_ahead()
        return Observation(
            quiet_seconds=self._quiet_seconds(),
            # Only a peer that can be reached may go on alone: nobody could ever average with any other.
            others_left_cleanly=self._swarm.mode == "direct" and self._tracker.liveness.others_left_cleanly,
            epochs_ahead=ahead,
            epochs_alone=min(ahead, self._tracker.local_progress.epoch - self._rounds.last_averaged_epoch),
            failed_rounds=self._rounds.failed_rounds,
        )

    def ping(self, addresses: tuple[str, ...]) -> bool:
        """Dial those addresses and ping the peers there; whether any of them answers our p2pd."""
        return ping_peers(self._swarm.dht, addresses)

    def connected_addresses(self) -> tuple[str, ...]:
        """The multiaddrs of direct peers that our p2pd is connected with."""
        peers = [peer for peer in self._tracker.statistics.peers() if not peer.is_me and not peer.client_mode]
        return connected_addresses(self._swarm.dht, [peer.peer_id for peer in peers])

    def _epochs_ahead(self) -> int:
        """The report of a peer that was killed lives on for a minute: only a connection shows that it is there."""
        statistics = self._tracker.statistics
        ahead = statistics.epochs_ahead(statistics.direct_others().values())
        if ahead < EPOCHS_AHEAD:
            return ahead
        return statistics.epochs_ahead([split_peer(address)[1] for address in self.connected_addresses()])

    def _quiet_seconds(self) -> float | None:
        """Seconds since anything came from others: a report, or any byte, as while a state is downloaded."""
        if (received := received_bytes()) != self._received_bytes:
            self._received_bytes, self._received_at = received, time.monotonic()
        quiet = self._tracker.liveness.quiet_seconds()
        return None if quiet is None else min(quiet, time.monotonic() - self._received_at)
