"""What the window is told about the peers of a run and their speed."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from hivemind.p2p import PeerID

from core.protocol.peers import PeerSeen
from core.worker.swarm.aggregation.claimed_weights import ReportedSamples
from core.worker.swarm.dht.run_records import PeerInfo
from core.worker.swarm.patches.monotonic_clock import steady_time

if TYPE_CHECKING:
    from core.worker.swarm.dht.progress_reports import PeerReport
    from core.worker.swarm.progress.progress_tracker import ObservedTracker

MAX_PEERS_TOLD = 500  # so that they fit on a line, whatever they call themselves
HEARD_SECONDS = 60.0  # after which everybody has looked at a report that we have seen
_BETWEEN_SECONDS = 15.0  # two looks that are remembered for that
_DAY_SECONDS = 86_400.0


class SwarmStatistics:
    """Figures from the reports that a tracker has last seen; rates are in samples per second."""

    def __init__(self, tracker: ObservedTracker) -> None:
        self._tracker = tracker
        self._looks: tuple[tuple[float, Mapping[bytes, PeerReport]], ...] = ()  # by rising time

    def remember(self, reports: Mapping[bytes, PeerReport]) -> None:
        """Keep what is reported just now, of everybody, until it is known to all."""
        now, looks = steady_time(), self._looks
        if not looks or now - looks[-1][0] >= _BETWEEN_SECONDS:
            looks = (*looks, (now, reports))
        known = sum(now - seen >= HEARD_SECONDS for seen, _ in looks)
        self._looks = looks[max(0, known - 1) :]

    def peers(self, infos: Mapping[bytes, PeerInfo] = MappingProxyType({})) -> tuple[PeerSeen, ...]:
        """Who reports progress, with what they say of themselves: us first, and only so many of very many."""
        me = self._tracker.dht.peer_id.to_base58()
        seen = [report.as_seen(me, infos.get(subkey)) for subkey, report in self._tracker.reports.items()]
        return tuple(sorted(seen, key=lambda peer: not peer.is_me)[:MAX_PEERS_TOLD])

    def direct_others(self) -> dict[bytes, str]:
        """The peer ids of others that say they can be reached, by the subkeys of their reports."""
        others = self._tracker.others.items()
        return {subkey: report.peer_id.to_base58() for subkey, report in others if not report.client_mode}

    def reported_samples(self) -> ReportedSamples:
        """How many samples of our epoch each has: what it told and we believe, and at its speed; and what all know."""
        return ReportedSamples(self._latest_samples(), self._samples_known_to_all())

    def _samples_known_to_all(self) -> dict[PeerID, float]:
        """The samples of each, us included, by the last look that is old enough; the smallest of several reports."""
        now, epoch, known = steady_time(), self._tracker.local_progress.epoch, dict[PeerID, float]()
        old = [reports for seen, reports in self._looks if now - seen >= HEARD_SECONDS]
        for report in old[-1].values() if old else ():
            if report.epoch == epoch:
                known[report.peer_id] = min(float(report.samples), known.get(report.peer_id, math.inf))
        return known

    def _latest_samples(self) -> dict[PeerID, float]:
        """The samples that each of the others has by now.

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
        """Our own speed; ``None`` before the first micro-batch, 0 for a keeper."""
        speed = self._tracker.performance_ema
        return None if speed.samples_per_second == speed.eps else speed.samples_per_second

    def swarm_rate(self) -> float | None:
        """Everybody's speed together; ``None`` before anybody has reported."""
        others = [report.samples_per_second for report in self._tracker.others.values()]
        mine = self.my_rate()
        return sum(others) + (mine or 0.0) if others or mine is not None else None

    def seconds_to_next_epoch(self) -> float | None:
        """hivemind's estimate, from now; ``None`` while there is none (it may be astronomically large)."""
        seconds = self._tracker.global_progress.eta_next_epoch - steady_time()
        return max(0.0, seconds) if seconds < _DAY_SECONDS else None
