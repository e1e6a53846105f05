"""Epochs and samples that others claim are believed as far as somebody has shown them, and no further."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
import torch
from hivemind.p2p import PeerID
from torch.optim import SGD

from core.run.manifest import SchedulerSpec
from core.run.signed_scores import Score
from core.worker.compute.learning_rate import catch_up_schedule, make_scheduler
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.trust import claim_search, epoch_bounds
from core.worker.swarm.trust.claim_search import MAX_SEARCHES, ClaimSearch
from core.worker.swarm.trust.epoch_bounds import (
    AGREED_EPOCHS,
    MAX_EPOCH,
    MAX_LEAD,
    EpochPace,
    agreement_error,
    epoch_error,
    latest_signed_epoch,
)
from core.worker.swarm.trust.epoch_claims import EpochClaims
from core.worker.swarm.trust.sample_caps import cap_samples

NOW = 1.8e9


def report(epoch: int = 5, samples: int = 100, speed: float = 100.0, *, client: bool = False) -> PeerReport:
    """Of somebody, at this moment."""
    return PeerReport(PeerID(b"\x12\x20" + bytes(32)), epoch, samples, speed, NOW, client)


def test_who_claims_what_nobody_has_is_distrusted_until_the_run_has_come_so_far() -> None:
    claims, reports = EpochClaims(), {b"honest": report(5), b"phantom": report(1005)}
    assert claims.unproven(reports, 5) == {b"phantom": 1005}
    claims.distrust({b"phantom": 1005})
    assert list(claims.trusted(reports, 5)) == [b"honest"]
    assert list(claims.trusted(reports | {b"phantom": report(5)}, 6)) == [b"honest"]
    assert list(claims.trusted(reports, 1005)) == [b"honest", b"phantom"]


@dataclass
class Claimed:
    """What a tracker knows, and what it is told."""

    claims: Mapping[bytes, int]
    met: int = 0

    def confirm(self, epoch: int) -> None:
        """Somebody has shown it."""
        self.confirmed = epoch


@dataclass
class Search:
    """A search that ends as it is told: it stands for downloads from real donors (tests/integration)."""

    outcomes: list[bool | None]
    ready_epoch: int | None = None
    is_busy: bool = False
    asked: list[int] = field(default_factory=list)

    def go_on(self, _averager: Any, min_epoch: int) -> bool | None:
        """What comes next."""
        self.asked.append(min_epoch)
        return self.outcomes.pop(0)


def test_after_some_searches_in_which_nobody_has_it_the_claimants_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_search, "FIRST_PAUSE_SECONDS", 0.0)
    refuted: list[Mapping[bytes, int]] = []
    search = Search([None, False] * MAX_SEARCHES)
    polled = ClaimSearch(Claimed({b"phantom": 1005}), search, refuted.append)
    assert not any(polled.poll(None, 5) for _ in range(2 * MAX_SEARCHES))
    assert refuted == [{b"phantom": 1005}] and set(search.asked) == {6}


def test_whose_donors_serve_others_at_the_moment_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_search, "FIRST_PAUSE_SECONDS", 0.0)
    refuted: list[Mapping[bytes, int]] = []
    search = Search([False for _ in range(3 * MAX_SEARCHES)], is_busy=True)
    polled = ClaimSearch(Claimed({b"busy": 9}), search, refuted.append)
    assert not any(polled.poll(None, 5) for _ in range(2 * MAX_SEARCHES)) and not refuted
    search.is_busy = False
    assert not any(polled.poll(None, 5) for _ in range(MAX_SEARCHES)) and refuted == [{b"busy": 9}]


def test_a_state_that_was_found_is_believed_and_nobody_is_named() -> None:
    claimed, refuted = Claimed({b"ahead": 9}), list[Mapping[bytes, int]]()
    polled = ClaimSearch(claimed, Search([None, True], ready_epoch=9), refuted.append)
    assert [polled.poll(None, 5) for _ in range(2)] == [False, True]
    assert claimed.confirmed == 9 and not refuted


def test_who_claims_nothing_starts_no_search() -> None:
    assert not ClaimSearch(Claimed({}), Search([]), lambda _: None).poll(None, 5)


@pytest.mark.parametrize(
    ("epoch", "others", "is_possible"),
    [
        (12, [11, 12, 12], True),
        (12, [], True),
        (1005, [5, 1005], False),
        (1005, [5, 5, 1005], False),
        (80, [80], True),
        (-1, [5], False),
        (10**15, [10**15], False),
        (MAX_EPOCH + 1, [], False),
    ],
)
def test_a_state_is_of_an_epoch_that_most_others_are_near(epoch: int, others: list[int], is_possible: bool) -> None:
    assert (epoch_error(epoch, others, MAX_EPOCH) == "") is is_possible


@pytest.mark.parametrize(
    ("epoch", "share", "is_followed"),
    [(51, 0.0, True), (52, 0.0, False), (52, 0.6, False), (52, 0.67, True)],
    ids=["our own next", "nobody", "too few", "two thirds"],
)
def test_an_epoch_that_is_not_signed_is_followed_if_two_thirds_agree(
    epoch: int, share: float, is_followed: bool
) -> None:
    asked: list[int] = []

    def agreed(at_least: int) -> float:
        asked.append(at_least)
        return share

    assert (agreement_error(epoch, 50, signed((40, 1e9)), agreed) == "") is is_followed
    assert asked in ([], [epoch - AGREED_EPOCHS])


def test_a_signed_epoch_needs_nobodys_agreement_and_no_later_one_is_covered() -> None:
    scores = signed((60, 1e9), (70, 1e9 + 600))
    assert agreement_error(71, 50, scores, lambda _: 0.0) == ""
    assert agreement_error(72, 50, scores, lambda _: 0.0) != ""


def test_of_epochs_shorter_than_a_second_signatures_and_reports_may_be_behind_by_those_of_some_seconds() -> None:
    scores = signed((60, 1e9), (70, 1e9 + 5))
    assert agreement_error(70 + 30, 50, scores, lambda _: 0.0) == ""
    assert agreement_error(70 + 40, 50, scores, lambda _: 0.0) != ""
    assert epoch_error(70 + 20, [70], MAX_EPOCH, scores) == ""
    assert epoch_error(70 + 30, [70], MAX_EPOCH, scores) != ""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that `EpochPace` goes by."""
    now = [1e9]
    monkeypatch.setattr(epoch_bounds, "steady_time", lambda: now[0])
    return now


