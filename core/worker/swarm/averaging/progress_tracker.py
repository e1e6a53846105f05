"""hivemind's progress tracker, which parses every report once, follows clients, and leaves with a goodbye."""

from __future__ import annotations

import concurrent.futures
import logging
import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from hivemind.optim.progress_tracker import GlobalTrainingProgress, ProgressTracker
from hivemind.p2p import PeerID
from hivemind.utils import MPFuture, MSGPackSerializer

from core.worker.swarm.averaging.liveness import Liveness, are_all_ahead
from core.worker.swarm.averaging.progress_estimate import estimate_progress
from core.worker.swarm.averaging.rate_limited_event import RateLimitedEvent
from core.worker.swarm.averaging.swarm_statistics import SwarmStatistics
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.monotonic_clock import steady_time

MAX_LEAD_EPOCHS = 10  # of a peer in client mode that is followed, whatever it claims

log = logging.getLogger(__name__)


class EpochClock:
    """When our epoch ends in a run whose epochs last ``max_seconds`` at the most; infinity elsewhere.

    Nobody begins an epoch at the very moment at which the others do. Whoever went by its own clock alone, and was late
    once by more than a group is waited for, would be late in all epochs after. So an epoch ends by the clock of the
    lower median of those who are in it, but never later than by our own, nor earlier than half of its time.

    A report tells how many samples its peer has computed in the epoch and how many in a second, and so when it began;
    each peer's first one counts, which comes soon after that, when an error of the speed makes little difference.
    """

    def __init__(self, max_seconds: float) -> None:
        self._max_seconds = max_seconds
        self.begin()

    def begin(self) -> None:
        """Begin an epoch of ours at this very moment."""
        self._began = steady_time()
        self._others: dict[bytes, float] = {}

    def see(self, others: Mapping[bytes, PeerReport], epoch: int) -> None:
        """Take note of those of the others who are in our ``epoch``."""
        for subkey, report in others.items():
            if report.epoch == epoch and report.samples_per_second > 0:
                self._others.setdefault(subkey, report.time - report.samples / report.samples_per_second)

    @property
    def end(self) -> float:
        """When it ends, in seconds since 1970."""
        began = min(self._began, statistics.median_low([self._began, *self._others.values()]))
        return max(began + self._max_seconds, self._began + self._max_seconds / 2)


