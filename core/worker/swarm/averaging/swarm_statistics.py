"""What the window is told about the peers of a run and their speed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from hivemind.p2p import PeerID

from core.protocol.peers import PeerSeen
from core.worker.swarm.dht.run_records import PeerInfo
from core.worker.swarm.patches.monotonic_clock import steady_time

if TYPE_CHECKING:
    from core.worker.swarm.averaging.progress_tracker import ObservedTracker

MAX_PEERS_TOLD = 500  # so that they fit on a line, whatever they call themselves
_DAY_SECONDS = 86_400.0


class SwarmStatistics:
    """Figures from the reports that a tracker has last seen; rates are in samples per second."""

    def __init__(self, tracker: ObservedTracker) -> None:
        self._tracker = tracker

    def peers(self, infos: Mapping[bytes, PeerInfo] = MappingProxyType({})) -> tuple[PeerSeen, ...]:
        """Who reports progress, with what they say of themselves: us first, and only so many of very many."""
        me = self._tracker.dht.peer_id.to_base58()
        seen = [report.as_seen(me, infos.get(subkey)) for subkey, report in self._tracker.reports.items()]
        return tuple(sorted(seen, key=lambda peer: not peer.is_me)[:MAX_PEERS_TOLD])

    def direct_others(self) -> dict[bytes, str]:
        """The peer ids of others that say they can be reached, by the subkeys of their reports."""
        others = self._tracker.others.items()
        return {subkey: report.peer_id.to_base58() for subkey, report in others if not report.client_mode}

    def reported_samples(self) -> dict[PeerID, float]:
        """How many samples of our epoch each of the others has by now: what it told and we believe, and at its speed.

        What somebody reports beyond belief is none of it, so that a weight to match is still found to be a lie. Anybody
        may report in another's name, and so of several reports the largest counts.
        """
        now, epoch, mine = steady_time(), self._tracker.local_progress.epoch, self._tracker.own_subkey
        reported = dict[PeerID, float]()
        for subkey, report in self._tracker.counted.items():
            if subkey != mine and report.epoch == epoch and report.samples > 0:
                samples = report.samples + max(0.0, now - report.time) * report.samples_per_second
                reported[report.peer_id] = max(samples, reported.get(report.peer_id, 0.0))
        return reported

    def peer_ids(self) -> set[PeerID]:
        """Ourselves, and in whose name progress is reported that we believe."""
        return {report.peer_id for report in self._tracker.counted.values()} | {self._tracker.dht.peer_id}

    def other_peers(self) -> int:
        """How many peers besides us report progress."""
        return len(self._tracker.others)

    def epochs_ahead(self, peers: Collection[str]) -> int:
        """How many more epochs we have seen than all peers with these ids; 0 where none of them reports any."""
        theirs = [report.epoch for report in self._tracker.others.values() if report.peer_id.to_base58() in peers]
        return int(self._tracker.local_progress.epoch) - max(theirs) if theirs else 0

    def my_rate(self) -> float | None:
        """Our own; ``None`` before the first micro-batch, 0 for a keeper."""
        speed = self._tracker.performance_ema
        return None if speed.samples_per_second == speed.eps else speed.samples_per_second

    def swarm_rate(self) -> float | None:
        """Everybody's together; ``None`` before anybody has reported."""
        others = [report.samples_per_second for report in self._tracker.others.values()]
        mine = self.my_rate()
        return sum(others) + (mine or 0.0) if others or mine is not None else None

    def seconds_to_next_epoch(self) -> float | None:
        """hivemind's estimate, from now; ``None`` while there is none (it may be astronomically large)."""
        seconds = self._tracker.global_progress.eta_next_epoch - steady_time()
        return max(0.0, seconds) if seconds < _DAY_SECONDS else None
