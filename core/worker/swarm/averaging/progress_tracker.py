"""hivemind's progress tracker, remembering what every peer reports, with a goodbye that has arrived."""

from __future__ import annotations

import concurrent.futures
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from hivemind.optim.progress_tracker import GlobalTrainingProgress, LocalTrainingProgress, ProgressTracker
from hivemind.p2p import PeerID
from hivemind.utils import MPFuture, MSGPackSerializer

from core.protocol.messages import PeerSeen
from core.worker.swarm.averaging.rate_limited_event import RateLimitedEvent
from core.worker.swarm.dht.peer_info import PeerInfo
from core.worker.swarm.dht.progress_reports import are_all_ahead, peer_seen, sensible
from core.worker.swarm.patches.monotonic_clock import steady_time

MOST_PEERS_TOLD = 500  # so that they fit on a line, whatever they call themselves

BLIND_SECONDS = 20.0  # hivemind looks at least every ten

log = logging.getLogger(__name__)


class ObservedTracker(ProgressTracker):
    """The tracker of one run. ``reports`` is what was reported at the last look, by encoded subkey.

    ``on_no_peers_left`` is called, in the tracker's thread, whenever a look shows that nobody will average our
    epoch with us.
    """

    reports: Mapping[bytes, LocalTrainingProgress] = MappingProxyType({})
    on_no_peers_left: Callable[[], None] | None = None
    measured = False
    _distrusted: frozenset[bytes] = frozenset()
    _metadata: Any = None
    _looked_at = -math.inf
    _heard_at: float | None = None
    others_heard = 0
    others_left_cleanly = False
    _goodbye: MPFuture[bool] | None = None

    def __init__(self, *args: Any, start: bool, **kwargs: Any) -> None:
        super().__init__(*args, start=False, **kwargs)
        self.should_report_progress: RateLimitedEvent = RateLimitedEvent()
        if start:
            self.start()

    @property
    def ready_to_update_epoch(self) -> bool:
        """As ProgressTracker's, and also once a peer in client mode has begun the next epoch.

        WORKAROUND: hivemind follows only peers that can share their state. If the only one of them looks a
        moment too late, the others' samples are gone from its epoch, and it never ends: both sides are alone.
        """
        if time.monotonic() - self._looked_at > BLIND_SECONDS:
            return False  # after a sleep of the computer, all that we know is old
        following = self.local_progress.epoch + 1
        is_overtaken = any(report.client_mode and report.epoch == following for report in self.reports.values())
        return is_overtaken or bool(super().ready_to_update_epoch)

    def update_epoch(self, new_epoch: int | None = None) -> int:
        """As ProgressTracker's; the others hear of it at once."""
        epoch: int = super().update_epoch(new_epoch)
        self.should_report_progress.set_urgently()
        return epoch

    def report_local_progress(self, local_epoch: int, samples_accumulated: int, **kwargs: Any) -> None:
        """As ProgressTracker's; our own rate is known from the first samples on."""
        self.measured = self.measured or samples_accumulated > 0
        super().report_local_progress(local_epoch, samples_accumulated, **kwargs)

    def exclude_peers(self, peers: Iterable[PeerID]) -> None:
        """From now on, what these peers report does not count; everybody else's does.

        Else whoever claims the highest epoch would have us download a state that we refuse, again and again.
        """
        with self.lock_global_progress:
            self._distrusted = frozenset(peer.to_bytes() for peer in peers)
            self.global_progress = self._parse_swarm_progress_data(self._metadata)

    def quiet_seconds(self) -> float | None:
        """Since when nobody else has reported anything new; ``None`` if nobody ever has."""
        return None if self._heard_at is None else time.monotonic() - self._heard_at

    def epochs_ahead(self) -> int:
        """How many more epochs we have seen than everybody who can be reached, if there is one."""
        reached = [peer.epoch for peer in self.peers() if not peer.is_me and not peer.client_mode]
        return self.local_progress.epoch - max(reached) if reached else 0

    def _listen(self, before: Mapping[bytes, LocalTrainingProgress]) -> None:
        """Take note of whether the others still say something, and of how they have gone."""
        self._looked_at = time.monotonic()
        mine = MSGPackSerializer.dumps(self._local_public_key)
        others = {key: report for key, report in self.reports.items() if key != mine}
        if any(report != before.get(key) for key, report in others.items()):
            self._heard_at, self.others_heard, self.others_left_cleanly = time.monotonic(), len(others), False
        elif not others and before.keys() - {mine}:
            youngest = max(report.time for key, report in before.items() if key != mine)
            self.others_left_cleanly = steady_time() - youngest < self.metadata_expiration / 2

    def _parse_swarm_progress_data(self, metadata: Any) -> GlobalTrainingProgress:
        metadata = sensible(metadata)
        self._metadata, before = metadata, self.reports
        if isinstance(metadata, dict) and self._distrusted:
            metadata = {key: each for key, each in metadata.items() if not self._is_distrusted(each.value)}
        progress = super()._parse_swarm_progress_data(metadata)
        if isinstance(metadata, dict):
            self.reports = {
                MSGPackSerializer.dumps(subkey): LocalTrainingProgress.parse_obj(record.value)
                for subkey, record in metadata.items()
                if record.value is not None
            }
        else:
            self.reports = {}
        self._listen(before)
        if self.on_no_peers_left is not None and self._is_nobody_left():
            self.on_no_peers_left()
        return progress

    def _is_nobody_left(self) -> bool:
        mine = MSGPackSerializer.dumps(self._local_public_key)
        others = [report for key, report in self.reports.items() if key != mine]
        trusted = [report for report in others if report.peer_id not in self._distrusted]
        is_alone = mine in self.reports and not others
        return is_alone or are_all_ahead(trusted, self.local_progress.epoch)

    def _is_distrusted(self, report: Any) -> bool:
        return isinstance(report, dict) and report.get("peer_id") in self._distrusted

    def peers(self, cards: Mapping[bytes, PeerInfo] = MappingProxyType({})) -> tuple[PeerSeen, ...]:
        """Who reports progress, with what their cards say: us first, and only so many of very many."""
        return tuple(sorted(self._seen(cards), key=lambda peer: not peer.is_me)[:MOST_PEERS_TOLD])

    def _seen(self, cards: Mapping[bytes, PeerInfo] = MappingProxyType({})) -> list[PeerSeen]:
        mine = self.dht.peer_id.to_base58()
        found = (peer_seen(report, mine, cards.get(subkey)) for subkey, report in self.reports.items())
        return [seen for seen in found if seen is not None]

    def direct_others(self) -> dict[bytes, str]:
        """The peer ids of others that say they can be reached, by the encoded subkeys of their reports."""
        mine = self.dht.peer_id.to_base58()
        seen = ((subkey, peer_seen(report, mine)) for subkey, report in self.reports.items())
        return {
            subkey: peer.peer_id
            for subkey, peer in seen
            if peer is not None and not peer.is_me and not peer.client_mode
        }

    def other_peers(self) -> int:
        """How many peers besides us report progress."""
        return sum(not peer.is_me for peer in self._seen())

    def my_rate(self) -> float | None:
        """Our own samples per second; ``None`` before the first micro-batch."""
        rate = self.performance_ema.samples_per_second
        return rate if self.measured and math.isfinite(rate) else None

    def swarm_rate(self) -> float | None:
        """Everybody's samples per second together; ``None`` before anybody has reported."""
        others = [peer.samples_per_second for peer in self._seen() if not peer.is_me]
        mine = self.my_rate()
        return sum(others) + (mine or 0.0) if others or mine is not None else None

    def seconds_to_next_epoch(self) -> float | None:
        """hivemind's estimate, from now; ``None`` while there is none (it may be astronomically large)."""
        seconds = self.global_progress.eta_next_epoch - steady_time()
        return max(0.0, seconds) if seconds < 86_400 else None

    def shutdown(self, timeout: float | None = None) -> None:
        """As ProgressTracker's, but ``await_goodbye`` tells when our record has been taken back.

        The retraction expires when our last report would have: with a later one, reports after a restart
        would be refused.
        """
        self.shutdown_triggered.set()
        self.should_report_progress.set_urgently()
        self.global_state_updated.set()
        self.shutdown_complete.wait(timeout)
        self._goodbye = self.dht.store(
            self.training_progress_key,
            subkey=self._local_public_key,
            value=None,
            expiration_time=steady_time() + self.metadata_expiration,
            return_future=True,
        )

    def await_goodbye(self, seconds: float) -> None:
        """Until the swarm has taken our record back, so long at most."""
        try:
            if self._goodbye is not None:
                self._goodbye.result(seconds)
        except (TimeoutError, concurrent.futures.TimeoutError):
            log.warning("the goodbye was not confirmed within %.1f s", seconds)
