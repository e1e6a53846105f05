"""Nobody ends an epoch alone while somebody who has joined computes for it: two real trackers on loopback."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hivemind import DHT
from hivemind.utils.crypto import RSAPrivateKey

from core.worker.swarm.progress.progress_tracker import ObservedTracker
from tests.worker.progress.dht_nodes import patient_node

pytestmark = pytest.mark.real

PREFIX = "sums"
TARGET = 256  # samples
REFRESH_SECONDS = 300.0  # longer than the test may last
LIMIT_SECONDS = 60.0


@contextlib.contextmanager
def node(initial_peers: Sequence[Any] = ()) -> Iterator[DHT]:
    """A peer's node on loopback, in the DHT of those peers or in one of its own."""
    dht = patient_node(initial_peers)
    try:
        yield dht
    finally:
        dht.shutdown()


@contextlib.contextmanager
def tracker(dht: DHT) -> Iterator[ObservedTracker]:
    """Of a peer that looks at the others' progress hardly ever, unless it has a reason."""
    made = ObservedTracker(
        dht=dht,
        prefix=PREFIX,
        target_batch_size=TARGET,
        start=True,
        metadata_expiration=2 * REFRESH_SECONDS,
        min_refresh_period=REFRESH_SECONDS,
        default_refresh_period=REFRESH_SECONDS,
        max_refresh_period=REFRESH_SECONDS,
        private_key=RSAPrivateKey(),
    )
    try:
        yield made
    finally:
        made.shutdown(LIMIT_SECONDS)
        made.await_goodbye(LIMIT_SECONDS)


def look(alone: ObservedTracker) -> None:
    """Have it look once at everybody's progress, before anybody else is there."""
    alone.global_progress.next_fetch_time = 0.0
    alone.global_state_updated.set()
    assert alone.fetched_global_progress_this_epoch.wait(LIMIT_SECONDS) and not alone.others


def await_end_of_epoch(trained: ObservedTracker) -> None:
    """Ask as a training loop does, after each micro-batch."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not trained.ready_to_update_epoch:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def await_report(dht: DHT, samples: int) -> None:
    """Until that many samples of one peer are on record."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        found = dht.get(f"{PREFIX}_progress", latest=True)
        if found and any((each.value or {}).get("samples_accumulated") == samples for each in found.value.values()):
            return
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_who_was_alone_sees_a_newcomer_before_it_ends_the_epoch() -> None:
    with contextlib.ExitStack() as stack:
        dht = stack.enter_context(node())
        alone = stack.enter_context(tracker(dht))
        alone.report_local_progress(0, 16)
        look(alone)
        joined = stack.enter_context(node(dht.get_visible_maddrs()))
        newcomer = stack.enter_context(tracker(joined))
        newcomer.report_local_progress(0, 32)
        await_report(joined, 32)
        alone.report_local_progress(0, TARGET)
        await_end_of_epoch(alone)
        assert alone.global_progress.num_peers == 2


def test_who_stays_alone_ends_its_epochs() -> None:
    with contextlib.ExitStack() as stack:
        dht = stack.enter_context(node())
        alone = stack.enter_context(tracker(dht))
        for epoch in range(3):
            alone.report_local_progress(epoch, TARGET)
            await_end_of_epoch(alone)
            with alone.pause_updates():
                assert alone.update_epoch(epoch + 1) == epoch + 1


def test_the_time_before_the_first_micro_batch_counts_as_speed_until_the_second_only() -> None:
    with contextlib.ExitStack() as stack:
        dht = stack.enter_context(node())
        beginner = stack.enter_context(tracker(dht))
        for number, seconds in enumerate((1000.0, 1.0, 1.0), start=1):
            beginner.performance_ema.timestamp = time.perf_counter() - seconds
            beginner.report_local_progress(0, 16 * number)
            assert (beginner.performance_ema.samples_per_second > 1.0) is (number > 1)


def test_who_waits_for_a_group_sees_that_the_other_has_ended_the_epoch() -> None:
    with contextlib.ExitStack() as stack:
        dht = stack.enter_context(node())
        waiting = stack.enter_context(tracker(dht))
        waiting.report_local_progress(0, TARGET)
        joined = stack.enter_context(node(dht.get_visible_maddrs()))
        gone_on = stack.enter_context(tracker(joined))
        gone_on.report_local_progress(0, 32)
        await_report(dht, 32)
        with waiting.pause_updates():
            assert not waiting.is_overtaken(LIMIT_SECONDS)
            with gone_on.pause_updates():
                gone_on.update_epoch(1)
            gone_on.report_local_progress(1, 48)
            await_report(dht, 48)
            assert waiting.is_overtaken(LIMIT_SECONDS)


def test_who_comes_to_a_later_epoch_ends_it_where_its_organiser_has_by_then_made_it_end() -> None:
    with contextlib.ExitStack() as stack:
        dht = stack.enter_context(node())
        newcomer = stack.enter_context(tracker(dht))
        newcomer.plan(lambda epoch: (4 * TARGET if epoch >= 5 else TARGET, None))
        newcomer.report_local_progress(7, 0)  # as after the download of a state
        newcomer.report_local_progress(7, TARGET)
        look(newcomer)
        assert newcomer.global_progress.target_batch_size == 4 * TARGET and not newcomer.ready_to_update_epoch
        newcomer.report_local_progress(7, 4 * TARGET)
        await_end_of_epoch(newcomer)