def paced(clock: list[float], epochs: int, seconds: float, others: Callable[[int], list[int]]) -> EpochPace:
    """So many epochs of ours, each of which lasted so long, and what others have reported at their beginnings."""
    pace = EpochPace()
    for epoch in range(epochs):
        pace.begin(epoch, others(epoch))
        clock[0] += seconds
    return pace


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_run_comes_no_further_than_our_own_pace_allows(clock: list[float], is_alone: bool) -> None:
    assert EpochPace().latest_epoch() == MAX_EPOCH
    pace = paced(clock, 5, 3600.0, lambda epoch: [] if is_alone else [epoch, epoch - 1])
    assert 4 < pace.latest_epoch() < 60
    assert epoch_error(1004, [1004], pace.latest_epoch())


def test_who_ends_an_epoch_alone_after_a_sleep_may_be_far_behind(clock: list[float]) -> None:
    pace = paced(clock, 5, 4.0, lambda epoch: [epoch, epoch - 1])
    clock[0] += 4 * 12.0
    pace.begin(5, [])  # what others have reported has expired meanwhile
    assert pace.latest_epoch() > 5 + 13
    clock[0] += 4.0
    pace.begin(6, [18, 18])
    assert pace.latest_epoch() > 6 + 13
    clock[0] += 4.0
    pace.begin(19, [19, 18])
    assert pace.latest_epoch() == 19 + MAX_LEAD


