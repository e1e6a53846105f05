"""hivemind's progress tracker, which parses every report once, follows clients, and leaves with a goodbye."""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hivemind.optim.progress_tracker import GlobalTrainingProgress, ProgressTracker
from hivemind.p2p import PeerID
from hivemind.utils import MPFuture, MSGPackSerializer

from core.localizable import Detail
from core.run.signed_scores import Score
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.patches.shunned_peers import NOBODY_BARRED, BarredPeers
from core.worker.swarm.progress.liveness import Liveness, is_half_ahead
from core.worker.swarm.progress.looks import ProgressDHT
from core.worker.swarm.progress.progress_estimate import EpochClock, estimate_progress, longest_refresh_period
from core.worker.swarm.progress.rate_limited_event import RateLimitedEvent, report_period
from core.worker.swarm.progress.swarm_statistics import SwarmStatistics
from core.worker.swarm.trust.admitted_reports import admitted_reports
from core.worker.swarm.trust.epoch_bounds import (
    MAX_EPOCH,
    EpochPace,
    agreement_error,
    epoch_error,
    latest_signed_epoch,
)
from core.worker.swarm.trust.epoch_claims import EpochClaims
from core.worker.swarm.trust.known_keys import KnownKeys
from core.worker.swarm.trust.sample_caps import cap_samples

MIN_SHARE = 1 / 3  # of an epoch's time that must be over until a report alone makes us end it
MAX_LEAD_EPOCHS = 10  # of a peer in client mode that is followed, whatever it claims

log = logging.getLogger(__name__)


