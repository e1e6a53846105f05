"""A snapshot of a fleet is reduced from what the observer's worker tells: counts, sums, the end of the epoch."""

from __future__ import annotations

from dataclasses import replace
from statistics import median_high

import msgspec
import pytest

from core.fleet.history import FleetHistory, sparkline
from core.fleet.snapshot import FleetSnapshot
from core.fleet.state import FleetState
from core.fleet.totals import MOST_GROUPS, OTHERS, UNKNOWN, believed
from core.protocol.events import RunScored
from core.protocol.peers import PeerActivity, PeersSeen
from core.run.manifest import SchedulerSpec
from core.run.signed_scores import Score
from core.run.steering.control_value import Order, OrderState
from core.run.steering.edit import Edit, numbers_of
from core.security.speed_limits import MAX_SHARE
from tests.core.fleet.made_up_fleets import NOON, ORGANISER, TARGET, peer, run_found, snapshot, told


def test_nothing_is_shown_before_the_peers_of_a_run_are_known() -> None:
    assert FleetState().snapshot(NOON) is None
    assert FleetState().after(PeersSeen(peers=())).snapshot(NOON) is None
    assert FleetState().after(run_found()).snapshot(NOON) is None
    empty = snapshot(loss=None)
    assert (empty.totals.peers, empty.epoch, empty.epoch_ends_in, empty.loss) == (0, None, None, None)


def test_a_snapshot_counts_peers_by_device_mode_and_version_and_adds_up_what_they_publish() -> None:
    newer = PeerActivity(version="0.2.0", whole=1)
    totals = snapshot(
        peer(0), peer(1), peer(2, device="RTX 3060", activity=newer), peer(3, device="", activity=PeerActivity())
    ).totals
    assert (totals.peers, totals.direct, totals.outgoing, totals.samples_per_second) == (4, 3, 1, 40.0)
    assert [(each.name, each.peers) for each in totals.devices] == [("CPU", 2), (UNKNOWN, 1), ("RTX 3060", 1)]
    assert [(each.name, each.peers) for each in totals.versions] == [("0.1.0", 2), (UNKNOWN, 1), ("0.2.0", 1)]
    assert (totals.telling, totals.whole_rounds, totals.partial_rounds, totals.failed_rounds) == (3, 11, 2, 4)
    assert (totals.sent_bytes, totals.received_bytes) == (2000, 4000)


def test_very_many_devices_are_told_as_a_few_and_others_and_peers_that_were_not_told_are_counted() -> None:
    totals = snapshot(*(peer(number, device=f"GPU {number}") for number in range(50)), untold=7).totals
    assert len(totals.devices) == MOST_GROUPS + 1
    assert (totals.devices[-1].name, totals.devices[-1].peers) == (OTHERS, 50 - MOST_GROUPS)
    assert totals.peers == 57


def test_the_epoch_is_the_one_of_most_peers_and_ends_when_their_samples_reach_the_target() -> None:
    seen = snapshot(peer(0), peer(1), peer(2), peer(3, epoch=2**31, samples=2**40))
    assert (seen.epoch, seen.samples, seen.target) == (3, 300, TARGET)
    assert seen.epoch_ends_in == pytest.approx((TARGET - 300) / 30)
    assert snapshot(peer(0, samples=2**40)).samples == TARGET
    assert snapshot(peer(0, samples_per_second=0.0)).epoch_ends_in is None


def test_a_speed_that_nobody_can_have_counts_as_four_times_that_of_the_others() -> None:
    honest = [peer(number, samples_per_second=speed) for number, speed in enumerate((8.0, 10.0, 12.0, 0.0))]
    seen = snapshot(*honest, peer(4, samples_per_second=1e15))
    assert seen.peers[:4] == tuple(honest) and seen.fastest(1)[0].samples_per_second == 40.0
    assert seen.totals.samples_per_second == 70.0 == sum(each.samples_per_second for each in seen.totals.devices)
    assert seen.epoch_ends_in == pytest.approx((TARGET - seen.samples) / 70.0)
    two = snapshot(peer(0, samples_per_second=10.0), peer(1, samples_per_second=1e15))
    assert two.peers[1].samples_per_second == 1e15, "of two nobody can say who lies"


def test_what_is_believed_of_each_peer_is_by_the_median_of_the_others() -> None:
    speeds = [0.0, 1.0, 1.0, 3.0, 5.0, 9.0, 50.0, 500.0]
    for chosen in (speeds, speeds[1:], speeds[2:], speeds[:5]):
        limits = list[float]()
        for index in range(len(chosen)):
            others = [each for number, each in enumerate(chosen) if number != index and each > 0]
            limits.append(MAX_SHARE * median_high(others))
        seen = believed([peer(number, samples_per_second=speed) for number, speed in enumerate(chosen)])
        assert [each.samples_per_second for each in seen] == list(map(min, chosen, limits))


def resting(order: OrderState = "running", *, published: str = "open") -> FleetSnapshot:
    """A snapshot of one peer, after the organiser has ordered or published that."""
    steered = msgspec.structs.replace(run_found(state=published), order=Order(state=order, since=NOON))
    seen = told(peer(0)).after(steered).snapshot(NOON)
    assert seen is not None
    return seen


@pytest.mark.parametrize(("order", "is_told"), [("draining", True), ("paused", False)])
def test_nobody_is_told_when_an_epoch_ends_in_which_all_rest(order: OrderState, is_told: bool) -> None:
    seen = resting(order)
    assert (seen.state, seen.samples) == ("paused", 100)
    assert (seen.epoch_ends_in is not None) is is_told


