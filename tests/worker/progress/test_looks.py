"""Whoever looks at everybody's progress asks one holder of the reports, and all where that one lacks somebody's."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any, cast

import pytest
from hivemind import DHT
from hivemind.dht import DHTNode
from hivemind.utils import MSGPackSerializer, ValueWithExpiration

from core.worker.swarm.conditional_finds import answering
from core.worker.swarm.conditional_finds.messages import Record, records_in
from core.worker.swarm.dht.reader import forget
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.progress.looks import LONGEST_SECONDS, MOST_KNOWN, HoldersDHT, ProgressDHT
from tests.worker.progress.dht_nodes import answer_conditionally, answers, count_answers, dht_nodes, forget_key
from tests.worker.progress.test_lone_epochs import LIMIT_SECONDS, await_report, tracker

KEY = "sums_progress"
PEERS = {"first": 1, "second": 2, "third": 3}
MANY_LOOKS = 60  # of which no kind is missing that comes by lot
FEW_LOOKS = 8  # of which none asks one of two holders by one chance in a hundred
REPORT_SECONDS = 300.0  # longer than that many looks last on a computer that does much else


@pytest.fixture(params=["plain", "ours"])
def nodes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[DHT]]:
    """Four nodes, each of which holds a report of each peer."""
    if request.param == "ours":
        answer_conditionally(monkeypatch)
    with dht_nodes(4) as made:
        for peer, progress in PEERS.items():
            assert made[0].store(KEY, progress, steady_time() + REPORT_SECONDS, subkey=peer)
        yield made


def look(looks: ProgressDHT) -> dict[str, int]:
    """By peer, what a look finds."""
    found = asyncio.run(looks.get(KEY))
    return {peer: report.value for peer, report in (found.value if found else {}).items()}


@pytest.mark.real
def test_one_holder_is_asked_and_all_where_that_one_lacks_a_report_that_was_there(nodes: list[DHT]) -> None:
    looks = ProgressDHT(nodes[3], KEY)
    assert look(looks) == PEERS
    nodes[3].run_coroutine(count_answers)
    assert look(looks) == PEERS
    assert nodes[3].run_coroutine(answers)["all"] == 1
    for holder in nodes[:3]:
        holder.run_coroutine(partial(forget_key, key=KEY))
    assert nodes[0].store(KEY, 4, steady_time() + 60.0, subkey="fourth")
    nodes[3].run_coroutine(partial(forget_key, key=KEY))
    assert look(looks) == PEERS | {"fourth": 4}
    assert nodes[3].run_coroutine(answers)["all"] > 2


@pytest.mark.real
def test_where_a_holder_lacks_a_report_another_one_has_it_and_nobody_else_is_asked(nodes: list[DHT]) -> None:
    looks = ProgressDHT(nodes[3], KEY)
    assert look(looks) == PEERS
    nodes[3].run_coroutine(count_answers)
    asked = [0]
    for _ in range(MANY_LOOKS):  # each begins by lot with the one that lacks them, or with another one
        for forgetful in (nodes[0], nodes[3]):
            forget(forgetful, KEY)  # what these nodes' searches have cached with them, too
        assert look(looks) == PEERS
        asked.append(nodes[3].run_coroutine(answers)["all"])
    assert 2 in {after - before for before, after in pairwise(asked)}


@pytest.mark.real
def test_who_looks_for_a_group_asks_all_holders_and_the_latest_value_of_each_counts(nodes: list[DHT]) -> None:
    """As a member takes its name back with a later one."""
    for forgetful in nodes[1:]:
        forget(forgetful, KEY)
    nodes[3].run_coroutine(count_answers)
    found = HoldersDHT(nodes[3]).get(KEY, latest=True)
    assert {peer: each.value for peer, each in found.value.items()} == PEERS
    assert nodes[3].run_coroutine(answers)["all"] == 3
    assert nodes[2].store(KEY, None, steady_time() + REPORT_SECONDS + 1.0, subkey="first")
    found = HoldersDHT(nodes[3]).get(KEY, latest=True, return_future=True).result()
    assert {peer: each.value for peer, each in found.value.items()} == PEERS | {"first": None}
    for forgetful in nodes[:3]:
        forget(forgetful, KEY)
    found = HoldersDHT(nodes[3]).get(KEY, latest=True)
    assert found is not None and found.value["first"].value is None, "what our own node holds counts without the others"


@pytest.mark.real
def test_where_there_are_no_reports_a_look_finds_nothing() -> None:
    with dht_nodes(2) as (_, other):
        assert look(ProgressDHT(other, KEY)) == {}


async def add_a_report_that_cannot_be_validated(_dht: DHT, _node: DHTNode) -> None:
    """From now on, answer with one more report than there is, whose subkey is a list."""
    bad = Record(b"\x91\x01", bytes(MSGPackSerializer.dumps({"a": 1})), steady_time() + REPORT_SECONDS)
    setattr(answering, "records_in", lambda value: [*records_in(value), bad])  # noqa: B010 - it is another module's


@pytest.mark.real
def test_a_report_that_cannot_be_validated_ends_no_tracker_and_hides_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_conditionally(monkeypatch)
    with contextlib.ExitStack() as stack:
        first, stranger, other = stack.enter_context(dht_nodes(3))
        reporting, watching = (stack.enter_context(tracker(each)) for each in (first, other))
        reporting.report_local_progress(0, 32)
        await_report(other, 32)
        stranger.run_coroutine(add_a_report_that_cannot_be_validated)
        for _ in range(FEW_LOOKS):
            watching.fetched_global_progress_this_epoch.clear()
            watching.look_now()
            assert watching.fetched_global_progress_this_epoch.wait(LIMIT_SECONDS) and watching.is_alive()
            assert [report.samples for report in watching.others.values()] == [32]


class FailingDHT:
    """A DHT that cannot be asked."""

    def run_coroutine(self, *_args: Any, **_options: Any) -> Any:
        """Raises."""
        raise OSError("the pipe is closed")


def test_a_look_that_fails_has_found_nothing_but_what_was_known() -> None:
    looks = ProgressDHT(cast(DHT, FailingDHT()), KEY)
    assert look(looks) == {}
    looks.with_known(found_of(first=(7, 50.0)))
    assert look(looks) == {"first": 7}


def found_of(**reports: tuple[Any, float]) -> ValueWithExpiration[Any]:
    """What a holder has: by peer the value, and in how many seconds it expires."""
    now = steady_time()
    dated = {peer: ValueWithExpiration(value, now + seconds) for peer, (value, seconds) in reports.items()}
    return ValueWithExpiration(dated, now + 60.0)


def values(found: ValueWithExpiration[Any] | None) -> dict[str, Any]:
    """By peer."""
    return {peer: report.value for peer, report in (found.value if found else {}).items()}


def test_a_holder_that_is_behind_takes_nobody_back_and_a_goodbye_stays_one() -> None:
    looks = ProgressDHT(cast(DHT, None), KEY)
    looks.with_known(found_of(first=(7, 50.0), second=(5, 40.0)))
    assert values(looks.with_known(found_of(first=(6, 45.0), second=(None, 55.0)))) == {"first": 7, "second": None}
    assert values(looks.with_known(found_of(second=(5, 40.0)))) == {"first": 7, "second": None}


def test_what_has_expired_or_claims_to_live_for_ever_is_not_remembered() -> None:
    looks = ProgressDHT(cast(DHT, None), KEY)
    assert values(looks.with_known(found_of(gone=(1, -1.0), lasting=(2, LONGEST_SECONDS + 60.0)))) == {"lasting": 2}
    assert looks.with_known(None) is None


def test_more_than_a_holder_has_room_for_is_not_remembered() -> None:
    looks = ProgressDHT(cast(DHT, None), KEY)
    crowd = {f"peer {number}": (number, 60.0) for number in range(MOST_KNOWN + 1)}
    assert len(values(looks.with_known(found_of(**crowd)))) == MOST_KNOWN + 1
    assert looks.with_known(None) is None