class ObservedTracker(ProgressTracker):
    """The tracker of one run, a thread that reports our progress and looks at everybody's.

    ``reports`` is what was reported at the last look, by encoded subkey, and ``others`` the same without our own.
    ``on_no_peers_left`` is called, in the tracker's thread, whenever a look shows that nobody will average our
    epoch with us. An epoch lasts ``max_epoch_seconds`` at the most, see `EpochClock`.
    """

    reports: Mapping[bytes, PeerReport] = MappingProxyType({})
    others: Mapping[bytes, PeerReport] = MappingProxyType({})
    on_no_peers_left: Callable[[], None] | None = None
    has_measured = False
    _excluded: frozenset[PeerID] = frozenset()
    _goodbye: MPFuture[bool] | None = None

    def __init__(
        self,
        *args: Any,
        start: bool,
        metadata_expiration: float,
        max_refresh_period: float,
        max_epoch_seconds: float | None = None,
        **kwargs: Any,
    ) -> None:
        self._clock = EpochClock(math.inf if max_epoch_seconds is None else max_epoch_seconds)
        self.liveness, self.statistics = Liveness(metadata_expiration, max_refresh_period), SwarmStatistics(self)
        kwargs |= {"metadata_expiration": metadata_expiration, "max_refresh_period": max_refresh_period}
        super().__init__(*args, start=False, **kwargs)
        self.should_report_progress: RateLimitedEvent = RateLimitedEvent()
        if start:
            self.start()

    @property
    def ready_to_update_epoch(self) -> bool:
        """Whether the epoch is over, as ProgressTracker says, or a peer in client mode has begun the next one.

        WORKAROUND H23: hivemind follows only peers that can share their state. If the only one of them looks a
        moment too late, the others' samples are gone from its epoch, and it never ends: both sides are alone.
        Between two looks, ten seconds apart, they may even have ended several epochs.

        WORKAROUND H43: hivemind ends an epoch by a count that may be older than the epoch. A first look at an empty
        swarm, before our own speed is known, puts the next one ``max_refresh_period`` away; two peers that begin
        together train alone until then. We end no epoch in which we have not looked.
        """
        if self.liveness.is_blind:
            return False
        mine = self.local_progress.epoch
        ahead = range(mine + 1, mine + 1 + MAX_LEAD_EPOCHS)
        is_overtaken = any(report.client_mode and report.epoch in ahead for report in self.reports.values())
        if is_overtaken or self.global_epoch > mine:
            return True
        is_ready = bool(super().ready_to_update_epoch)
        if is_ready and not self.fetched_global_progress_this_epoch.is_set():
            self._look_now()
            return False
        return is_ready

    def _look_now(self) -> None:
        """Wake the thread that looks at everybody's progress; returns at once."""
        self.global_progress.next_fetch_time = steady_time()
        self.global_state_updated.set()

    def update_epoch(self, new_epoch: int | None = None) -> int:
        """Begin an epoch as ProgressTracker does; the others hear of it at once."""
        self._clock.begin()
        epoch: int = super().update_epoch(new_epoch)
        self.should_report_progress.set_urgently()
        return epoch

    def report_local_progress(self, local_epoch: int, samples_accumulated: int, **kwargs: Any) -> None:
        """Report progress as ProgressTracker does; our own rate is known from the first samples on."""
        self.has_measured = self.has_measured or samples_accumulated > 0
        super().report_local_progress(local_epoch, samples_accumulated, **kwargs)

    @property
    def latest_epoch_end(self) -> float:
        """When our epoch ends at the latest, in seconds since 1970."""
        return self._clock.end

    def exclude_peers(self, peers: Iterable[PeerID]) -> None:
        """From now on, what these peers report does not count; everybody else's does.

        Else whoever claims the highest epoch would have us download a state that we refuse, again and again.
        """
        with self.lock_global_progress:
            self._excluded = frozenset(peers)
            self.global_progress = self._estimate()

    def _parse_swarm_progress_data(self, metadata: Any) -> GlobalTrainingProgress:
        """In place of ProgressTracker's, which validates every report again and raises if one of them is wrong."""
        records = metadata.items() if isinstance(metadata, dict) else ()
        parsed = {MSGPackSerializer.dumps(subkey): PeerReport.parse(record.value) for subkey, record in records}
        mine, before = MSGPackSerializer.dumps(self._local_public_key), self.others
        self.reports = {subkey: report for subkey, report in parsed.items() if report is not None}
        self.others = {subkey: report for subkey, report in self.reports.items() if subkey != mine}
        self.liveness.update(before, self.others)
        self._clock.see(self.others, self.local_progress.epoch)
        if self.on_no_peers_left is not None and self._is_nobody_left():
            self.on_no_peers_left()
        return self._estimate()

    def _estimate(self) -> GlobalTrainingProgress:
        counted = [report for report in self.reports.values() if report.peer_id not in self._excluded]
        estimate = estimate_progress(counted, self, steady_time())
        if MSGPackSerializer.dumps(self._local_public_key) not in self.reports:
            estimate.num_peers += 1  # who has joined a moment ago, and sees one other, is not alone
        return estimate

    def _is_nobody_left(self) -> bool:
        trusted = [report for report in self.others.values() if report.peer_id not in self._excluded]
        is_alone = bool(self.reports) and not self.others
        return is_alone or are_all_ahead(trusted, self.local_progress.epoch)

    def shutdown(self, timeout: float | None = None) -> None:
        """Take our record back, as ProgressTracker does; ``await_goodbye`` tells when that has arrived.

        WORKAROUND H24: hivemind does not wait until the record is taken back, and others count on it for a minute.
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
        """Wait until the swarm has taken our record back, so long at most."""
        try:
            if self._goodbye is not None:
                self._goodbye.result(seconds)
        except (TimeoutError, concurrent.futures.TimeoutError):
            log.warning("the goodbye was not confirmed within %.1f s", seconds)