def test_peers_at_rest_have_no_speed_whatever_they_last_reported_and_those_that_still_drain_have_theirs() -> None:
    draining = resting("draining")
    assert [draining.totals.samples_per_second, draining.peers[0].samples_per_second] == [10.0, 10.0]
    for seen in (resting("paused"), resting(published="paused"), resting(published="finished")):
        assert [seen.totals.samples_per_second, seen.peers[0].samples_per_second] == [0.0, 0.0]
        assert [each.samples_per_second for each in seen.totals.devices] == [0.0]


def test_a_newer_revision_is_followed_and_another_organisers_run_of_that_name_is_not() -> None:
    state = told(peer(0)).after(run_found(revision=2, notice="A rest on Sunday."))
    state = state.after(run_found(revision=3, organiser="12D3KooWsomebody", notice="Pay me."))
    seen = state.snapshot(NOON)
    assert seen is not None and seen.notice == "A rest on Sunday."
    assert state.run is not None and state.run.organiser == ORGANISER


def test_evaluations_are_kept_by_epoch_and_those_from_before_a_rollback_are_dropped() -> None:
    state = told(peer(0))
    assert [score.epoch for score in state.scores] == [2, 3]
    rolled_back = RunScored(latest=Score(epoch=1, loss=2.0, at=NOON))
    assert [score.loss for score in state.after(rolled_back).scores] == [2.0]


def test_a_history_has_a_point_a_minute_for_a_day_whatever_the_clock_does() -> None:
    history, seen = FleetHistory(), snapshot(peer(0))
    for number in range(2 * 1440 * 2):  # two days, every half minute
        history.add(msgspec.structs.replace(seen, at=NOON + 30 * number))
    history.add(snapshot(peer(0), peer(1), at=NOON))  # the clock was set back
    assert 1440 <= len(history.points) <= 1441
    assert {point.peers for point in history.points} == {1}
    assert history.points[-1].at - history.points[0].at <= 86_400


@pytest.mark.parametrize("ahead_seconds", [600.0, 3600.0, 30 * 86_400.0])
def test_after_a_moment_of_the_future_the_present_is_drawn_again(ahead_seconds: float) -> None:
    moments = [NOON, NOON + 60 + ahead_seconds, *(NOON + 60 * minute for minute in range(2, 6))]
    history = FleetHistory(snapshot(peer(0), at=at) for at in moments)
    assert [point.at - NOON for point in history.points][-3:] == [180, 240, 300]
    history.add(snapshot(peer(0), at=NOON))
    assert history.points[-1].at == NOON + 300, "one moment alone may be wrong"
    history.add(snapshot(peer(0), at=NOON + 360))
    assert [point.at - NOON for point in history.points][-2:] == [300, 360]


def test_a_corrected_clock_takes_no_points_away() -> None:
    history = FleetHistory(snapshot(peer(0), at=NOON + 60 * minute) for minute in (0, 1, 2, 3, 1, 2))
    assert [point.at - NOON for point in history.points] == [0, 60, 120, 180]


def test_a_sparkline_shows_the_last_values_from_lowest_to_highest() -> None:
    assert sparkline([0, 7, 3, 0]) == "▁█▄▁"
    assert sparkline([5.0]) == "" and sparkline([5.0, 5.0]) == "▁▁"
    assert sparkline(range(100), width=8) == "▁▂▃▄▅▆▇█"


def test_whoever_reports_an_earlier_epoch_than_most_is_a_straggler() -> None:
    totals = snapshot(peer(0), peer(1), peer(2, epoch=2), peer(3, epoch=9)).totals
    assert (totals.peers, totals.stragglers) == (4, 1)
    assert snapshot().totals.stragglers == 0


def test_the_end_of_the_run_is_known_where_the_run_file_names_its_last_epoch() -> None:
    schedule = SchedulerSpec(kind="linear", total_epochs=10)
    found = run_found()
    limited = msgspec.structs.replace(found, manifest=msgspec.structs.replace(found.manifest, scheduler=schedule))
    state = told(peer(0), peer(1))
    seen = replace(state, run=limited).snapshot(NOON)
    assert seen is not None and (seen.epoch, seen.epochs) == (3, 10)
    left_of_this_epoch, epochs_after_it = TARGET - 200, 6
    assert seen.run_ends_in == pytest.approx((left_of_this_epoch + epochs_after_it * TARGET) / 20)
    unlimited = state.snapshot(NOON)
    assert unlimited is not None and (unlimited.epochs, unlimited.run_ends_in) == (None, None)
    over = replace(told(peer(0, epoch=10)), run=limited).snapshot(NOON)
    assert over is not None and over.run_ends_in is None


@pytest.mark.parametrize(("from_epoch", "target"), [(2, 4 * TARGET), (3, 4 * TARGET), (4, TARGET), (None, TARGET)])
def test_an_epoch_is_as_long_as_its_organiser_has_made_it(from_epoch: int | None, target: int) -> None:
    found = run_found()
    before = numbers_of(found.manifest)
    longer = msgspec.structs.replace(before, target_batch_size=4 * TARGET)
    edits = (Edit(numbers=longer, base=before, from_epoch=from_epoch),)
    seen = told(peer(0)).after(msgspec.structs.replace(found, edits=edits)).snapshot(NOON)
    assert seen is not None and (seen.epoch, seen.target) == (3, target)