def signed(*epochs: tuple[int, float]) -> tuple[Score, ...]:
    """What an organiser has signed: epochs, and when they ended."""
    return tuple(Score(epoch=epoch, loss=1.0, at=at) for epoch, at in epochs)


@pytest.mark.parametrize(
    ("scores", "now", "latest"),
    [
        ((), 1e9, MAX_EPOCH),
        (signed((7, 1e9)), 1e9, MAX_EPOCH),
        (signed((6, 1e9 - 100), (7, 1e9)), 1e9, 17),
        (signed((6, 1e9 - 100), (7, 1e9)), 1e9 + 3 * 86_400, 17 + 8 * 2592),
        (signed((0, 1e9 - 1000), (10, 1e9)), 1e9 + 100, 20 + 8),
        (signed((6, 1e9 - 100), (7, 1e9)), 1e9 - 3600, 17),
        (signed((7, 1e9), (7, 1e9)), 1e9, MAX_EPOCH),
    ],
    ids=["none", "one", "now", "three days without the organiser", "every tenth", "a slow clock", "twice the same"],
)
def test_a_run_comes_no_further_than_its_organisers_signed_epochs_allow(
    scores: tuple[Score, ...], now: float, latest: int
) -> None:
    assert latest_signed_epoch(scores, now) == latest


def test_a_liar_has_no_more_samples_than_four_of_the_others_and_ours_are_as_they_are() -> None:
    reports = {b"mine": report(), b"other": report(), b"liar": report(samples=2**39, speed=1e15)}
    capped = cap_samples(reports, b"mine", NOW - 10.0, NOW)
    assert capped[b"liar"].samples == 4000 and capped[b"liar"].samples_per_second == 400.0
    assert capped[b"mine"] == report() and capped[b"other"] == report()


def test_a_liar_is_capped_where_a_sample_takes_everybody_seconds() -> None:
    slow = report(samples=5, speed=0.1)
    reports = {b"mine": slow, b"other": slow, b"liar": report(samples=2**39, speed=1e15)}
    assert cap_samples(reports, b"mine", NOW - 10.0, NOW)[b"liar"].samples == 4


@pytest.mark.parametrize("time", [0.0, 1e12])
def test_a_report_is_neither_older_than_the_epoch_nor_of_the_future(time: float) -> None:
    reports = {b"mine": report(), b"other": replace(report(), time=time)}
    assert NOW - 10.0 <= cap_samples(reports, b"mine", NOW - 10.0, NOW)[b"other"].time <= NOW


def test_of_two_peers_nobody_is_capped_nor_for_the_sake_of_keepers() -> None:
    fast = report(samples=100_000, speed=1e4)
    assert cap_samples({b"mine": report(), b"fast": fast}, b"mine", NOW - 10.0, NOW)[b"fast"] == fast
    keepers = {b"mine": report(), b"keeper": report(speed=0.0), b"newcomer": report(speed=1e-20)}
    assert cap_samples(keepers | {b"fast": fast}, b"mine", NOW - 10.0, NOW)[b"fast"] == fast


@pytest.mark.parametrize("epoch", [1, 2, 7, 40])
@pytest.mark.parametrize("kind", ["cosine", "linear", "exponential"])
def test_a_schedule_that_skips_epochs_has_the_rate_of_one_that_takes_every_step(kind: Any, epoch: int) -> None:
    build = make_scheduler(SchedulerSpec(kind=kind, warmup_epochs=3, total_epochs=50))
    assert build is not None
    schedules = [build(SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)) for _ in range(2)]
    for schedule in schedules:
        schedule.optimizer.step()
    catch_up_schedule(schedules[0], epoch)
    for schedule in schedules:
        while schedule._step_count <= epoch:
            schedule.step()
    assert schedules[0].get_last_lr() == pytest.approx(schedules[1].get_last_lr())
    assert schedules[0].last_epoch == schedules[1].last_epoch == epoch
    assert partial(catch_up_schedule, schedules[0])(10**15) is None and schedules[0].last_epoch == 10**15 - 1