class ObservedTracker(ProgressTracker):
    """The tracker of one run, a thread that reports our progress and looks at everybody's.

    ``reports`` is what was reported at the last look, by encoded subkey, ``others`` the same without our own, and
    ``counted`` what we believe of it. ``on_look`` is called after each look, in the tracker's thread. An epoch lasts
    ``max_epoch_seconds`` at the most, see `EpochClock`.

    ``claims`` are epochs that are not believed yet, by subkey, see `EpochClaims`, and that are signed or agreed on, see
    `KnownKeys`; whoever claims any other does not count. ``is_newcomer`` says whether we have no state of the run, and
    therefore nothing to lose by believing them; but none that the signed epochs leave no time for.
    ``counts_rests`` says whether a rest, as a report without new samples, makes us slower.
    """

    reports: Mapping[bytes, PeerReport] = MappingProxyType({})
    others: Mapping[bytes, PeerReport] = MappingProxyType({})
    counted: Mapping[bytes, PeerReport] = MappingProxyType({})
    claims: Mapping[bytes, int] = MappingProxyType({})
    target_batch_size: int
    is_newcomer: Callable[[], bool] = staticmethod(lambda: True)
    on_look: Callable[[], None] | None = None
    counts_rests = _forgot_first_speed = False
    extrapolated_from = -math.inf  # at the earliest, what others report: until then all waited; in seconds since 1970
    is_held = False  # whether we are to compute nothing: then we end no epoch but with those who have
    _left_at: int | None = None  # the epoch of our record of an earlier start, if there is one
    _has_last_look = False  # whether we have looked, or asked to, since our epoch was over
    _scores: Sequence[Score] = ()
    _refused: frozenset[PeerID] = frozenset()
    _goodbye: MPFuture[bool] | None = None
    _numbers_at: Callable[[int], tuple[int, float | None]] | None = None

    def __init__(
        self,
        *args: Any,
        start: bool,
        metadata_expiration: float,
        max_refresh_period: float,
        max_epoch_seconds: float | None = None,
        known_keys: KnownKeys | None = None,
        barred: BarredPeers = NOBODY_BARRED,
        **kwargs: Any,
    ) -> None:
        self._known_keys, self._barred = known_keys or KnownKeys(), barred
        self.clock, self._pace = EpochClock(math.inf if max_epoch_seconds is None else max_epoch_seconds), EpochPace()
        self._claims = EpochClaims()
        self.liveness, self.statistics = Liveness(metadata_expiration, max_refresh_period), SwarmStatistics(self)
        kwargs |= {"metadata_expiration": metadata_expiration, "max_refresh_period": max_refresh_period}
        super().__init__(*args, start=False, **kwargs)
        self.dht: Any = ProgressDHT(self.dht, self.training_progress_key)
        self.should_report_progress: RateLimitedEvent = RateLimitedEvent(self._report_period)
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
        together train alone until then. We end no epoch in which we have not looked, and none alone without a last
        look: whoever has joined since would find its first group gone, and what it has computed would be for nothing.
        """
        if self.liveness.is_stale:
            return False
        mine = self.local_progress.epoch
        ahead = range(mine + 1, mine + 1 + MAX_LEAD_EPOCHS)
        is_overtaken = any(report.client_mode and report.epoch in ahead for report in self.counted.values())
        if (is_overtaken and self._is_advanced(self.global_progress.eta_next_epoch)) or self.global_epoch > mine:
            return True
        if self.is_held or not super().ready_to_update_epoch:
            return False
        if not self.others and not self._has_last_look:
            self._has_last_look = True
            self.fetched_global_progress_this_epoch.clear()
        if self.fetched_global_progress_this_epoch.is_set():
            return True
        self.look_now()
        return False

    def suspend_extrapolation(self) -> None:
        """Everybody waits just now, and has computed nothing that was not reported; when the epoch ends is unknown."""
        self.extrapolated_from, self.global_progress.eta_next_epoch = steady_time(), math.inf

    def look_now(self) -> None:
        """Wake the thread that looks at everybody's progress; returns at once."""
        self.global_progress.next_fetch_time = steady_time()
        self.global_state_updated.set()

    def update_epoch(self, new_epoch: int | None = None) -> int:
        """Begin an epoch as ProgressTracker does; the others hear of it at once."""
        self.clock.begin()
        self._has_last_look = False
        epoch: int = super().update_epoch(new_epoch)
        self._pace.begin(epoch, [report.epoch for report in self.counted_others])
        self.should_report_progress.set_urgently()
        return epoch

    def plan(self, numbers_at: Callable[[int], tuple[int, float | None]]) -> None:
        """Take the target batch size and the most seconds of each epoch from that function, from the present one on."""
        with self.lock_global_progress:
            self._numbers_at = numbers_at
            self._take_numbers()

    def _take_numbers(self) -> None:
        """Take the numbers of our epoch; where it is longer or shorter by them, its end is reckoned anew."""
        if self._numbers_at is not None:
            target, seconds = self._numbers_at(self.local_progress.epoch)
            self.clock.max_seconds = math.inf if seconds is None else seconds
            if target != self.target_batch_size:
                self.target_batch_size = self.global_progress.target_batch_size = target
                self.global_progress.eta_next_epoch = math.inf
                self.look_now()

    def report_local_progress(self, local_epoch: int, samples_accumulated: int, **kwargs: Any) -> None:
        """Report progress as ProgressTracker does; our own rate is known from the first samples on.

        WORKAROUND H62: hivemind measures our speed anew from each report without new samples, which a rest is.

        WORKAROUND H65: hivemind's first measurement of our speed is one since the tracker was made, with all downloads,
        and stays in the mean for some twenty more. It is forgotten with the next, and everybody is looked at anew: how
        long nobody looks at others goes by their speed and ours.
        """
        before, since, speed = self.local_progress, self.performance_ema.timestamp, self.performance_ema
        known = before.samples_accumulated if before.epoch == local_epoch else 0
        is_second = not self._forgot_first_speed and speed.num_updates == 1 and samples_accumulated > known
        if is_second:
            speed.ema_seconds_per_sample, speed.num_updates = 0.0, 0
        super().report_local_progress(local_epoch, samples_accumulated, **kwargs)
        if local_epoch != before.epoch:
            self._take_numbers()  # of an epoch that has begun, or to which a downloaded state has brought us
        if is_second:
            self._forgot_first_speed = True
            self.look_now()
        if self.counts_rests and (before.epoch, before.samples_accumulated) == (local_epoch, samples_accumulated):
            self.performance_ema.timestamp = since

    def _report_period(self) -> float:
        end = self.global_progress.eta_next_epoch
        return report_period(end - steady_time(), end - self.clock.began)

    @property
    def latest_epoch_end(self) -> float:
        """When our epoch ends at the latest, in seconds since 1970."""
        return self.clock.end

    def know_refused(self, donors: Iterable[PeerID]) -> None:
        """From now on, what these peers report does not count, whose states were refused; everybody else's does.

        Else whoever claims the highest epoch would have us download a state that we refuse, again and again.
        """
        with self.lock_global_progress:
            self._refused = frozenset(donors)
            self.global_progress = self._estimate()

    def bar(self, barred: BarredPeers) -> None:
        """Count no reports of these peers from now on, whatever becomes of those whose states are refused."""
        with self.lock_global_progress:
            self._barred = barred
            self.global_progress = self._estimate()

    def _parse_swarm_progress_data(self, metadata: Any) -> GlobalTrainingProgress:
        """In place of ProgressTracker's, which validates every report again and raises if one of them is wrong."""
        records = metadata.items() if isinstance(metadata, dict) else ()
        parsed = {MSGPackSerializer.dumps(subkey): PeerReport.parse(record.value) for subkey, record in records}
        mine, before = self.own_subkey, self.others
        reports = {subkey: report for subkey, report in parsed.items() if report is not None}
        self.reports = admitted_reports(reports, self._barred.admitted, mine)
        if self._left_at is None:
            self._left_at = self.reports[mine].epoch if mine in self.reports else 0
        self.others = {subkey: report for subkey, report in self.reports.items() if subkey != mine}
        self.liveness.update(before, self.others, longest_refresh_period(len(self.reports), self))
        self.clock.see(self.others, self.local_progress.epoch)
        self._known_keys.see(self.others, self.local_progress.epoch)
        self.statistics.remember(self.reports)
        estimate = self._estimate()
        if self.on_look is not None:
            self.on_look()
        return estimate

    @functools.cached_property
    def own_subkey(self) -> bytes:
        """The subkey of our own reports, encoded."""
        return bytes(MSGPackSerializer.dumps(self._local_public_key))

    @property
    def _trusted(self) -> dict[bytes, PeerReport]:
        """The reports of whoever is neither refused nor barred nor distrusted."""
        unheard = (self._refused, self._barred)
        there = {key: each for key, each in self.reports.items() if not any(each.peer_id in some for some in unheard)}
        return self._claims.trusted(there, self.local_progress.epoch)

    def _estimate(self) -> GlobalTrainingProgress:
        now, is_newcomer, mine = steady_time(), self.is_newcomer(), self.local_progress.epoch
        counted = cap_samples(self._trusted, self.own_subkey, self.clock.began, now)
        believed = self._latest_signed() if is_newcomer else max(mine, self._claims.confirmed)
        estimate = estimate_progress(counted.values(), self, now, believed)
        if believed == mine and self._is_advanced(estimate.eta_next_epoch):
            believed += 1
        unproven = {} if is_newcomer else self._unproven(counted, int(believed))
        self.claims = {
            key: epoch for key, epoch in unproven.items() if key == self.own_subkey or not self._agreement_error(epoch)
        }
        self.counted = {key: each for key, each in counted.items() if key in self.claims or key not in unproven}
        estimate = estimate_progress(self.counted.values(), self, now, believed)
        if self.own_subkey not in self.reports:
            estimate.num_peers += 1  # who has joined a moment ago, and sees one other, is not alone
        return estimate

    def _unproven(self, trusted: Mapping[bytes, PeerReport], believed: int) -> dict[bytes, int]:
        others = {subkey: report for subkey, report in trusted.items() if subkey != self.own_subkey}
        left_at = self._left_at or 0
        return self._claims.unproven(others, believed) | ({self.own_subkey: left_at} if left_at > believed else {})

    def _agreement_error(self, epoch: int) -> Detail:
        """Why that epoch is neither signed nor agreed on, in words; empty where it is, or where we have come to it."""
        others = {key: report for key, report in self._trusted.items() if key != self.own_subkey}
        agreed_share = functools.partial(self._known_keys.agreed_share, others, is_newcomer=self.is_newcomer())
        return agreement_error(epoch, self.local_progress.epoch, self._scores, agreed_share)

    def _is_advanced(self, eta: float) -> bool:
        """Whether our epoch, which ends then without those who are ahead, has lasted so long that others may be."""
        return steady_time() - self.clock.began >= MIN_SHARE * (eta - self.clock.began)

    def confirm(self, epoch: int) -> None:
        """Believe that the run has come to that epoch, as somebody has shown its state."""
        with self.lock_global_progress:
            self._claims.confirm(epoch)
            self.global_progress = self._estimate()

    def distrust(self, claims: Mapping[bytes, int]) -> None:
        """Do not count the reports of those who have claimed that; our own of an earlier start was no lie."""
        with self.lock_global_progress:
            self._claims.distrust({subkey: epoch for subkey, epoch in claims.items() if subkey != self.own_subkey})
            self._left_at = 0
            self.global_progress = self._estimate()

    def epoch_error(self, epoch: int, *, was_away: bool) -> Detail:
        """Why a state of that epoch cannot be the run's, in words; empty where it may be.

        Who ``was_away`` does not know for how long: no pace says how far the run has come meanwhile.
        """
        others = [report.epoch for key, report in self._trusted.items() if key != self.own_subkey]
        latest = MAX_EPOCH if was_away else min(self._pace.latest_epoch(), self._latest_signed())
        return epoch_error(epoch, others, latest, self._scores) or self._agreement_error(epoch)

    @property
    def has_signed_epochs(self) -> bool:
        """Whether the organiser or a keeper has signed that the run has come further than its beginning."""
        return bool(self._scores) and self._scores[-1].epoch > 0

    def know_scores(self, scores: Sequence[Score]) -> None:
        """Learn which epochs the organiser and the keepers have signed, by rising number."""
        self._scores = tuple(scores)

    def _latest_signed(self) -> int:
        return latest_signed_epoch(self._scores, time.time())

    @property
    def counted_others(self) -> list[PeerReport]:
        """What we believe of the others' reports."""
        return [report for key, report in self.counted.items() if key != self.own_subkey]

    def is_overtaken(self, seconds: float) -> bool:
        """Look now, although who asks has paused our updates: whether our epoch is over for half of the swarm.

        False where the DHT does not answer in so many seconds.
        """
        with contextlib.suppress(TimeoutError):
            found = self.dht.with_known(self.dht.ask("one").result(seconds))
            self._parse_swarm_progress_data(None if found is None else found.value)
            return is_half_ahead(self.counted_others, self.local_progress.epoch)
        return False

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
        except TimeoutError:
            log.warning("the goodbye was not confirmed within %.1f s", seconds)
